"""Problems of a database that answers."""


class DatabaseTrouble(Exception):
    """``kind`` is a few words for everybody, the text is the operator's."""

    def __init__(self, kind: str, operator: str) -> None:
        super().__init__(operator)
        self.kind = kind
