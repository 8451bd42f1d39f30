"""Public ids, which name people, matches and records in URLs, and the keys that make repeated forms harmless."""

import hashlib
import secrets

LENGTH = 10
# Without letters and digits that are easily confused when read out.
ALPHABET = "23456789abcdefghjkmnpqrstuvwxyz"


def new_public_id() -> str:
    """Return ten random characters, about 50 bits: too many to guess, short enough to type."""
    return "".join(secrets.choice(ALPHABET) for _ in range(LENGTH))


def new_form_key() -> str:
    return secrets.token_urlsafe(12)


def hash_of(secret: str) -> str:
    """Return the hash of the secret in a link, which is all that is stored of it."""
    return hashlib.sha256(secret.encode()).hexdigest()
