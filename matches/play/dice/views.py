"""The dice of a match played here: the page that checks them, and their file."""

import json
from http import HTTPStatus
from typing import Any, NamedTuple
from urllib.parse import urlencode

from django.core.serializers.json import DjangoJSONEncoder
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from core.requests import is_htmx, parse_int
from matches.lifecycle import links
from matches.lifecycle.events import events
from matches.models import LiveMatch
from matches.play.dice.page import ShownRoll, shown_chains, shown_rolls
from matches.play.dice_export import dice_of
from matches.play.topics import topic_of
from matches.play.watching.access import watched_by_request
from matches.play.watching.delay import Watched
from matches.records.downloads import File, as_attachment


class DiceRequest(NamedTuple):
    """A match played here as its reader sees it, with the URLs by which they got there."""

    live: LiveMatch
    reader: Watched
    match_url: str
    here: str
    file_url: str
    ticket: str
    """Of a personal link, for the event stream; empty for others."""

    @property
    def topics(self) -> str:
        """The topic by which the page is refreshed, with the number that it shows."""
        number = self.reader.last if self.reader.is_behind else self.live.match.seq
        return f"{topic_of(self.reader)}={number}"


def _authorised(request: HttpRequest, public_id: str, token: str) -> DiceRequest:
    """Return the match of a page or a link. Raise Http404 if the reader may not see it or it is not played here."""
    reader, seat = watched_by_request(request, public_id, token)
    pages = ("match-link", "link-dice", "link-dice-file") if token else ("match", "match-dice", "match-dice-file")
    match_url, here, file_url = (reverse(page, args=[token or public_id]) for page in pages)
    ticket = links.stream_ticket(seat.match, seat.side) if seat is not None else ""
    return DiceRequest(reader.live, reader, match_url, here, file_url, ticket)


@never_cache
@require_safe
def dice(request: HttpRequest, public_id: str = "", token: str = "") -> HttpResponse:
    """Explain every roll; the page's script checks them. An open page asks for new rolls when the match changes."""
    about = _authorised(request, public_id, token)
    match = about.live.match
    export = dice_of(about.live, about.reader)
    total = len(export["rolls"])
    if is_htmx(request) and not match.is_over and request.GET.get("rolls") == str(total):
        return HttpResponse(status=HTTPStatus.NO_CONTENT)
    names = list(match.names)
    rolls = shown_rolls(export, names)
    context = {
        "match": match,
        "is_behind": about.reader.is_behind,
        "delay": about.live.spectators_delay,
        "context": events().contexts([match.parent_topic]).get(match.parent_topic),
        "match_url": about.match_url,
        "file_url": about.file_url,
        "replay_url": reverse("link-replay" if token else "match-replay", args=[token or public_id]),
        "file_name": _file_name(about.live),
        "topics": about.topics,
        "ticket": about.ticket,
        "export": export,
        "total": total,
        "names": names,
        "chains": shown_chains(export, names),
        "weak": [roll.number for roll in rolls if roll.weak],
        **_choice(request, about.here, rolls, total),
    }
    template = "matches/play/_dice.html" if is_htmx(request) else "matches/play/dice.html"
    return render(request, template, context)


def _choice(request: HttpRequest, here: str, rolls: list[ShownRoll], total: int) -> dict[str, Any]:
    """The rolls to show: of a game, of the last one unless another is chosen, or all weak ones."""
    games = sorted({roll.game for roll in rolls})
    last = games[-1] if games else 0
    chosen = parse_int(request.GET.get("game"))
    only_weak = "weak" in request.GET
    # The last game is not named: a page that shows it goes on with the next one.
    query: dict[str, int] = {"weak": 1} if only_weak else {"game": chosen} if chosen in games else {}
    game = None if only_weak else query.get("game", last)
    return {
        "here": here,
        "games": games,
        "game": game,
        "only_weak": only_weak,
        "rolls": [roll for roll in rolls if (roll.weak if only_weak else roll.game == game)],
        "poll_url": f"{here}?{urlencode(query | {'rolls': total})}",
    }


@never_cache
@require_safe
def dice_file(request: HttpRequest, public_id: str = "", token: str = "") -> HttpResponse:
    """Download the rolls with their proof, for tools/verify_dice.py."""
    about = _authorised(request, public_id, token)
    data = json.dumps(dice_of(about.live, about.reader), cls=DjangoJSONEncoder, indent=1).encode()
    return as_attachment(File(_file_name(about.live), "application/json", data))


def _file_name(live: LiveMatch) -> str:
    return f"dice-{live.match.public_id}.json"
