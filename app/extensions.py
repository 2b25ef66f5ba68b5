"""Flask-SQLAlchemy, before an application has it (``app.store.database.connect``)."""

from typing import TYPE_CHECKING, ClassVar

from flask_sqlalchemy import SQLAlchemy
from sqlalchemy import MetaData, Table
from sqlalchemy.orm import DeclarativeBase


class _Declared(DeclarativeBase):
    __table__: ClassVar[Table]
    metadata = MetaData(
        naming_convention={
            "ix": "ix_%(table_name)s_%(column_0_N_name)s",
            "uq": "uq_%(table_name)s_%(column_0_N_name)s",
            "fk": "fk_%(table_name)s_%(column_0_name)s_%(referred_table_name)s",
            "pk": "pk_%(table_name)s",
        }
    )


# A statement outside of a transaction fails, and so does a transaction within another.
db = SQLAlchemy(
    model_class=_Declared,
    session_options={"autobegin": False, "expire_on_commit": False},
    disable_autonaming=True,
)

if TYPE_CHECKING:
    Base = _Declared  # what a type checker can follow
else:
    Base = db.Model
