"""A demonstration club, created by the same services as a real one; see `load`."""

from tournaments.demo.club import is_loaded, load

__all__ = ["is_loaded", "load"]
