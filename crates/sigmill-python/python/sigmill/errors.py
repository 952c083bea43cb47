"""Exceptions: what is wrong with an argument, a column, or a signature."""

__all__ = ["ColumnError", "Error", "InvalidSignature"]


class Error(ValueError):
    """A rule that an argument breaks. The message names the field and the rule.

    `reason` is a code of the rule, in lower case with hyphens: the same in every version.
    """

    reason: str

    def __init__(self, message: str, reason: str = "unnamed") -> None:
        super().__init__(message, reason)
        self.reason = reason

    def __str__(self) -> str:
        return str(self.args[0])


class ColumnError(Error):
    """A column, or a choice, that is not what it must be. `column` is the name of the argument."""

    column: str

    def __init__(self, column: str, rule: str | None = None) -> None:
        if rule is None:
            # Of the message alone, by which Polars raises an exception again.
            column, _, rule = column.partition(": ")
        super().__init__(f"{column}: {rule}", "column")
        # As pickle makes it again.
        self.args = (column, rule)
        self.column = column

    def __str__(self) -> str:
        return f"{self.args[0]}: {self.args[1]}"


class InvalidSignature(Exception):
    """A signature that is not valid, or not well formed. `reason` is the code of the rule."""

    reason: str

    def __init__(self, message: str, reason: str = "unnamed") -> None:
        super().__init__(message, reason)
        self.reason = reason

    def __str__(self) -> str:
        return str(self.args[0])
