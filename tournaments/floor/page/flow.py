"""What the floor page shows of stages without rounds: who waits, the next pairing, and matches that hold others up."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from formats.continuous.state import AWAY, FlowMatch, FlowPair, PairingStep
from formats.plans import MIN_QUALIFIERS
from formats.settings import LIVES
from tournaments.events.actions import division_url_args, event_url_args
from tournaments.floor.derivation import seats_elsewhere
from tournaments.floor.flows import Flow, length_of_pair, read_flows
from tournaments.floor.hold_ups import hold_ups, out_and_playing
from tournaments.floor.page.cards import CardPlayer, Cards, Discs, Post, ProposedCall, action_url, discs_of
from tournaments.floor.page.forecast import clock
from tournaments.floor.selectors import FloorView
from tournaments.floor.sentences import waits_for
from tournaments.floor.waiting import Waiting, waiting_in
from tournaments.models import Autopilot, Entry, Stage
from tournaments.results.needs import LatestResult
from tournaments.standings.labels import why_paired
from tournaments.state.format_labels import LEADER_NAMES
from tournaments.state.names import shown_entry

LONG_WAIT = 12
"""Minutes after which somebody has waited long."""
AWAY_FOR = 15
"""Minutes for which somebody is away by one tap."""


@dataclass(frozen=True, slots=True)
class WaitingLine:
    key: str
    name: str
    discs: Discs | None
    matches: str
    minutes: str
    is_long: bool
    is_next: bool
    reason: str
    posts: tuple[Post, ...]


@dataclass(frozen=True, slots=True)
class NextPairLine:
    """Two who are paired next: at which table, and why these two."""

    names: tuple[str, str]
    discs: tuple[Discs | None, Discs | None]
    table: str
    reasons: Sequence[str]

    @property
    def players(self) -> Sequence[tuple[str, Discs | None]]:
        """Both names, each with the lives left."""
        return list(zip(self.names, self.discs, strict=True))

    @property
    def text(self) -> str:
        return " – ".join(self.names)


@dataclass(frozen=True, slots=True)
class HoldUpLine:
    """A match that holds others up, or whose players are asked whether it is over."""

    tag: str
    text: str
    details: str
    url: str
    posts: tuple[Post, ...]


@dataclass(frozen=True, slots=True)
class Blocked:
    """Those who are left may not meet: their names, and where that is changed."""

    names: Sequence[str]
    url: str


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules of the pairing, to be changed."""

    url: str
    stage: str
    after: int
    window: int
    lead: int
    leaders: Sequence[tuple[str, str, bool]]
    """Values, labels, and which is chosen."""
    switch_time: str | None
    """When the bracket is drawn at the latest; None if none follows."""
    late_until: str


MAX_NAMED = 4
"""Of the matches that the bracket waits for."""


@dataclass(frozen=True, slots=True)
class PairChoice:
    """The form in which a director chooses two who are paired; `options` are entries and labels."""

    url: str
    preview_url: str
    """What the rule has against the two."""
    stage: str
    after: int
    options: Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class MissedLine:
    key: int
    name: str
    url: str


@dataclass(frozen=True, slots=True)
class FlowPart:
    """A stage without rounds on the floor page."""

    key: str
    title: str
    waiting: Sequence[WaitingLine]
    away: Sequence[WaitingLine]
    pairs: Sequence[NextPairLine]
    """Those who can be called now."""
    later: Sequence[NextPairLine]
    """Those who wait for a table."""
    when: str
    """When the next pairing is, in words."""
    bracket: str
    """When the bracket that follows is drawn, in words."""
    calls_itself: bool
    is_held: bool
    pair_now: Post | None
    needs_reason: bool
    """Whether pairing now needs a reason, because it is not due yet."""
    blocked: Blocked | None
    hold: Post
    rules: Rules
    missed: Sequence[MissedLine]
    """Matches that players missed while they were away."""
    counts: Sequence[tuple[Discs, int]]
    """How many have so many lives left."""
    out: int
    hold_ups: Sequence[HoldUpLine]
    choice: PairChoice | None
    lost: Mapping[int, tuple[str, str]]
    """Fixture id -> its loser, and what the result left them, in words; of the latest results."""

    @property
    def bar(self) -> Sequence[tuple[int, int, str]]:
        """Everybody in a bar, most lives first: where each part begins, its width, and its CSS class."""
        parts, at = [], 0
        counts = [*((count, f"is-{len(discs.left) - sum(discs.left)}") for discs, count in self.counts)]
        for count, css in (*counts, (self.out, "is-out")):
            parts.append((at, count, css))
            at += count
        return parts

    @property
    def total(self) -> int:
        return sum(count for _discs, count in self.counts) + self.out

    @property
    def first(self) -> NextPairLine | None:
        return self.pairs[0] if self.pairs else None


