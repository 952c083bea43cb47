"""Exceptions for invalid arguments, columns and signatures."""

__all__ = ["ColumnError", "Error", "InvalidSignature"]


class Error(ValueError):
    """A rule that an argument breaks. The message names the field and the rule.

    `reason` is a code of the rule, in lower case with hyphens. It is the same in every version.
    """

    reason: str

    def __init__(self, message: str, reason: str = "unnamed") -> None:
        super().__init__(message, reason)
        self.reason = reason

    def __str__(self) -> str:
        return str(self.args[0])


class ColumnError(Error):
    """A column or an option that breaks a rule. `column` is the name of the argument."""

    column: str

    def __init__(self, column: str, rule: str | None = None) -> None:
        if rule is None:
            # From the message alone: Polars raises exceptions again that way.
            column, _, rule = column.partition(": ")
        super().__init__(f"{column}: {rule}", "column")
        # The arguments by which pickle recreates it.
        self.args = (column, rule)
        self.column = column

    def __str__(self) -> str:
        return f"{self.args[0]}: {self.args[1]}"


class InvalidSignature(Exception):
    """An invalid or malformed signature. `reason` is the code of the rule that it breaks."""

    reason: str

    def __init__(self, message: str, reason: str = "unnamed") -> None:
        super().__init__(message, reason)
        self.reason = reason

    def __str__(self) -> str:
        return str(self.args[0])
