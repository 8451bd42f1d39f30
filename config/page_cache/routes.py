"""The routes that show everybody the same, with the query parameters that they know."""

from functools import lru_cache

from django.urls import Resolver404, resolve

PAGE = frozenset({"page"})
LISTED_BY_API = frozenset({"page_size", "cursor"})
ROUND = frozenset({"stage", "round", "page", "player"})

PUBLIC_ROUTES: dict[str, frozenset[str]] = {
    "home": frozenset(),
    "events": PAGE | {"club"},
    "event": frozenset({"player"}),
    "division": frozenset({"player", "section"}),
    "standings": ROUND,
    "standings-file": ROUND,
    "pairings": ROUND,
    "pairings-file": ROUND,
    "prizes": frozenset(),
    "event-report": frozenset(),
    "event-wall": frozenset(),
    "embed-bracket": frozenset(),
    "embed-standings": frozenset(),
    "embed-calls": frozenset(),
    "commitments": PAGE,
    "club-list": PAGE | {"q"},
    "club": PAGE | {"q"},
    "rankings": PAGE | {"days", "least", "club", "q"},
    "players": PAGE | {"q"},
    "player": frozenset({"chart"}),
    "api-tournaments": LISTED_BY_API | {"club", "status"},
    "api-tournament": frozenset(),
    "api-divisions": frozenset(),
    "api-division": frozenset(),
    "api-stages": frozenset(),
    "api-bracket": frozenset(),
    "api-fixtures": LISTED_BY_API | {"status", "player"},
    "api-standings": frozenset({"stage", "round"}),
    "api-pairings": frozenset({"stage", "round"}),
    "api-entries": LISTED_BY_API | {"status"},
    "api-draws": LISTED_BY_API,
    "api-draw": frozenset(),
    "api-prizes": frozenset(),
    "api-clubs": LISTED_BY_API | {"q"},
    "api-club": frozenset(),
    "api-members": LISTED_BY_API | {"q", "role"},
    "api-rankings": LISTED_BY_API | {"days", "least", "club", "q"},
    "api-players": LISTED_BY_API | {"q"},
    "api-player": frozenset(),
}


@lru_cache(maxsize=4096)
def known_parameters(path: str) -> frozenset[str] | None:
    """Return the query parameters of a public route; None for any other path."""
    try:
        return PUBLIC_ROUTES.get(resolve(path).url_name or "")
    except Resolver404:
        return None
