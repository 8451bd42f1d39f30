"""Numbers as forms and addresses carry them."""

LONGEST = 9
"""Digits that a number of ours can have."""


def number(text: str | None) -> int | None:
    """A whole number from a form or an address; None for anything else."""
    return int(text) if text and text.isdecimal() and len(text) <= LONGEST else None
