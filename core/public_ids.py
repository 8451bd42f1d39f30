"""The names that people, matches and records have in addresses."""

import secrets

LENGTH = 10
# No letter that is easily taken for a digit, or the other way round, when somebody reads it out.
ALPHABET = "23456789abcdefghjkmnpqrstuvwxyz"


def new_public_id() -> str:
    """Ten random characters, about 50 bits: not to be guessed, short enough to type."""
    return "".join(secrets.choice(ALPHABET) for _ in range(LENGTH))
