"""A query by the driver's own cursor, for the statement that every poll is: SQLAlchemy takes four
times as long for it."""

from typing import Any, NamedTuple

from sqlalchemy import Engine, Select

from app.store import database


class _Compiled(NamedTuple):
    sql: str
    constants: dict[str, Any]
    processors: dict[str, Any]
    # The names of the parameters in their order, where the driver does not know them by name.
    order: list[str] | None


class RawQuery:
    """A query whose columns are texts and numbers."""

    def __init__(self, statement: Select[Any]) -> None:
        self.statement = statement
        self._compiled: dict[str, _Compiled] = {}

    def first(self, **values: Any) -> tuple[Any, ...] | None:
        """Return the first row, read on a snapshot of its own, or None.

        Raises:
            SQLAlchemyError: the database does not answer.
        """
        engine = database.engine()
        try:
            row = self._first(engine, values)
        except engine.dialect.loaded_dbapi.Error:
            # SQLAlchemy replaces connections that were lost, and has a name for each error.
            with database.core_reading() as connection:
                row = connection.execute(self.statement, values).first()
        return None if row is None else tuple(row)

    def _first(self, engine: Engine, values: dict[str, Any]) -> Any:
        name = engine.dialect.name
        query = self._compiled.get(name)
        if query is None:
            query = self._compiled[name] = self._compile(engine)
        bound = query.constants | {
            key: process(values[key]) if process else values[key]
            for key, process in query.processors.items()
        }
        connection = engine.raw_connection()
        try:
            driver: Any = connection.driver_connection
            if name == "postgresql":
                driver.autocommit = True  # else a transaction begins, which takes two more trips
            row = driver.execute(
                query.sql, bound if query.order is None else [bound[key] for key in query.order]
            ).fetchone()
            if name == "postgresql":
                driver.autocommit = False
        except engine.dialect.loaded_dbapi.Error:
            connection.invalidate()
            raise
        finally:
            connection.close()
        return row

    def _compile(self, engine: Engine) -> _Compiled:
        compiled: Any = self.statement.compile(dialect=engine.dialect)
        constants = {key: value for key, value in compiled.params.items() if value is not None}
        types = {key: bind.type for key, bind in compiled.binds.items() if key not in constants}
        processors = {
            key: kind.dialect_impl(engine.dialect).bind_processor(engine.dialect)
            for key, kind in types.items()
        }
        return _Compiled(str(compiled), constants, processors, compiled.positiontup)
