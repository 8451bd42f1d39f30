"""The cards of the floor page."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from zoneinfo import ZoneInfo

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from core.messages import sentence
from core.public_ids import LENGTH
from engine.errors import Refused
from tournaments.events.pages import event_url_args
from tournaments.floor.closing_time import ClosingTime, RunningView, closing_time, is_over
from tournaments.floor.page.forecast import clock
from tournaments.floor.selectors import FloorView, MatchView, PlayerOnFloor, TableView
from tournaments.floor.state import AttentionKind, MatchState, TableState
from tournaments.models import Fixture, Table, Tournament
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
    """Return the URL of an action on the floor of an event."""
    return reverse("floor-action", args=[*event_url_args(tournament), action])


# The tables of a floor as cards of one anatomy, and the queue, ready to be shown.


MOST_QUEUED, MOST_WAITING = 8, 6
MINUTES_AN_HOUR = 60


@dataclass(frozen=True, slots=True)
class CardSide:
    """A player on a card: the name, and the points or a word about them."""

    name: str
    points: str = ""
    is_winner: bool = False


@dataclass(frozen=True, slots=True)
class Card:
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
    sides: tuple[CardSide, ...]
    note: str
    foot: str
    name: str
    """The card in words, for a screen reader."""


@dataclass(frozen=True, slots=True)
class QueueRow:
    """A match that waits, with the reasons."""

    match: MatchView
    label: str
    names: tuple[CardSide, CardSide]
    reason: str
    url: str


@dataclass(frozen=True, slots=True)
class CardMark:
    """What is special about a match at a table: a word with its CSS class and icon, and a foot instead of the round."""

    state: str
    word: str = ""
    css: str = ""
    icon: str = ""
    foot: str = ""


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
        self.several = len({match.division_id for match in view.matches.values()}) > 1

    def all(self) -> list[Card]:
        """Return the cards of all tables."""
        return [self._card(table) for table in self.view.tables.values()]

    def counts(self) -> str:
        """Return the numbers of tables by state, in words."""
        states = [table.match.state if table.match else table.row.state for table in self.view.tables.values()]
        words: list[tuple[MatchState | TableState, str]] = [
            (MatchState.PLAYING, _("%(count)d playing")),
            (MatchState.CALLED, _("%(count)d called")),
            (MatchState.REPORTED, _("%(count)d reported")),
            (TableState.FREE, _("%(count)d free")),
            (TableState.KEPT, _("%(count)d kept free")),
            (TableState.OUT, _("%(count)d out of use")),
        ]
        return " · ".join(text % {"count": states.count(state)} for state, text in words if state in states)

    def queue(self) -> list[MatchView]:
        """Return the matches whose players are free, without the one that is suggested first."""
        suggested = {row.fixture for row in self.view.state.suggestions[:1]}
        return [match for match in self.view.queue if match.row.fixture not in suggested]

    def queue_rows(self, matches: Iterable[MatchView]) -> list[QueueRow]:
        """Return matches that wait as rows."""
        return [self._queue_row(match) for match in matches]

    def label_of(self, match: MatchView) -> str:
        """Return the bracket and round of a match, with its division if the event has several."""
        return f"{match.division} · {match.round}" if self.several else match.round

    def sheet_url(self, match: MatchView) -> str:
        return f"{self._match_url}{match.public_id}/"

    def _queue_row(self, match: MatchView) -> QueueRow:
        names = (side_name(match.sides[0]), side_name(match.sides[1]))
        reason = " ".join(match.reasons)
        return QueueRow(match, self.label_of(match), names, reason, self.sheet_url(match))

    def _card(self, table: TableView) -> Card:
        if table.match is not None:
            return self._with_match(table, table.match)
        row = table.row
        note, state = "", "is-free"
        word = _("Free")
        sides: tuple[CardSide, ...] = ()
        if row.state == TableState.OUT:
            state, word, note = "is-out", _("Out of use"), row.reason
        elif row.state == TableState.KEPT:
            note = _("Kept for players who need it")
        elif table.suggested is not None:
            state = "is-next"
            note = _("Next: M%(number)s · %(round)s") % {
                "number": table.suggested.number,
                "round": self.label_of(table.suggested),
            }
            sides = tuple(CardSide(side.name) for side in table.suggested.sides)
        return Card(
            html_id=f"table-{table.public_id}",
            label=row.label,
            url=f"{self._table_url}{table.public_id}/",
            state=state,
            category=_category(table),
            match="",
            clock="",
            tag=word,
            tag_css="",
            icon="",
            sides=sides,
            note=note,
            foot="",
            name=_in_words(row.label, word, "", sides, note),
        )

    def _with_match(self, table: TableView, match: MatchView) -> Card:
        mark = self._mark(match)
        sides = tuple(self._side(match, side) for side in match.sides)
        points = ngettext("%(count)d pt", "%(count)d pt", match.length) % {"count": match.length}
        clocks = _("Clocks: %(minutes)d min each") % {"minutes": match.row.clocks} if match.row.clocks else ""
        foot = mark.foot or clocks or f"{self.label_of(match)} · {points}"
        number = f"M{match.number}"
        played = _played(match) if match.state == MatchState.PLAYING else ""
        return Card(
            html_id=f"table-{table.public_id}",
            label=table.row.label,
            url=self.sheet_url(match),
            state=mark.state,
            category=_category(table),
            match=number,
            clock="" if mark.word else played,
            tag=mark.word,
            tag_css=mark.css,
            icon=mark.icon,
            sides=sides,
            note="",
            foot=foot,
            name=_in_words(table.row.label, mark.word or played, number, sides, foot),
        )

    def _side(self, match: MatchView, side: PlayerOnFloor) -> CardSide:
        late = next((row for row in match.row.lateness if row.player == side.player), None)
        if late is not None and match.state == MatchState.CALLED:
            return CardSide(side.name, _("%(minutes)d min late") % {"minutes": late.minutes})
        points = "" if side.points is None else str(side.points)
        return CardSide(side.name, points or ("–" if match.state == MatchState.PLAYING else ""))

    def _mark(self, match: MatchView) -> CardMark:
        """Return what a card says about its match besides the names."""
        need = self.needs.get(match.row.fixture)
        kind = self.attention.get(match.row.fixture)
        if need is not None and need.kind in ("dispute", "refused"):
            return CardMark("is-dispute", need.label, "tag-danger", "flag", " ".join(need.report_texts[:1]))
        if match.state == MatchState.REPORTED:
            stands_at = need.accepted_at if need is not None else None
            foot = _("Stands at %(time)s") % {"time": clock(stands_at, self.zone)} if stands_at else _("Unconfirmed")
            return CardMark("is-reported", _("Reported"), "tag-win", "check", foot)
        if match.state == MatchState.CALLED:
            return self._called(match, kind)
        if kind == AttentionKind.SLOW and match.row.slow_at is not None:
            over = max(1, int((self.view.now - match.row.slow_at).total_seconds() // 60))
            foot = _("Slow: %(minutes)d min over") % {"minutes": over}
            minutes = int(match.row.minutes)
            return CardMark(
                "is-slow", f"{minutes // MINUTES_AN_HOUR}:{minutes % MINUTES_AN_HOUR:02d}", "tag-warning", "clock", foot
            )
        return CardMark("is-playing")

    def _called(self, match: MatchView, kind: AttentionKind | None) -> CardMark:
        called_at, no_show_at = match.row.called_at, match.row.no_show_at
        since = int((self.view.now - called_at).total_seconds() // 60) if called_at is not None else 0
        word = _("%(minutes)d min") % {"minutes": since} if kind is not None else _("Called")
        times = {"called": clock(called_at, self.zone) if called_at else "", "until": ""}
        foot = _("Called %(called)s") % times
        if no_show_at is not None:
            foot = _("Called %(called)s · no-show %(until)s") % {**times, "until": clock(no_show_at, self.zone)}
        css, icon = ("tag-warning", "away") if kind is not None else ("tag-call", "")
        return CardMark("is-called", word, css, icon, foot)


def _url_before(route: str, args: Sequence[str]) -> str:
    """Return the URL of a route up to its final public id, so that it is not reversed for each card."""
    placeholder = "x" * LENGTH
    return reverse(route, args=[*args, placeholder]).removesuffix(f"{placeholder}/")


def side_name(side: PlayerOnFloor) -> CardSide:
    """Return a player of a match that waits; where they come from if they are still to be decided."""
    if side.name:
        return CardSide(side.name)
    source = side.source
    if source is not None and source.number is not None and source.kind in ("winner", "loser"):
        text = _("winner of M%(number)s") if source.kind == "winner" else _("loser of M%(number)s")
        return CardSide("", text % {"number": source.number})
    return CardSide("", _("to be decided"))


def _played(match: MatchView) -> str:
    """Return how long a match has been played, as hours and minutes."""
    hours, minutes = divmod(int(match.row.minutes), MINUTES_AN_HOUR)
    return f"{hours}:{minutes:02d}"


def _category(table: TableView) -> str:
    return "" if table.row.category == Table.Category.NORMAL else str(Table.Category(table.row.category.value).label)


def _in_words(label: str, word: str, match: str, sides: Iterable[CardSide], foot: str) -> str:
    players = " – ".join(f"{side.name} {side.points}".strip() for side in sides)
    parts = [_("Table %(label)s") % {"label": label}, word, match, players, foot]
    return ", ".join(part for part in parts if part)


# What the floor proposes at closing time for the matches that still run.


ClosingRule = Tournament.ClosingRule


@dataclass(frozen=True, slots=True)
class RunningLine:
    """A match that still runs, as a line of the proposal."""

    number: int
    names: str
    score: str
    url: str
    note: str
    """Which shorter length is on offer, or that it was shortened; empty otherwise."""


@dataclass(frozen=True, slots=True)
class ClosingNeed:
    """The matches that still run after the end of the event, and what to do with all of them."""

    heading: str
    text: str
    lines: tuple[RunningLine, ...]
    posts: tuple[Post, ...]


def closing_need(view: FloorView, cards: Cards) -> ClosingNeed | None:
    """Return what the event's rule proposes once its end has come; None before, or if no match runs."""
    if not is_over(view.tournament, view.now):
        return None
    closing = closing_time(view)
    if not closing.running:
        return None
    count = len(closing.running)
    heading = ngettext("%(count)d match still runs", "%(count)d matches still run", count) % {"count": count}
    lines = tuple(
        RunningLine(
            row.match.number,
            " – ".join(side.name for side in row.match.sides),
            "–".join(map(str, row.score)),
            cards.sheet_url(row.match),
            _note(row.match),
        )
        for row in closing.running
    )
    return ClosingNeed(heading, _text(closing), lines, tuple(_posts(view.tournament, closing)))


