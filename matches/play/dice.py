"""The dice of a match played here: their file, and the page that checks every roll."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, NamedTuple
from urllib.parse import urlencode

from django.core.serializers.json import DjangoJSONEncoder
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache

from core.access import Who, open_to
from core.requests import is_htmx, parse_int
from engine.actions import Act
from matches.lifecycle import links
from matches.lifecycle.events import events
from matches.models import DiceChain, LiveMatch
from matches.play.chains import Arming, armings_of
from matches.play.live import EventKind
from matches.play.topics import topic_of
from matches.play.watching import Watched, watched_by_request
from matches.records.downloads import File, as_attachment

# The dice of a match played here in the format of docs/dice.md, for `verify/verify_dice.py` and the dice page.


FORMAT = "barpoint-dice/2"
_OF_DICE = (Act.ROLL, Act.PLAY, EventKind.TAKE_BACK)


def dice_of(live: LiveMatch, reader: Watched | None = None) -> dict[str, Any]:
    """Chains, links and rolls of a match so far, or as far as its reader may see it.

    Only what is published anyway: no link ahead of its roll.
    """
    actions, chains = live.actions.filter(kind__in=_OF_DICE), live.chains.all()
    is_behind = reader is not None and reader.is_behind
    if reader is not None and is_behind:
        actions, chains = actions.filter(seq__lte=reader.last), chains.filter(committed_at__lte=reader.at)
    # Before the chains, so that no roll is listed without its chain.
    rolls = _rolls(actions.order_by("seq").values_list("seq", "kind", "side", "data"))
    committed = list(chains.order_by("committed_at", "pk"))
    live.refresh_from_db(fields=["armings"])
    armings = armings_of(live)
    if is_behind:
        links = [link for roll in rolls for link in [*roll["links"], *filter(None, [roll.get("play_link")])]]
        used = {owner: sum(link["owner"] == owner for link in links) for owner in ("0", "1")}
        armings = list(armings_up_to(armings, {(chain.owner, chain.number) for chain in committed}, used))
    return {
        "format": FORMAT,
        "match": live.match.public_id,
        "chains": [_chain(chain) for chain in committed],
        "armings": [arming.data for arming in armings],
        "rolls": rolls,
    }


def armings_up_to(
    armings: Iterable[Arming], chains: set[tuple[str, int]], reveals: Mapping[str, int]
) -> Iterator[Arming]:
    """Yield the armings known to a reader who sees these chains and so many links of each side."""
    for arming in armings:
        if (arming.owner, arming.chain) not in chains or arming.own_reveals > reveals.get(arming.owner, 0):
            return
        yield arming


def _rolls(actions: Iterable[tuple[int, str, int | None, dict[str, Any]]]) -> list[dict[str, Any]]:
    """The rolls, each with the link that was revealed with its play, and whether it was not played or taken back."""
    rolls: list[dict[str, Any]] = []
    standing: list[tuple[int, dict[str, Any]]] = []
    played_at = 0
    for seq, kind, side, data in actions:
        if kind == Act.ROLL:
            rolls.append({"side": side} | data | {"unplayed": True})
            standing.append((seq, rolls[-1]))
        elif kind == EventKind.TAKE_BACK:
            while standing and standing[-1][0] > data["to"]:
                standing.pop()[1]["taken_back"] = True
            if played_at > data["to"] and standing:
                standing[-1][1]["unplayed"] = True
        elif standing:
            played_at = seq
            standing[-1][1].pop("unplayed", None)
            if "link" in data:
                standing[-1][1]["play_link"] = data["link"]
    return rolls


def _chain(chain: DiceChain) -> dict[str, Any]:
    data: dict[str, Any] = {"owner": chain.owner, "number": chain.number, "anchor": chain.anchor}
    if chain.owner != DiceChain.Owner.SERVER:
        data |= {"opponent_reveals": chain.opponent_reveals, "kept_by_server": chain.kept_by_server}
    return data


# Context of the dice page, made from the export alone, so that it shows no roll that the export leaves out.


SHOWN_DIGITS = 8
"""Of a link in the table; the opened row has all of them."""
Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class ShownChainLink:
    chain: int
    number: int
    link: str

    @property
    def short(self) -> str:
        return f"{self.link[:SHOWN_DIGITS]}…"

    @property
    def begins_chain(self) -> bool:
        """Whether it is the first of a chain that replaced another."""
        return self.chain > 1 and self.number == 1


@dataclass(frozen=True, slots=True)
class ShownRoll:
    """A roll and the three links it follows from."""

    number: int
    game: int
    side: int | None
    """None in an opening."""
    roller: str
    """The name of the player who rolled; of both in an opening."""
    dice: tuple[dict[str, Any], dict[str, Any]]
    server: ShownChainLink
    first: ShownChainLink
    """The roller's new link, or side 0's in an opening."""
    second: ShownChainLink
    """The opponent's latest link, or side 1's new one in an opening."""
    weak: bool
    weak_by: tuple[tuple[str, bool], ...] = ()
    """Whose doing that was, and whether with a link of their own; nobody in matches of older releases."""

    @property
    def begins_chain(self) -> bool:
        """Whether it takes the first link of a chain that replaced another."""
        return self.first.begins_chain or (self.side is None and self.second.begins_chain)


def shown_chains(export: Json, names: Sequence[str]) -> list[dict[str, Any]]:
    """All chains in the order of their commitments."""
    return [
        {
            "owner": gettext("Server") if chain["owner"] == DiceChain.Owner.SERVER else names[int(chain["owner"])],
            "number": chain["number"],
            "anchor": chain["anchor"],
            "kept_by_server": chain.get("kept_by_server", False),
        }
        for chain in export["chains"]
    ]


def shown_rolls(export: Json, names: Sequence[str]) -> Iterator[ShownRoll]:
    """All rolls; an opening roll begins each game."""
    game = 0
    latest: dict[int, ShownChainLink] = {}
    for roll in export["rolls"]:
        side = roll["side"]
        game += side is None and not roll.get("taken_back")
        latest |= {int(link["owner"]): _link(link) for link in roll["links"]}
        roller, other = (0, 1) if side is None else (side, 1 - side)
        left, right = roll["dice"]
        yield ShownRoll(
            number=roll["number"],
            game=game,
            side=side,
            roller=gettext("Both") if side is None else names[side],
            dice=({"value": left, "side": roller}, {"value": right, "side": other if side is None else roller}),
            server=_link(roll["server"]),
            first=latest[roller],
            second=latest[other],
            weak=roll["weak"],
            weak_by=tuple((names[int(by)], by == owner) for owner, by in roll.get("weak_by", {}).items()),
        )


def weak_doings(rolls: Iterable[ShownRoll]) -> list[dict[str, Any]]:
    """The numbers of the weak rolls, by whose doing it was that they are weak."""
    numbers: dict[tuple[str, bool], list[int]] = {}
    for roll in rolls:
        for doing in roll.weak_by or ((("", False),) if roll.weak else ()):
            numbers.setdefault(doing, []).append(roll.number)
    return [
        {"name": name, "is_own": is_own, "count": len(of), "rolls": ", ".join(map(str, of))}
        for (name, is_own), of in numbers.items()
    ]


def _link(link: Json) -> ShownChainLink:
    return ShownChainLink(link["chain"], link["number"], link["link"])


# The dice of a match played here: the page that checks them, and their file.


class DiceRequest(NamedTuple):
    """A match played here as its reader sees it, with the URLs for their link or account."""

    live: LiveMatch
    reader: Watched
    match_url: str
    here: str
    file_url: str
    ticket: str
    """Of a personal link, for the event stream; empty for others."""

    @property
    def topics(self) -> str:
        """The topic that refreshes the page, with the number that the page shows."""
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
@open_to(get=Who.EVERYBODY)
def dice(request: HttpRequest, public_id: str = "", token: str = "") -> HttpResponse:
    """Explain every roll; the page's script checks them. An open page asks for new rolls when the match changes."""
    about = _authorised(request, public_id, token)
    match = about.live.match
    export = dice_of(about.live, about.reader)
    total = len(export["rolls"])
    if is_htmx(request) and not match.is_over and request.GET.get("rolls") == str(total):
        return HttpResponse(status=HTTPStatus.NO_CONTENT)
    names = list(match.names)
    rolls = list(shown_rolls(export, names))
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
        "doings": weak_doings(rolls),
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
@open_to(get=Who.EVERYBODY)
def dice_file(request: HttpRequest, public_id: str = "", token: str = "") -> HttpResponse:
    """Download the rolls with their proof, for verify/verify_dice.py."""
    about = _authorised(request, public_id, token)
    data = json.dumps(dice_of(about.live, about.reader), cls=DjangoJSONEncoder, indent=1).encode()
    return as_attachment(File(_file_name(about.live), "application/json", data))


def _file_name(live: LiveMatch) -> str:
    return f"dice-{live.match.public_id}.json"