def flow_parts(
    view: FloorView, cards: Cards, latest: Sequence[LatestResult] = ()
) -> tuple[list[FlowPart], Sequence[Stage]]:
    """Return the stages without rounds that are played, and the faulty ones; a query more only if there are any.

    The cards get the lives of those who play, and who would be called next.
    """
    flows, faulty = read_flows(view.tournament, view.state, view.now)
    cards.lives = {fixture: discs for flow in flows for fixture, discs in lives_at_tables(flow).items()}
    cards.proposals = {table: proposal for flow in flows for table, proposal in _proposals(flow).items()}
    return [_part(flow, view, cards, latest, several=len(flows) > 1) for flow in flows], faulty


def _part(flow: Flow, view: FloorView, cards: Cards, latest: Sequence[LatestResult], *, several: bool) -> FlowPart:
    settings, event = flow.pool.settings, view.tournament
    has_lives, entries = settings.format == LIVES, flow.state.rows.of_division.entries
    calls_itself = view.facts.autopilot == Autopilot.CALL
    lines = waiting_in(flow, view.state, view.now)
    paired = {entry for pair, _table in flow.granted for entry in (pair.first, pair.second)}
    zone = ZoneInfo(event.time_zone)
    waiting = [_line(row, row.entry.pk in paired, view, zone, has_lives=has_lives) for row in lines if row.is_here]
    away = [_line(row, False, view, zone, has_lives=has_lives) for row in lines if not row.is_here]
    granted = list(flow.granted)
    called = [pair for pair, _table in granted]
    later = [pair for pair in flow.decision.pairs if pair not in called]
    labels = view.facts.labels
    pairs = [_pair(flow, pair, labels.get(table or 0, ""), has_lives=has_lives) for pair, table in granted]
    stage = (("stage", flow.stage.public_id),)
    return FlowPart(
        key=flow.stage.public_id,
        title=flow.division.name if several or cards.several else "",
        waiting=waiting,
        away=away,
        pairs=pairs,
        later=[_pair(flow, pair, "", has_lives=has_lives) for pair in later],
        when=_when(flow, view.now, zone, calls_itself=calls_itself),
        calls_itself=calls_itself,
        is_held=flow.held,
        pair_now=_pair_now(flow, pairs, view) if pairs and not (calls_itself and flow.is_due) else None,
        needs_reason=not flow.is_due,
        blocked=_blocked(flow),
        hold=Post(
            action_url(event, "hold-pairing"),
            _("Go on") if flow.held else _("Hold"),
            (*stage, ("held", "0" if flow.held else "1")),
            f"hold-pairing-{flow.stage.public_id}",
        ),
        bracket=bracket_line(flow, zone),
        rules=Rules(
            action_url(event, "flow"),
            flow.stage.public_id,
            flow.division.seq,
            settings.window,
            settings.lead,
            [(value, str(label), value == settings.leader) for value, label in LEADER_NAMES],
            settings.switch_time if settings.qualifiers else None,
            settings.late_until,
        ),
        missed=[
            MissedLine(row.pk, shown_entry(entries[row.entry_id], staff=True), action_url(event, "take-back-missed"))
            for row in flow.state.rows.of_division.missed.get(flow.stage.pk, ())
            if row.batch_id is not None
        ],
        counts=lives_counts(flow),
        out=count_out(flow),
        hold_ups=[
            *(_to_stop(flow, match, cards) for match in out_and_playing(flow)),
            *(_hold_up(row.number, row.fixture, row.count, cards) for row in hold_ups(flow, view.state)),
        ],
        choice=_choice(flow, lines, view),
        lost=_lost(flow, latest),
    )