def _note(match: MatchView) -> str:
    offer, shortened = match.row.offer, match.row.shortened
    if offer is not None:
        return _("to %(length)d points?") % {"length": offer.length}
    if shortened is not None:
        return _("to %(length)d points") % {"length": match.length}
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
                text += " " + _("Where nobody leads, open the match and decide.")
            return text
        case ClosingRule.SHORTEN:
            if not closing.points_left:
                return _("None of them can be shortened. Open each and decide.")
            return _("This event shortens them. Tap once all players have agreed; otherwise open a match.")
        case _:
            return _("At this event a director decides each of them. Open it for the choices.")


def _posts(tournament: Tournament, closing: ClosingTime) -> list[Post]:
    count = len(closing.running)
    match closing.rule:
        case ClosingRule.ADJOURN:
            label = ngettext("Adjourn it", "Adjourn all %(count)d", count) % {"count": count}
            return [_post(tournament, closing.running, "adjourn", label)]
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
    matches = " ".join(f"{row.match.public_id}:{row.score[0]}:{row.score[1]}" for row in running)
    fields = [("rule", rule), ("matches", matches)]
    if points:
        fields.append(("points", str(points)))
    url = reverse("floor-close", args=event_url_args(tournament))
    return Post(url, label, tuple(fields), f"closing-{rule}-{points}")
