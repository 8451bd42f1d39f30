"""What each kind of user gets from each route, by method: what its view declares, and the exceptions to that."""

from collections.abc import Iterator
from typing import Any

from django.urls import URLPattern, URLResolver, get_resolver
from rest_framework.permissions import AllowAny, IsAuthenticatedOrReadOnly

from core.access import Who, who_may_use

ROLES = ("anonymous", "stranger", "player", "opponent", "assistant", "director", "owner", "other_director")
"""The player is Bob, who plays the opponent, and to whom the objects in the URLs belong."""
METHODS = ("get", "post", "put", "patch", "delete")
ACCEPTED, SIGN_IN, NEEDS_TOKEN, MAY_NOT, NOT_THERE, NOT_SO = "accepted", "sign in", 401, 403, 404, 405
"""ACCEPTED: the user may make the request, whatever its outcome."""
Row = dict[str, str | int]

ACCEPTS: dict[Who, tuple[str, ...]] = {
    Who.EVERYBODY: ROLES,
    Who.SIGNED_IN: ROLES[1:],
    Who.OWN: ("player",),
    Who.PLAYERS: ("player", "opponent"),
    Who.MEMBERS: ("player", "opponent", "assistant", "director", "owner"),
    Who.HELPERS: ("assistant", "director", "owner"),
    Who.STAFF: ("assistant", "director", "owner"),
    Who.DIRECTORS: ("director", "owner"),
    Who.OWNERS: ("owner",),
    Who.SITE: (),
}
"""Helpers of an event are in tests/tournaments/events/test_helpers.py."""


def patterns(resolver: URLResolver | None = None) -> Iterator[URLPattern]:
    """Return every route of the site except Django's admin pages, which share one check."""
    for entry in (resolver or get_resolver()).url_patterns:
        if isinstance(entry, URLPattern):
            yield entry
        elif entry.app_name != "admin":
            yield from patterns(entry)


ROUTES = {entry.name or "": entry for entry in patterns()}


def declared(route: URLPattern) -> dict[str, Who]:
    """Return who may use a route, by method. One with the personal link of a match is open to whoever has the link."""
    methods = who_may_use(route.callback)
    return dict.fromkeys(methods, Who.EVERYBODY) if "token" in route.pattern.regex.groupindex else methods


def row(route: URLPattern, method: str, who: Who) -> Row:
    """Return what each user gets from a route that is declared so."""
    others = NOT_THERE if who in (Who.OWN, Who.PLAYERS) else MAY_NOT
    return {role: ACCEPTED if role in ACCEPTS[who] else others for role in ROLES} | (
        {} if who is Who.EVERYBODY else {"anonymous": without_account(route, method)}
    )


def without_account(route: URLPattern, method: str) -> str | int:
    """Return how anonymous users are refused: some operations let them in to read, and then refuse them."""
    api = getattr(route.callback, "cls", None)
    if api is None:
        return SIGN_IN
    return MAY_NOT if method == "get" and IsAuthenticatedOrReadOnly in api.permission_classes else NEEDS_TOKEN


def asks_for_account_first(route: URLPattern, method: str) -> bool:
    """Whether a route refuses anonymous users before it refuses a method that it has for nobody."""
    api = getattr(route.callback, "cls", None)
    if api is None:
        methods = declared(route)
        return bool(methods) and Who.EVERYBODY not in methods.values()
    reads = method == "get" and IsAuthenticatedOrReadOnly in api.permission_classes
    return not reads and AllowAny not in api.permission_classes


def everybody_gets(answer: str | int, but_anonymous: str | int | None = None) -> Row:
    """The same for all, and perhaps another answer without an account."""
    return dict.fromkeys(ROLES, answer) | ({} if but_anonymous is None else {"anonymous": but_anonymous})


NOBODY = everybody_gets(NOT_THERE)
EVERYBODY = everybody_gets(ACCEPTED)
STAFF_TOO: Row = dict.fromkeys(("assistant", "director", "owner"), ACCEPTED)
WITH_A_PLAYER: Row = {"stranger": MAY_NOT}
ONLY_BOB: Row = {"opponent": MAY_NOT}
ONLY_CAROL: Row = {"player": MAY_NOT}
BOB_TOO: Row = {"player": ACCEPTED}

