"""The cards of the floor page."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil
from typing import Any
from zoneinfo import ZoneInfo

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from core.messages import sentence
from core.public_ids import LENGTH
from engine.errors import Refused
from matches.presentation.labels import from_start
from tournaments.events.actions import event_url_args
from tournaments.floor.closing_time import ClosingTime, RunningView, closing_time, is_over
from tournaments.floor.derivation import awaited_elsewhere
from tournaments.floor.page.forecast import clock
from tournaments.floor.selectors import FloorView
from tournaments.floor.state import (
    AttentionKind,
    EnteredResult,
    FloorMatchState,
    MatchElsewhere,
    MatchFacts,
    MatchOnFloor,
    TableOnFloor,
    TableState,
)
from tournaments.models import Entry, Fixture, Table, Tournament
from tournaments.results.needs import Need

# Buttons of the floor that do something at once.


@dataclass(frozen=True, slots=True)
class Post:
    """A button that does something: where it posts, its label and its hidden fields."""

    url: str
    label: str
    fields: tuple[tuple[str, str], ...]
    key: str
    """Unique on the page, so that the button keeps the focus."""


def action_url(tournament: Tournament, action: str) -> str:
    return reverse("floor-action", args=[*event_url_args(tournament), action])


@dataclass(frozen=True, slots=True)
class CardLink:
    """A link to a page that asks before it does something."""

    url: str
    label: str


def gone_home(tournament: Tournament, names: Mapping[int, str]) -> dict[int, CardLink]:
    """Return player -> the link to their withdrawal from the event, for players by id with their names; one query."""
    if not names:
        return {}
    entries = Entry.objects.filter(division__tournament=tournament, status=Entry.Status.IN, player__in=names)
    query = "?scope=event&from=floor"
    return {
        player: CardLink(
            reverse("entry-withdraw", args=[*event_url_args(tournament), public_id]) + query,
            f"{_('Gone home?')} {names[player]}",
        )
        for player, public_id in entries.order_by("pk").values_list("player", "public_id")
    }


# The tables of a floor as cards of one anatomy, and the queue, ready to be shown.


MAX_QUEUED, MAX_WAITING = 8, 6
MINUTES_AN_HOUR = 60


@dataclass(frozen=True, slots=True)
class Discs:
    """The lives of a player as discs: which are left, and all in words."""

    left: Sequence[bool]
    text: str


def taken_by(match: MatchElsewhere) -> str:
    """Say which match of another event has a table."""
    return _("%(event)s: M%(number)s") % {"event": match.event, "number": match.number}


def discs_of(left: int, lives: int) -> Discs:
    """Return the discs of a player with so many lives left."""
    text = ngettext("%(count)d life left", "%(count)d lives left", left) % {"count": left}
    return Discs([at < left for at in range(lives)], text)


@dataclass(frozen=True, slots=True)
class CardPlayer:
    """A player on a card: the name, and the points or a word about them; where lives are counted, those as well."""

    name: str
    points: str = ""
    discs: Discs | None = None

    @property
    def text(self) -> str:
        text = f"{self.name} {self.points}".strip()
        return f"{text}, {self.discs.text}" if self.discs is not None else text


@dataclass(frozen=True, slots=True)
class ProposedCall:
    """Two who would be called to a free table: their names and lives, and how long they play."""

    sides: tuple[CardPlayer, CardPlayer]
    length: int


@dataclass(frozen=True, slots=True)
class FloorCard:
    """A table as a card: number, match, clock or state; two names with scores; a foot with round or reason."""

    html_id: str
    """The id of its element."""
    label: str
    url: str
    state: str
    """The CSS class of its state."""
    category: str
    match: str
    clock: str
    tag: str
    tag_css: str
    icon: str
    sides: tuple[CardPlayer, ...]
    note: str
    foot: str
    seconds: int | None = None
    """For how long nothing follows from the result that was just entered."""

    @property
    def name(self) -> str:
        """The card in words, for a screen reader."""
        table = _("Table %(table)s") % {"table": self.label}
        players = " – ".join(side.text for side in self.sides)
        parts = [table, self.tag or self.clock, self.match, players, self.note, self.foot]
        return ", ".join(part for part in parts if part)


class Cards:
    """Builds the cards of one event; `needs` are the needs that the console lists."""

    def __init__(self, view: FloorView, needs: Sequence[Need]) -> None:
        self.view = view
        self.zone = ZoneInfo(view.tournament.time_zone)
        self.needs: Mapping[int, Need] = {need.line.fixture.pk: need for need in needs}
        self.attention = {item.fixture: item.kind for item in view.state.attention}
        self.args = event_url_args(view.tournament)
        self._match_url = _url_before("floor-match", self.args)
        self._table_url = _url_before("floor-table", self.args)
        self.lives: Mapping[int, tuple[Discs, Discs]] = {}
        """Fixture id -> the lives of its players, in stages without rounds that count lives."""
        self.proposals: Mapping[int, ProposedCall] = {}
        """Table id -> who would be called there next, in stages without rounds."""
        self.several = len({match.facts.division_id for match in view.matches.values()}) > 1

    def all(self) -> list[FloorCard]:
        return [self._card(table) for table in self.view.tables.values()]

    def counts(self) -> str:
        """Return the numbers of tables by state, in words."""
        states = [table.match.state if table.match else table.state for table in self.view.tables.values()]
        playing = states.count(FloorMatchState.PLAYING)
        words: list[tuple[FloorMatchState | TableState, str]] = [
            (FloorMatchState.PLAYING, ngettext("%(count)d playing", "%(count)d playing", playing)),
            (FloorMatchState.CALLED, _("%(count)d called")),
            (FloorMatchState.REPORTED, _("%(count)d reported")),
            (TableState.FREE, _("%(count)d free")),
            (TableState.KEPT, _("%(count)d kept free")),
            (TableState.OUT, _("%(count)d out of use")),
            (TableState.ELSEWHERE, _("%(count)d taken by other events")),
        ]
        return " · ".join(text % {"count": states.count(state)} for state, text in words if state in states)

    def queue(self) -> list[MatchOnFloor]:
        """Return the matches whose players are free, without the one that is suggested first."""
        suggested = {row.fixture for row in self.view.state.suggestions[:1]}
        return [match for match in self.view.queue if match.fixture not in suggested]

    def queue_rows(self, matches: Iterable[MatchOnFloor]) -> list[dict[str, Any]]:
        """Return matches that wait, with the reasons, as the context of their rows."""
        return [
            {
                "number": match.number,
                "label": self.label_of(match),
                "names": (side_name(match.facts, 0), side_name(match.facts, 1)),
                "reason": " ".join(self.view.reasons(match)),
                "url": self.sheet_url(match),
            }
            for match in matches
        ]

    def label_of(self, match: MatchOnFloor) -> str:
        """Return the bracket and round of a match, with its division if the event has several."""
        facts = match.facts
        return f"{facts.division} · {facts.round_name}" if self.several else facts.round_name

    def sheet_url(self, match: MatchOnFloor) -> str:
        return f"{self._match_url}{match.facts.public_id}/"

    def _card(self, table: TableOnFloor) -> FloorCard:
        if table.match is not None:
            return self._with_match(table, table.match)
        note, foot, state = "", "", "is-free"
        word = pgettext("table", "Free")
        sides: tuple[CardPlayer, ...] = ()
        if table.state == TableState.OUT:
            state, word, note = "is-out", _("Out of use"), table.reason
        elif table.state == TableState.ELSEWHERE and table.elsewhere is not None:
            state, word, note = "is-elsewhere", pgettext("table", "Taken"), taken_by(table.elsewhere)
        elif table.state == TableState.KEPT:
            note = _("Kept for players who need it")
        elif table.suggested is not None:
            state = "is-next"
            note = _("Next: M%(number)s · %(round)s") % {
                "number": table.suggested.number,
                "round": self.label_of(table.suggested),
            }
            sides = tuple(CardPlayer(name) for name in table.suggested.facts.names)
        elif (proposal := self.proposals.get(table.facts.table)) is not None:
            state, sides = "is-next", proposal.sides
            points = _("%(length)s pt") % {"length": proposal.length}
            foot = _("Proposed · %(points)s") % {"points": points}
        return FloorCard(
            html_id=f"table-{table.facts.public_id}",
            label=table.facts.label,
            url=f"{self._table_url}{table.facts.public_id}/",
            state=state,
            category=_category(table),
            match="",
            clock="",
            tag=word,
            tag_css="",
            icon="",
            sides=sides,
            note=note,
            foot=foot,
        )

    def _with_match(self, table: TableOnFloor, match: MatchOnFloor) -> FloorCard:
        facts = match.facts
        points = from_start(_("%(length)s pt") % {"length": facts.length}, facts.start)
        clocks = _("Clocks: %(minutes)s minutes each") % {"minutes": facts.clocks} if facts.clocks else ""
        card = FloorCard(
            html_id=f"table-{table.facts.public_id}",
            label=table.facts.label,
            url=self.sheet_url(match),
            state="is-playing",
            category=_category(table),
            match=f"M{match.number}",
            clock=_played(match) if match.state == FloorMatchState.PLAYING else "",
            tag="",
            tag_css="",
            icon="",
            sides=(self._side(match, 0), self._side(match, 1)),
            note=self._awaited(match),
            foot=clocks or self._last_life(match) or f"{self.label_of(match)} · {points}",
        )
        return self._marked(card, match)

    def _awaited(self, match: MatchOnFloor) -> str:
        """Say in which other division or event a match waits for somebody of this one; empty if none does."""
        facts = match.facts
        text = _("%(name)s: also in %(event)s, M%(number)s")
        pairs = zip(facts.names, facts.players, strict=True)
        rows = [(name, awaited_elsewhere(self.view.facts, player, self.view.now)) for name, player in pairs]
        elsewhere = [text % {"name": name, "event": row.event, "number": row.number} for name, row in rows if row]
        return " · ".join([*self.view.also_wanted(match), *elsewhere])

    def _side(self, match: MatchOnFloor, side: int) -> CardPlayer:
        name, score = match.facts.names[side], match.where.score
        discs = self.lives[match.fixture][side] if match.fixture in self.lives else None
        late = next((row for row in match.lateness if row.player == match.facts.players[side]), None)
        if late is not None and match.state == FloorMatchState.CALLED:
            return CardPlayer(name, _("%(minutes)d min late") % {"minutes": late.minutes}, discs)
        if score is not None:
            return CardPlayer(name, str(score[side]), discs)
        return CardPlayer(name, "–" if match.state == FloorMatchState.PLAYING else "", discs)

    def _last_life(self, match: MatchOnFloor) -> str:
        """Say who of a match plays for the last life; empty if nobody does."""
        lives = self.lives.get(match.fixture, ())
        last = [name for name, discs in zip(match.facts.names, lives, strict=False) if sum(discs.left) == 1]
        if len(last) == 2:
            return _("Both play for their last life")
        return _("%(name)s plays for the last life") % {"name": last[0]} if last else ""

    def _marked(self, card: FloorCard, match: MatchOnFloor) -> FloorCard:
        """Return a card with what is special about its match: a tag instead of the clock, and another foot."""
        need = self.needs.get(match.fixture)
        kind = self.attention.get(match.fixture)
        if need is not None and need.kind in ("dispute", "refused"):
            foot = " ".join(need.report_texts[:1]) or card.foot
            return replace(
                card, state="is-dispute", clock="", tag=need.label, tag_css="tag-danger", icon="flag", foot=foot
            )
        if match.facts.entered is not None:
            return self._just_entered(card, match.facts, match.facts.entered)
        if match.state == FloorMatchState.REPORTED:
            stands_at = need.accepted_at if need is not None else None
            foot = _("Stands at %(time)s") % {"time": clock(stands_at, self.zone)} if stands_at else _("Unconfirmed")
            return replace(
                card, state="is-reported", clock="", tag=_("Reported"), tag_css="tag-win", icon="check", foot=foot
            )
        if match.state == FloorMatchState.CALLED:
            return self._called(card, match, kind)
        if kind == AttentionKind.SLOW and match.slow_at is not None:
            over = max(1, int((self.view.now - match.slow_at).total_seconds() // 60))
            foot = _("Slow: %(minutes)d min over") % {"minutes": over}
            tag = _played(match)
            return replace(card, state="is-slow", clock="", tag=tag, tag_css="tag-warning", icon="clock", foot=foot)
        return card

    def _just_entered(self, card: FloorCard, facts: MatchFacts, entered: EnteredResult) -> FloorCard:
        seconds = max(0, ceil((entered.settle_at - self.view.now).total_seconds()))
        points = entered.score or ("", "")
        sides = tuple(replace(side, points=str(points[at])) for at, side in enumerate(card.sides))
        foot = _("Nobody wins.")
        if entered.winner is not None:
            score = f"{points[entered.winner]}–{points[1 - entered.winner]}" if entered.score else ""
            foot = _("{name} wins {score}").format(name=facts.names[entered.winner], score=score)
        tag = _("%(seconds)d s") % {"seconds": seconds}
        return replace(
            card,
            state="is-reported",
            clock="",
            tag=tag,
            tag_css="tag-win",
            icon="check",
            sides=sides,
            foot=foot.strip(),
            seconds=seconds,
        )

    def _called(self, card: FloorCard, match: MatchOnFloor, kind: AttentionKind | None) -> FloorCard:
        called_at, no_show_at = match.called_at, match.no_show_at
        since = int((self.view.now - called_at).total_seconds() // 60) if called_at is not None else 0
        tag = _("%(minutes)d min") % {"minutes": since} if kind is not None else _("Called")
        times = {"called": clock(called_at, self.zone) if called_at else "", "until": ""}
        foot = _("Called %(called)s") % times
        if no_show_at is not None:
            foot = _("Called %(called)s · no-show %(until)s") % {**times, "until": clock(no_show_at, self.zone)}
        css, icon = ("tag-warning", "away") if kind is not None else ("tag-call", "")
        return replace(card, state="is-called", tag=tag, tag_css=css, icon=icon, foot=foot)


def _url_before(route: str, args: Sequence[str]) -> str:
    """Return the URL of a route up to its final public id, so that it is not reversed for each card."""
    placeholder = "x" * LENGTH
    return reverse(route, args=[*args, placeholder]).removesuffix(f"{placeholder}/")


def side_name(match: MatchFacts, side: int) -> CardPlayer:
    """Return a player of a match that waits; where they come from if they are still to be decided."""
    if match.names[side]:
        return CardPlayer(match.names[side])
    source = match.source(side)
    if source is not None and source.number is not None and source.kind in ("winner", "loser"):
        text = _("Winner of M%(number)s") if source.kind == "winner" else _("Loser of M%(number)s")
        return CardPlayer("", text % {"number": source.number})
    return CardPlayer("", _("To be decided"))


def _played(match: MatchOnFloor) -> str:
    """Return how long a match has been played, as hours and minutes."""
    hours, minutes = divmod(int(match.minutes), MINUTES_AN_HOUR)
    return f"{hours}:{minutes:02d}"


def _category(table: TableOnFloor) -> str:
    category = table.facts.category
    return "" if category == Table.Category.NORMAL else str(Table.Category(category.value).label)


# What the floor proposes at closing time for the matches that still run.


ClosingRule = Tournament.ClosingRule


def closing_need(view: FloorView, cards: Cards) -> dict[str, Any] | None:
    """Return what is left once the end of the event has come or matches were adjourned, and what its rule proposes.

    None before, or once somebody has let the evening go on and no match runs, or nothing is left.
    """
    if not is_over(view.tournament, view.now) and view.facts.stopped is None:
        return None
    closing = closing_time(view)
    is_asked = closing.has_stopped or (closing.is_undecided and any(closing.left))
    if not closing.running and not is_asked:
        return None
    return {
        "heading": _heading(view, closing),
        "has_stopped": closing.has_stopped,
        "text": _text(closing) if closing.running and closing.is_over else "",
        "lines": [
            {
                "number": row.match.number,
                "names": " – ".join(row.match.facts.names),
                "score": "–".join(map(str, row.score)) if row in closing.running else "",
                "url": cards.sheet_url(row.match),
                "note": _note(row.match) if row in closing.running else _("Called"),
            }
            for row in (*closing.running, *closing.called)
        ],
        "posts": _posts(view.tournament, closing),
    }


def _heading(view: FloorView, closing: ClosingTime) -> str:
    ends_at, left = view.tournament.ends_at, closing.left.text
    if ends_at is None or not closing.is_over:
        return _("Matches were adjourned: %(left)s") % {"left": left}
    return _("%(time)s is over: %(left)s") % {"time": clock(ends_at, view.zone), "left": left}


def _note(match: MatchOnFloor) -> str:
    """Return which shorter length is on offer, or that the match was shortened; empty otherwise."""
    offer, shortened = match.offer, match.shortened
    if offer is not None:
        return _("Proposed · %(points)s") % {"points": _("%(length)s pt") % {"length": offer.length}}
    if shortened is not None:
        return _("to %(length)d points") % {"length": match.facts.length}
    return ""


def refusal_of(fixture: Fixture, refused: Refused) -> str:
    """Return why a match was refused, with its number."""
    text = sentence(refused.code, refused.params)
    return text if "fixture" in refused.params else f"M{fixture.number}: {text}"


def _text(closing: ClosingTime) -> str:
    match closing.rule:
        case ClosingRule.ADJOURN:
            return _("This event adjourns them: their scores are kept, and their tables are free.")
        case ClosingRule.LEADER:
            text = _("At this event the leader wins. Not rated.")
            if any(row.is_level for row in closing.running):
                text += " " + _("If the score is level, open the match and decide.")
            return text
        case ClosingRule.SHORTEN:
            if not closing.points_left:
                return _("None of them can be shortened. Open each and decide.")
            return _("This event shortens them. Tap once all players have agreed; otherwise open a match.")
        case _:
            return _("At this event a director decides each of them. Open it for the choices.")


def _posts(tournament: Tournament, closing: ClosingTime) -> list[Post]:
    """Return the buttons: to go on, to adjourn whatever the rule is, and what the rule says once the end has come."""
    posts, seated = [], (*closing.running, *closing.called)
    if closing.is_undecided:
        mode = (("mode", closing.mode.value),)
        posts.append(Post(action_url(tournament, "autopilot"), _("Go on"), mode, "closing-go-on"))
    if closing.is_undecided and seated and closing.rule != ClosingRule.ADJOURN:
        posts.append(_post(tournament, seated, ClosingRule.ADJOURN, _("Adjourn")))
    return [*posts, *_posts_of_rule(tournament, closing)] if closing.is_over and seated else posts


def _posts_of_rule(tournament: Tournament, closing: ClosingTime) -> list[Post]:
    match closing.rule:
        case ClosingRule.ADJOURN:
            seated = (*closing.running, *closing.called)
            label = ngettext("Adjourn it", "Adjourn all %(count)d", len(seated)) % {"count": len(seated)}
            return [_post(tournament, seated, "adjourn", label)]
        case ClosingRule.LEADER:
            ahead = [row for row in closing.running if not row.is_level]
            label = ngettext("The leader wins", "The leaders win %(count)d matches", len(ahead)) % {"count": len(ahead)}
            return [_post(tournament, ahead, "leader", label)] if ahead else []
        case ClosingRule.SHORTEN:
            running = closing.running
            return [_post(tournament, running, "shorten", _shorter(points), points) for points in closing.points_left]
        case _:
            return []


def _shorter(points: int) -> str:
    text = ngettext("Leader needs %(points)d more point", "Leader needs %(points)d more points", points)
    return text % {"points": points}


def _post(tournament: Tournament, running: Sequence[RunningView], rule: str, label: str, points: int = 0) -> Post:
    matches = " ".join(f"{row.match.facts.public_id}:{row.score[0]}:{row.score[1]}" for row in running)
    fields = [("rule", rule), ("running", matches)]
    if points:
        fields.append(("points", str(points)))
    url = reverse("floor-close", args=event_url_args(tournament))
    return Post(url, label, tuple(fields), f"closing-{rule}-{points}")