def _blocked(flow: Flow) -> Blocked | None:
    """Return who is left where nobody of them may meet, so that a director has to decide."""
    if flow.decision.action is not PairingStep.BLOCKED:
        return None
    entries = flow.state.rows.of_division.entries
    names = [shown_entry(entries[entry], staff=True) for entry in flow.decision.pool]
    return Blocked(names, f"{reverse('draw', args=division_url_args(flow.division))}#kept-apart")


def _lost(flow: Flow, latest: Sequence[LatestResult]) -> dict[int, tuple[str, str]]:
    """Return fixture id -> its loser, and how many lives they have left or their place; nothing in a Swiss."""
    if flow.pool.settings.format != LIVES:
        return {}
    left = {player.entry: player.left for player in flow.pool.players}
    pairs = {row.number: (row.first_id, row.second_id) for row in flow.state.rows.pairings if not row.taken_back}
    lost: dict[int, tuple[str, str]] = {}
    places: dict[int, int] = {}
    for row in latest:
        fixture, winner = row.fixture, row.result.winner
        waits = fixture.match is not None and fixture.match.settle_at is not None
        if fixture.stage_id != flow.stage.pk or fixture.number not in pairs or winner is None or waits:
            continue
        loser, name = pairs[fixture.number][1 - winner], row.names[1 - winner]
        if count := left.get(loser, 0):
            text = ngettext("%(count)d life left", "%(count)d lives left", count) % {"count": count}
            lost[fixture.pk] = name, text
            continue
        places = places or {line.entry: line.place for table in flow.state.tables for line in table.rows}
        lost[fixture.pk] = name, _("out, place %(place)d") % {"place": places.get(loser, 0)}
    return lost


def lives_at_tables(flow: Flow) -> dict[int, tuple[Discs, Discs]]:
    """Return fixture id -> the lives of its players, of the matches that go on; nothing in a Swiss."""
    settings, left = flow.pool.settings, {player.entry: player.left for player in flow.pool.players}
    if settings.format != LIVES:
        return {}
    fixtures = flow.state.rows.fixtures
    return {
        fixtures[match.number].pk: (
            discs_of(left.get(match.pair[0], 0), settings.lives),
            discs_of(left.get(match.pair[1], 0), settings.lives),
        )
        for match in flow.pool.playing
    }


def _proposals(flow: Flow) -> dict[int, ProposedCall]:
    """Return table id -> the pair that would be called there now."""
    has_lives, proposals = flow.pool.settings.format == LIVES, {}
    for pair, table in flow.granted if not flow.held else ():
        if table is not None:
            line = _pair(flow, pair, "", has_lives=has_lives)
            first, second = (CardPlayer(name, "", discs) for name, discs in zip(line.names, line.discs, strict=True))
            proposals[table] = ProposedCall((first, second), length_of_pair(flow, pair))
    return proposals


def lives_counts(flow: Flow) -> list[tuple[Discs, int]]:
    """Return how many players have so many lives left, most lives first; empty in a Swiss."""
    settings = flow.pool.settings
    if settings.format != LIVES:
        return []
    left = Counter(player.left for player in flow.pool.players)
    return [(discs_of(lives, settings.lives), left[lives]) for lives in range(settings.lives, 0, -1)]


def bracket_line(flow: Flow, zone: ZoneInfo) -> str:
    """Return when the bracket after lives is drawn, in a few words; empty if none follows."""
    places, switch_at = flow.pool.settings.qualifiers, flow.pool.switch_at
    if flow.decision.places_left is None:
        return ""
    if flow.decision.places_left == 0:
        matches = [f"M{match.number}" for match in flow.pool.playing]
        if not places:
            return _("Nobody is paired any more; it ends after {matches}.").format(matches=", ".join(matches))
        if not matches:
            return _("The bracket is drawn in a moment.")
        if len(matches) > MAX_NAMED:
            return _("The bracket is drawn after the matches that are being played.")
        return _("The bracket is drawn after {matches}.").format(matches=", ".join(matches))
    if switch_at is None:
        return _("Bracket of %(places)d to come") % {"places": places}
    if places == MIN_QUALIFIERS:
        return _("Bracket at %(time)s") % {"time": clock(switch_at, zone)}
    return _("Bracket of %(places)d, at %(time)s at the latest") % {"places": places, "time": clock(switch_at, zone)}


