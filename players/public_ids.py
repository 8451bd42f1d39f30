"""Kept for migrations that import it; use `core.public_ids`."""

from core.public_ids import new_public_id

__all__ = ["new_public_id"]