# Where a user gets something else than the declaration says, by methods: why, and what.
EXCEPTIONS: list[tuple[str, Row, str]] = [
    # Views of Django and of other packages, which declare nothing.
    ("post", EVERYBODY, "sign-out"),
    # It waits for messages and has no use for HEAD.
    ("get", EVERYBODY, "live-stream"),
    # Django's own forms treat PUT as POST; the page of an invalid link answers any method.
    ("put", EVERYBODY, "sign-in password-forgotten"),
    ("put patch delete", EVERYBODY, "password-choose"),
    # Signed-in users are redirected with any method.
    ("patch delete", everybody_gets(ACCEPTED, NOT_SO), "sign-in"),
    # Without the first step there is nothing to confirm.
    ("get post", everybody_gets(SIGN_IN), "sign-in-code"),
    # It leads whoever may open the admin pages through the sign-in of the site.
    ("get", everybody_gets(MAY_NOT, SIGN_IN), "admin-sign-in"),
    # Only from this machine, or with the token of the installation.
    ("get", NOBODY, "metrics"),
    # The page of a club's friendlies; without a club it is for those who run the site.
    ("get post", everybody_gets(MAY_NOT, SIGN_IN), "friendlies-without-club"),
    # The match has not begun: there is no position to picture, and no end. The one with links is not played here.
    ("get", NOBODY, "match-replay-picture match-end match-again replay-card"),
    ("get", NOBODY, "link-play link-replay link-record link-dice link-dice-file link-end link-again"),
    # The match is not over, and a player without an account shares nothing.
    ("get", NOBODY, "api-match-analysis api-player-analysis"),
    # The division has no batches.
    ("get", NOBODY, "api-batches"),
    # The event is not over.
    ("get", everybody_gets(NOT_THERE, SIGN_IN), "letter"),
    ("get", NOBODY, "event-link-letter"),
    # The event has begun.
    ("get post", NOBODY, "coming"),
    # Only a paired device sees anything.
    ("get", NOBODY, "kiosk"),
    ("post", NOBODY, "kiosk-check-in kiosk-undo"),
    # One's own entry in an event: who has no player has none.
    ("post", WITH_A_PLAYER, "arrive-mark arrive-revoke-link api-tournament-leave"),
    # Bob proposed the times and made the challenge; Carol answers.
    ("post", ONLY_BOB, "match-withdraw-times api-match-withdraw-times api-challenge-withdraw"),
    ("post", ONLY_CAROL, "api-challenge-accept api-challenge-decline"),
    # Alice asks Bob to be an owner: both see it, and what one of them does about it is refused to the other.
    ("get", {"owner": ACCEPTED}, "owner-offer"),
    *(
        ("post", {"owner": ACCEPTED}, f"owner-offer-{name} api-owner-offer-{name}")
        for name in ("accept", "decline", "undo")
    ),
    # Whoever runs the match reads what its players say, too.
    ("post", STAFF_TOO, "api-live-chat-report"),
    # The personal link, the entry and the withdrawal are Bob's own.
    ("post", BOB_TOO, "match-revoke-link"),
    ("delete", BOB_TOO, "api-match-link"),
    ("get delete", BOB_TOO, "api-entry-link"),
    ("get post", BOB_TOO, "api-entry-withdraw"),
]
TABLE: dict[str, dict[str, Row]] = {
    name: {method: row(route, method, who) for method, who in declared(route).items()} for name, route in ROUTES.items()
}
for methods, exception, names in EXCEPTIONS:
    for name in names.split():
        for method in methods.split():
            TABLE[name][method] = TABLE[name].get(method, {}) | exception


def may(role: str, name: str, method: str = "get") -> Any:
    """Return whether this user may use a route with this method."""
    return TABLE[name].get(method, {}).get(role) == ACCEPTED