def count_out(flow: Flow) -> int:
    """Return how many entries are out, withdrawn ones included."""
    entries = flow.state.rows.of_division.entries.values()
    took_part = sum(entry.status != Entry.Status.WAITING and entry.joined_to_id is None for entry in entries)
    return took_part - sum(player.left > 0 for player in flow.pool.players)


def _when(flow: Flow, now: datetime, zone: ZoneInfo, *, calls_itself: bool) -> str:
    """Return when the next pairing is, in words; empty if nobody can be paired."""
    count = len(flow.granted)
    if not count:
        return ""
    if flow.held:
        return _("Held")
    due = flow.decision.due_at
    if due is not None and due > now and not flow.is_due:
        text = ngettext("Next pairing %(time)s (%(count)d pair)", "Next pairing %(time)s (%(count)d pairs)", count)
        return text % {"time": clock(due, zone), "count": count}
    if calls_itself:
        return _("Called in a moment")
    return ngettext("%(count)d pair can play now", "%(count)d pairs can play now", count) % {"count": count}


def _pair_now(flow: Flow, pairs: Sequence[NextPairLine], view: FloorView) -> Post:
    if len(pairs) == 1 and pairs[0].table:
        label = _("Call to table %(table)s") % {"table": pairs[0].table}
    else:
        label = ngettext("Pair %(count)d now", "Pair %(count)d now", len(pairs)) % {"count": len(pairs)}
    fields = (("stage", flow.stage.public_id), ("after", str(flow.division.seq)))
    return Post(action_url(view.tournament, "pair-now"), label, fields, f"pair-now-{flow.stage.public_id}")


def _line(row: Waiting, is_next: bool, view: FloorView, zone: ZoneInfo, *, has_lives: bool) -> WaitingLine:
    minutes = max(0, int((view.now - row.since) / timedelta(minutes=1)))
    event, entry = view.tournament, row.entry
    if row.is_here:
        url, label = action_url(event, "away"), _("Away")
        fields: tuple[tuple[str, str], ...] = (("entry", entry.public_id), ("minutes", str(AWAY_FOR)))
    else:
        url, label, fields = action_url(event, "here"), _("Back"), (("players", entry.player.public_id),)
    is_busy = row.code == "busy"
    reason = waits_for(row.code, row.params, zone, you=False)
    at_tables = seats_elsewhere(view.facts, view.now)
    for seat in (at_tables[person] for person in view.facts.people_in(entry) if person in at_tables):
        reason = " · ".join([_("Table %(table)s") % {"table": seat.table}, seat.event])
    return WaitingLine(
        key=entry.public_id,
        name=shown_entry(entry, staff=True),
        discs=discs_of(row.left, row.lives) if has_lives else None,
        matches=ngettext("%(count)d match", "%(count)d matches", row.begun) % {"count": row.begun},
        minutes=ngettext("%(count)d min", "%(count)d min", minutes) % {"count": minutes} if row.is_here else "",
        is_long=row.is_here and minutes >= LONG_WAIT,
        is_next=is_next,
        reason=reason,
        posts=() if is_busy else (Post(url, label, fields, f"{row.code == AWAY}-{entry.public_id}"),),
    )


def _pair(flow: Flow, pair: FlowPair, table: str, *, has_lives: bool) -> NextPairLine:
    entries = flow.state.rows.of_division.entries
    players = flow.player(pair.first), flow.player(pair.second)
    names = tuple(shown_entry(entries[player.entry], staff=True) for player in players)
    lives = flow.pool.settings.lives
    discs = tuple(discs_of(player.left, lives) if has_lives else None for player in players)
    reasons = [why_paired(code, params) for code, params in pair.why]
    reasons += [_("Table {table} is free.").format(table=table)] if table else []
    return NextPairLine((names[0], names[1]), (discs[0], discs[1]), table, reasons)


