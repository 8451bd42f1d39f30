"""The page to play and to watch a match."""

from datetime import timedelta
from hashlib import sha256
from typing import Any, NamedTuple

from django.core.signing import BadSignature, TimestampSigner
from django.http import HttpRequest, HttpResponse
from django.middleware.csrf import get_token
from django.shortcuts import redirect, render
from django.templatetags.static import static
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache

from core.access import Who, open_to
from engine.cube import Side
from matches import access
from matches.access import MatchSeat, action_url, match_url, may_direct
from matches.lifecycle.events import events
from matches.models import Challenge, Match
from matches.play.bots import description, program_name
from matches.play.live import PAUSES
from matches.play.preferences import preferences_json
from matches.play.watching import watched_match
from matches.presentation import labels
from players.models import User

# Page tickets: for five minutes they prove which side of a match a page belongs to.
#
# An open page pings every few seconds. With a ticket, its account or personal link is not read from the database for
# each ping. A ticket allows nothing but pings. A page whose user has signed out, or whose link was revoked, may be
# shown as open until its ticket expires.


LASTS = timedelta(minutes=5)
"""As long as an event stream at most, after which its reader is authorised again."""
_signer = TimestampSigner(salt="matches.page_tickets")


class Page(NamedTuple):
    match_id: int
    side: Side


def page_ticket(public_id: str, page: Page) -> str:
    return _signer.sign(f"{public_id}.{page.match_id}.{page.side}")


def page_of(ticket: str, public_id: str) -> Page | None:
    """Return what a ticket is for; None if it is empty, forged, too old or of another match."""
    try:
        named, match_id, side = _signer.unsign(ticket, max_age=LASTS).split(".")
    except BadSignature:
        return None
    return Page(int(match_id), int(side)) if named == public_id else None


# Seat tickets: for five minutes they prove that a session is of the player who has a seat in a match.
#
# `matches.play.fast_path` asks the database whether all of it still holds. A ticket is worth nothing without the cookie
# of its session; as no other site can know it, it stands for the CSRF token.


class Seat(NamedTuple):
    match_id: int
    side: Side
    user_id: int
    password_mark: str
    """Changes with the password of the account, which ends its sessions."""


def seat_ticket(public_id: str, match_id: int, side: Side, user: User, session_key: str) -> str:
    """Return a ticket for a side of this match and one session of its player."""
    text = f"{public_id}.{match_id}.{side}.{user.pk}.{password_mark(user.password)}"
    return TimestampSigner(salt=_seat_salt(session_key)).sign(text)


def seat_of_ticket(ticket: str, public_id: str, session_key: str) -> Seat | None:
    """Return what a ticket is for; None if it is forged, too old, of another match or of another session."""
    try:
        text = TimestampSigner(salt=_seat_salt(session_key)).unsign(ticket, max_age=LASTS)
    except BadSignature:
        return None
    named, match_id, side, user_id, mark = text.split(".")
    return Seat(int(match_id), 0 if side == "0" else 1, int(user_id), mark) if named == public_id else None


def password_mark(password: str) -> str:
    """Return a short digest of the hash of a password."""
    return sha256(password.encode()).hexdigest()[:16]


def _seat_salt(session_key: str) -> str:
    return f"matches.seat_tickets.{session_key}"


# Context of the page on which a match is played or watched.


THEMES = ("slate", "felt")
"""Looks of the board beside the first, whose style sheets are loaded where they are chosen."""
MODULES = (
    *(f"board/{name}" for name in ("board", "dice", "geometry", "surface", "walk")),
    *(f"play/{name}" for name in ("store", "view", "panels", "clocks", "moves", "alerts")),
    *(f"play/{name}" for name in ("presence", "fill", "kept")),
    *(f"dice/{name}" for name in ("chain", "sha256", "storage", "verify")),
)
"""Modules that the page imports, to be loaded at once rather than one after the other."""


def page_context(request: HttpRequest, match: Match, seat: MatchSeat | None) -> dict[str, Any]:
    """Return the context for a match that is played here; `seat` is None for viewers."""
    side = seat.side if seat is not None else None
    near = side or 0
    return {
        "match": match,
        "seat": seat,
        "back": match_url(seat) if seat is not None else reverse("match", args=[match.public_id]),
        "back_label": gettext("Back to the match"),
        "context": events().contexts([match.parent_topic]).get(match.parent_topic),
        "place": events().places([match.pk]).get(match.pk, ""),
        "practice": description(match.live),
        "practises": match.live.bot_side is not None and side is not None,
        "program": program_name(match.live),
        "level": match.live.get_bot_level_display(),
        "length": labels.from_start(labels.length(match.length), match.start_score),
        "names": list(match.names),
        "seats": [("far", match.names[1 - near]), ("near", match.names[near])],
        "dice_url": action_url(seat, "dice") if seat is not None else reverse("match-dice", args=[match.public_id]),
        "replay_url": replay_url(match, seat),
        "may_direct": side is None and may_direct(request.user, match),
        "modules": [f"matches/{name}.js" for name in MODULES],
        "settings": _settings(request, match, seat),
        "is_invitation": match.live.invited_at is not None and match.live.begun_at is None,
        "withdraw_url": _withdraw_url(match, seat),
    }


def _withdraw_url(match: Match, seat: MatchSeat | None) -> str:
    """Where the challenger of a friendly takes the challenge back while they wait; empty for everybody else."""
    if seat is None or seat.side != 0 or seat.token or match.live.lapses_at is None:
        return ""
    challenge = Challenge.objects.filter(match=match).first()
    return reverse("withdraw-challenge", args=[challenge.public_id]) if challenge is not None else ""


def replay_url(match: Match, seat: MatchSeat | None) -> str:
    return action_url(seat, "replay") if seat is not None else reverse("match-replay", args=[match.public_id])


def _settings(request: HttpRequest, match: Match, seat: MatchSeat | None) -> dict[str, Any]:
    """What the page's scripts need to know from the start."""
    api = reverse("api-live", args=[match.public_id])
    return {
        "match": match.public_id,
        "side": seat.side if seat is not None else None,
        "link": seat.token if seat is not None else "",
        "csrf": get_token(request),
        "api": api,
        "names": list(match.names),
        "length": match.length,
        **({"practises": True} if match.live.bot_side is not None and seat is not None else {}),
        "pauses": PAUSES,
        "preferences": preferences_json(request.user),
        "preferencesUrl": reverse("api-play-preferences") if request.user.is_authenticated else "",
        "themes": {name: static(f"matches/board/themes/{name}.css") for name in THEMES},
        "moments": static("matches/play/moments.css"),
        "endStyle": static("matches/board.css"),
        "end": action_url(seat, "end") if seat is not None else "",
        "turnIcon": static("matches/play/turn.svg"),
    }


# Views of the page on which a match is played or watched.


TEMPLATE = "matches/play/play.html"


@never_cache
@open_to(get=Who.EVERYBODY)
def play(request: HttpRequest, public_id: str) -> HttpResponse:
    """The board of a match, for its players and for whoever may watch."""
    match, seat = access.match_and_seat(request.user, public_id)
    return _page(request, match, seat)


@never_cache
@open_to(get=Who.EVERYBODY)
def play_by_link(request: HttpRequest, token: str) -> HttpResponse:
    """The board of a match for the holder of one of its links."""
    seat = access.match_for_link(token)
    return _page(request, seat.match, seat)


def _page(request: HttpRequest, match: Match, seat: MatchSeat | None) -> HttpResponse:
    """The page. Raise Http404 where the match is not played here.

    Of a match that is over, players see how it ended, and everybody else its replay.
    """
    state = watched_match(match, seat, request.user).state.match
    has_end = seat is not None and seat.side is not None and state.winner is not None
    if state.is_over and not has_end:
        return redirect(replay_url(match, seat))
    return render(request, TEMPLATE, page_context(request, match, seat))