def _choice(flow: Flow, lines: Sequence[Waiting], view: FloorView) -> PairChoice | None:
    """Return the form that pairs two who are here; None if they are fewer, or if no pair is made before the bracket."""
    here = [row for row in lines if row.is_here]
    if len(here) < 2 or flow.decision.places_left == 0:
        return None
    settings = flow.pool.settings
    options = [(row.entry.public_id, _option(row, has_lives=settings.format == LIVES)) for row in here]
    url = action_url(view.tournament, "pair-by-hand")
    preview_url = reverse("floor-chosen-pair", args=event_url_args(view.tournament))
    return PairChoice(url, preview_url, flow.stage.public_id, flow.division.seq, options)


def _option(row: Waiting, *, has_lives: bool) -> str:
    matches = ngettext("%(count)d match", "%(count)d matches", row.begun) % {"count": row.begun}
    lives = ngettext("%(count)d life left", "%(count)d lives left", row.left) % {"count": row.left}
    return " · ".join([shown_entry(row.entry, staff=True), *([lives] if has_lives else []), matches])


def _to_stop(flow: Flow, match: FlowMatch, cards: Cards) -> HoldUpLine:
    """Return a match that goes on although one of its players is out, with the button that stops it."""
    entries = flow.state.rows.of_division.entries
    out = [entries[entry] for entry in match.pair if flow.player(entry).left < 1]
    on_floor = cards.view.matches[flow.state.rows.fixtures[match.number].pk]
    names = [shown_entry(entry, staff=True) for entry in out]
    own = (("fixture", on_floor.facts.public_id),)
    post = Post(action_url(cards.view.tournament, "stop-match"), _("Stop it"), own, f"stop-{on_floor.facts.public_id}")
    if len(names) == 1:
        text = _("%(name)s plays M%(number)d although out") % {"name": names[0], "number": match.number}
    else:
        values = {"left": names[0], "right": names[1], "number": match.number}
        text = _("%(left)s and %(right)s play M%(number)d although both are out") % values
    details = _(
        "A corrected result took the last life. Stopped, the match does not count; played on, it counts for both. "
        "Undo lets a stopped match go on."
    )
    return HoldUpLine(_("Out"), text, details, cards.sheet_url(on_floor), (post,))


def _hold_up(number: int, fixture: int, count: int, cards: Cards) -> HoldUpLine:
    match = cards.view.matches[fixture]
    event, facts = cards.view.tournament, match.facts
    own = (("fixture", facts.public_id),)
    posts = [Post(action_url(event, "ask-over"), _("Ask whether it is over"), own, f"ask-{facts.public_id}")]
    if facts.clocks is None and match.started_at is not None:
        posts.append(Post(action_url(event, "clocks"), _("Put clocks on"), own, f"hold-clocks-{facts.public_id}"))
    posts.append(Post(action_url(event, "waive-lead"), _("Do not wait for it"), own, f"waive-{facts.public_id}"))
    score = "–".join(map(str, match.score)) if match.score else ""
    minutes = int(match.minutes)
    details = [ngettext("%(count)d min", "%(count)d min", minutes) % {"count": minutes}, *([score] if score else [])]
    if facts.asked is not None:
        if decided := facts.asked.params.get("score"):
            details.append(_("%(score)s would decide it") % {"score": "–".join(map(str, decided))})
        details.append(_("asked at %(time)s") % {"time": clock(facts.asked.at, cards.zone)})
    if count:
        text = ngettext("M%(number)d holds up %(count)d player", "M%(number)d holds up %(count)d players", count)
    else:
        text = _("Is M%(number)d over?")
    text = text % {"number": number, "count": count}
    return HoldUpLine(
        _("Others wait"),
        text,
        f"{' – '.join(facts.names)} · {', '.join(details)}",
        cards.sheet_url(match),
        tuple(posts),
    )
