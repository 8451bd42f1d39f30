"""What it would take: who can still win a season or reach its final, and what the next evening has to bring.

The computation is in `formats.series.outlook`. It is exact under one assumption, which every page prints: an evening to
come earns what the largest evening so far would have earned, and everybody in the table or entered may come or stay
away. Of an evening that is drawn exactly those in the draw take part, and a bracket is worth what it gives once it is
played to its end. As soon as few enough of its matches are open, every way in which it can end is tried instead.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from fractions import Fraction
from functools import cached_property
from hashlib import sha256
from typing import Any, TypeVar

from django.core.cache import cache
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from formats import facts as pure
from formats.errors import Refused
from formats.series.facts import DecidedBy, SeasonEvent, SeriesDivision
from formats.series.facts import Player as PlayerId
from formats.series.outlook import (
    ABSENT,
    MAX_STATES,
    Contest,
    Outlook,
    Range,
    Upcoming,
    contest_of,
    like,
    outlook,
    ranks_of,
)
from formats.settings import ELIMINATION
from seasons.facts import facts_of, facts_of_states, sides_of, sides_of_entries, with_players
from seasons.tables import CountedEvent, SeasonTable, earned_on
from tournaments.models import Division, Entry
from tournaments.state.derivation import StageState
from tournaments.state.preview import DivisionFacts

MAX_OPEN = 8
"""Open matches of an evening, at most, of which every outcome is tried: 256 of them."""
KEPT = 7 * 24 * 3600
"""Seconds for which answers are cached; their key has everything they depend on."""
FORM = 2
"""Part of the key as well: grows when what is cached changes its form."""
FIRST = 1
"""The rank of the title."""
IN_RACE = 4
"""Players of the title race who are shown."""
MAX_STEPS = 6
"""Results of the next evening that are listed."""
WIDTH = 100
"""Of the bars, in units of their drawing."""
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class EveningEnding:
    """One way in which an evening that is being played can end."""

    points: Mapping[PlayerId, Fraction]
    wins: tuple[tuple[tuple[PlayerId, ...], tuple[PlayerId, ...]], ...]
    """Who wins and who loses each match that is open now, in an order in which they can be played."""

    def wins_in_a_row(self, player: PlayerId) -> int:
        """How many of their next matches the player wins before the first loss."""
        results = [player in winners for winners, losers in self.wins if player in (*winners, *losers)]
        return next((count for count, won in enumerate(results) if not won), len(results))


@dataclass(frozen=True)
class Race:
    """A season with evenings to come."""

    standing: SeasonTable
    contest: Contest
    nights: Sequence[CountedEvent]
    """To come or being played, in their order."""
    model: CountedEvent
    """The evening whose points stand for those to come."""
    endings: Sequence[EveningEnding] = ()
    """All ways in which the only evening left can end; empty if there are too many or it is not drawn."""

    @property
    def next(self) -> CountedEvent:
        """The next evening, or the one that is being played."""
        return self.nights[0]

    @cached_property
    def facts(self) -> tuple[Any, ...]:
        """All that answers depend on, in an order that is the same in every process."""
        contest = self.contest
        upcoming = [(event.id, sorted(event.entrants), event.points, event.open) for event in contest.upcoming]
        endings = [(ending.wins, sorted(ending.points.items())) for ending in self.endings]
        return (sorted(contest.results.items()), upcoming, contest.best, contest.min_events, contest.rounding, endings,
                self.is_running)  # fmt: skip

    @property
    def is_running(self) -> bool:
        """Whether a match of the next evening has been decided, so that not all its places are open any more."""
        return any(
            match.how is not DecidedBy.BYE for division in self.next.facts.divisions for match in division.matches
        )

    def can_reach(self, player: PlayerId) -> Fraction:
        """The player's total with the best result in every evening left."""
        own = self.contest.results.get(player, ())
        if self.endings:
            return Fraction(max(self.contest.total((*own, *_result(ending, player))) for ending in self.endings))
        best = (event.places[0] for event in self.contest.upcoming if player in event.entrants and event.places)
        return Fraction(self.contest.total((*own, *best)))


def _result(ending: EveningEnding, player: PlayerId) -> tuple[Fraction, ...]:
    return (ending.points[player],) if player in ending.points else ()


@dataclass(frozen=True, slots=True)
class RaceStep:
    """A result of the next evening: one of the `place` best, `points` or more, and the total that it leads to."""

    place: int
    points: Fraction
    total: Fraction


@dataclass(frozen=True, slots=True)
class Requirement:
    """What it would take for a player to end at `rank` or better.

    `secured` and `can_still` are None if not decided yet. `secured` and `enough` hold even if every tie rule goes
    against the player; `level_secured` is with equal totals counted as reached.
    """

    player: PlayerId
    rank: int
    secured: bool | None
    level_secured: bool | None
    can_still: bool | None
    ranks: Range
    enough: RaceStep | None = None
    """The least that settles it whatever the others do; None if there is none or it is not decided."""
    possible: RaceStep | None = None
    """The least with which it can still be reached."""
    if_absent: bool | None = None
    """Whether it can still be reached without coming."""
    enough_wins: int | None = None
    """How many of the next matches have to be won in a row to settle it, of an evening that is being played."""
    lost_is_possible: bool | None = None
    """Whether it can still be reached after losing the next match; None without an open match."""
    more_events: int = 0
    """Evenings that are missing for a rank."""


def _kept(kind: str, parts: object, compute: Callable[[], T]) -> T:
    """Return what is cached under these parts, or compute it."""
    key = f"series-{kind}:{FORM}:{sha256(repr(parts).encode()).hexdigest()}"
    stored: T | None = cache.get(key)
    if stored is None:
        stored = compute()
        cache.set(key, stored, KEPT)
    return stored


def race_of(standing: SeasonTable, today: date) -> Race | None:
    """Return what is still open in a season; None before its first evening is over, and without an evening to come.

    Raises Refused with `series_outlook_limits`, as `contest_of`.
    """
    played = [night for night in standing.over if night.row is not None]
    nights = [night for night in standing.nights if not night.is_over and (night.has_begun or night.day >= today)]
    if not played or not nights:
        return None
    model = max(reversed(played), key=lambda night: len(night.facts.players))
    endings: Sequence[EveningEnding] = ()
    if len(nights) == 1 and nights[0].has_begun:
        endings = _endings(standing, nights[0])
    entered = _entered(nights)
    upcoming = [_upcoming(standing, night, model, entered[night.event.pk]) for night in nights]
    closing = max(standing.series.last_day, nights[-1].day)
    return Race(standing, contest_of(standing.season, upcoming, closing), nights, model, endings)


def _entered(nights: Sequence[CountedEvent]) -> dict[int, frozenset[PlayerId]]:
    """Return event -> public ids of who has entered it."""
    players: dict[int, set[str]] = {night.event.pk: set() for night in nights}
    rows = Entry.objects.filter(division__tournament__in=players).exclude(status=Entry.Status.OUT).order_by()
    counts_pairs = {night.event.pk: bool(night.facts.pair_share) for night in nights}
    for event, status, side in sides_of(rows, "division__tournament", "division__status"):
        if status != Division.Status.CANCELLED and (counts_pairs[event] or not side.pair):
            players[event] |= set(side.people)
    return {event: frozenset(own) for event, own in players.items()}


def _upcoming(
    standing: SeasonTable, night: CountedEvent, model: CountedEvent, entered: frozenset[PlayerId]
) -> Upcoming:
    plan = standing.plan
    source = _played_out(standing, night) if night.has_begun else None
    if source is None:
        source = replace(model.facts, weight=night.facts.weight, away=night.facts.away)
    members = frozenset(row.player for row in standing.season.rows)
    drawn = night.facts.players if night.has_begun else frozenset()
    everybody = drawn or members | entered
    if plan.players is not None:
        everybody &= plan.players
    upcoming = like(plan, source, everybody, event=night.event.public_id, kind=plan.class_of(night.facts))
    return replace(upcoming, open=False) if drawn else upcoming


# An evening that is being played.


def _endings(standing: SeasonTable, night: CountedEvent) -> Sequence[EveningEnding]:
    """Return every way in which an evening can end; empty if there are too many, or its rounds are paired later."""
    divisions = Division.objects.filter(tournament=night.event).exclude(status=Division.Status.CANCELLED)
    rows = list(divisions.select_related("tournament__club").order_by("order", "pk"))
    playing = [row for row in rows if row.status != Division.Status.FINISHED]
    if len(playing) != 1 or playing[0].status == Division.Status.ENTRIES:
        return ()
    drawn = [row for row in rows if row.status != Division.Status.ENTRIES]
    seen = (standing.version.pk, sorted(standing.plan.players or ()),
            night.facts.kind, night.facts.weight, night.facts.away, night.facts.pair_share,
            [(row.public_id, row.seq) for row in rows], sides_of_entries(drawn).key,
            [(own.shares, sorted(own.given.items())) for own in night.facts.divisions])  # fmt: skip
    return _kept("endings", seen, lambda: tuple(_tried(standing, night, playing[0], drawn)))


def _with_what_was_typed(divisions: Iterable[SeriesDivision], night: CountedEvent) -> tuple[SeriesDivision, ...]:
    """Return the divisions of an evening, all that are drawn, with the shares and points that directors typed in."""
    typed = zip(divisions, night.facts.divisions, strict=True)
    return tuple(replace(division, shares=own.shares, given=own.given) for division, own in typed)


def _played_out(standing: SeasonTable, night: CountedEvent) -> SeasonEvent | None:
    """Return the evening with its open matches decided arbitrarily; None unless every bracket is drawn."""
    divisions = Division.objects.filter(tournament=night.event).exclude(status=Division.Status.CANCELLED)
    rows = list(divisions.select_related("tournament__club").order_by("order", "pk"))
    sides = sides_of_entries(rows)
    seen = (standing.series.pk, [(row.public_id, row.seq) for row in rows], sides.key)

    def play() -> tuple[SeriesDivision, ...]:
        ended = []
        for row in rows:
            facts = DivisionFacts(row)
            if not _is_all_brackets(row, facts):
                return ()
            states, _wins = next(_outcomes(facts, {}, ()))
            ended.append(with_players(facts_of_states(row, states), sides))
        return tuple(ended)

    ended = _kept("played-out", seen, play)
    return replace(night.facts, divisions=_with_what_was_typed(ended, night)) if ended else None


def _is_all_brackets(division: Division, facts: DivisionFacts) -> bool:
    """Whether every stage of a division is drawn, and none has rounds that are paired later."""
    is_drawn = bool(facts.rows) and len(facts.rows) == division.stages.count()
    return is_drawn and all(rows.settings.format in ELIMINATION for rows in facts.rows)


def _tried(
    standing: SeasonTable, night: CountedEvent, division: Division, drawn: Sequence[Division]
) -> list[EveningEnding]:
    facts = DivisionFacts(division)
    if not _is_all_brackets(division, facts):
        return []
    states = facts.states()
    open_matches = sum(
        fixture.status in ("waiting", "ready") for state in states for fixture in state.progress.fixtures.values()
    )
    if open_matches > MAX_OPEN:
        return []
    others = facts_of([row for row in drawn if row != division])
    sides, endings = sides_of_entries([division]), []
    for ended, wins in _outcomes(facts, {}, ()):
        overrides = with_players(facts_of_states(division, ended), sides)
        ended_divisions = (overrides if row == division else others[row.pk] for row in drawn)
        event = replace(night.facts, divisions=_with_what_was_typed(ended_divisions, night))
        points = {player: earned.points for player, earned in earned_on(night, standing.plan, event).items()}
        played = tuple(
            (overrides.people(sides.players[str(winner)]), overrides.people(sides.players[str(loser)]))
            for winner, loser in wins
        )
        endings.append(EveningEnding(points, played))
        if len(endings) > 2**MAX_OPEN:
            return []
    return endings


Decided = Mapping[int, Mapping[int, pure.Result]]
"""Stage number -> fixture number -> a result that is supposed."""
Wins = tuple[tuple[int, int], ...]


def _outcomes(facts: DivisionFacts, decided: Decided, wins: Wins) -> Iterator[tuple[list[StageState], Wins]]:
    """Yield the states of every way in which the open matches can end, with the entries that win and lose them."""
    states = facts.states(decided)
    for state in states:
        for number in state.progress.ready:
            entrants = state.progress.fixtures[number].entrants
            if entrants is None:
                continue
            stage = state.stage.number
            for side in (0, 1):
                result = pure.Result(side, between=entrants)
                after = {**decided, stage: {**decided.get(stage, {}), number: result}}
                yield from _outcomes(facts, after, (*wins, (entrants[side], entrants[1 - side])))
            return
    yield states, wins


def answer_of(race: Race, player: PlayerId, rank: int) -> Requirement:
    """Answer what it would take for a player to end at this rank or better."""
    if not race.endings:
        return _from_places(race, player, rank)
    return _kept("answer", (race.facts, player, rank), lambda: _from_endings(race, player, rank))


def _from_endings(race: Race, player: PlayerId, rank: int) -> Requirement:
    contest = race.contest
    reached: list[tuple[int, bool, bool]] = []
    ranks: list[int | None] = []
    for ending in race.endings:
        everybody = {*contest.results, *ending.points}
        results = {one: (*contest.results.get(one, ()), *_result(ending, one)) for one in everybody}
        totals = {one: contest.total(own) for one, own in results.items() if len(own) >= contest.min_events}
        own = totals.get(player)
        ahead = sum(total > own for total in totals.values()) if own is not None else None
        level = sum(total >= own for total in totals.values()) if own is not None else None
        ranks.append(None if ahead is None else ahead + 1)
        wins = ending.wins_in_a_row(player)
        reached.append((wins, level is not None and level <= rank, ahead is not None and ahead < rank))
    most = max(wins for wins, _secured, _level in reached)
    secured, level_secured = all(row[1] for row in reached), all(row[2] for row in reached)
    enough = next((k for k in range(1, most + 1) if all(row[1] for row in reached if row[0] >= k)), None)
    known = [rank for rank in ranks if rank is not None]
    return Requirement(
        player,
        rank,
        secured,
        level_secured,
        any(row[2] for row in reached),
        Range(min(known, default=None), None if None in ranks else max(known)),
        enough_wins=None if secured else enough,
        lost_is_possible=any(row[2] for row in reached if row[0] == 0) if most else None,
        more_events=max(0, contest.min_events - max(len(contest.results.get(player, ())), 0)),
    )


def _from_places(race: Race, player: PlayerId, rank: int) -> Requirement:
    contest = race.contest
    level, strict = (row.toward(rank) for row in _outlooks(race, player))
    after = level.by_next_place.get(ABSENT)
    # Players who are out hold some of the places: beyond what is secured or out for certain, nothing is proven.
    is_sharp = not race.is_running
    can_still = level.can_still if is_sharp or not level.can_still or level.secured else None

    def step(place: int | None) -> RaceStep | None:
        if place is None:
            return None
        points = Fraction(contest.upcoming[0].places[place - 1])
        total = contest.total((*contest.results.get(player, ()), points))
        return RaceStep(place, points, Fraction(total))

    return Requirement(
        player,
        rank,
        strict.secured,
        level.secured,
        can_still,
        level.ranks,
        enough=None if strict.secured else step(strict.enough_next),
        possible=step(level.still_possible_next) if is_sharp else None,
        if_absent=after.allows(rank) if after is not None and is_sharp else None,
        more_events=level.more_events,
    )


def _outlooks(race: Race, player: PlayerId) -> tuple[Outlook, Outlook]:
    """Return what is possible with equal totals counted as reached, and as if every tie rule went against the player.

    The two share the states that are tried for one question.
    """

    def compute() -> tuple[Outlook, Outlook]:
        level, strict = race.contest, replace(race.contest, level_is_behind=True)
        half = MAX_STATES // 2
        return outlook(level, player, FIRST, most_states=half), outlook(strict, player, FIRST, most_states=half)

    return _kept("outlook", (race.facts, player), compute)


def bounds_of(race: Race) -> Mapping[PlayerId, Range]:
    """Return the ranks that everybody can still end at: bounds that are proven, exact with one evening left."""

    def compute() -> dict[PlayerId, Range]:
        if race.endings:
            return {player: answer_of(race, player, FIRST).ranks for player in race.contest.results}
        bounds = {player: ranks_of(race.contest, player, most_states=0) for player in race.contest.results}
        if race.is_running:
            bounds = {p: replace(row, best_is_exact=False, worst_is_exact=False) for p, row in bounds.items()}
        return bounds

    return _kept("bounds", race.facts, compute)


def sentences_of(answer: Requirement, race: Race) -> list[str]:
    """Say to a player what it takes to win the season (rank 1) or to reach its final."""
    is_title = answer.rank == FIRST
    if answer.secured:
        return [_("You win the season: nobody can pass you any more.") if is_title
                else _("You are in the final, whatever the others do.")]  # fmt: skip
    if answer.more_events > len(race.nights):
        text = ngettext(
            "You would need %(count)d more evening for a rank, more than are left.",
            "You would need %(count)d more evenings for a rank, more than are left.",
            answer.more_events,
        )
        return [text % {"count": answer.more_events}]
    if answer.can_still is False:
        points = race.standing.show(race.can_reach(answer.player))
        return [_("Best possible: %(points)s points, too few to win") % {"points": points} if is_title
                else _("Best possible: %(points)s points, too few for the final") % {"points": points}]  # fmt: skip
    if answer.level_secured:
        return [_("Nobody can pass you any more. If somebody draws level, the tie rules decide.") if is_title
                else _("You are in the final, unless others draw level and the tie rules are for them.")]  # fmt: skip
    sentences = []
    if answer.more_events:
        text = ngettext("%(count)d more evening for a rank", "%(count)d more evenings for a rank", answer.more_events)
        sentences.append(text % {"count": answer.more_events})
    if race.endings:
        return [*sentences, *_of_matches(answer, is_title=is_title)]
    return [*sentences, *_of_places(answer, race, is_title=is_title)]


def _of_matches(answer: Requirement, *, is_title: bool) -> Iterator[str]:
    if answer.lost_is_possible is None:
        yield (_("You can still come first, but it is up to the others now.") if is_title
               else _("You can still reach the final, but it is up to the others now."))  # fmt: skip
        return
    if answer.enough_wins is not None:
        text = (
            ngettext("Win your next match, and the season is yours whatever the others do.",
                     "Win your next %(count)d matches, and the season is yours whatever the others do.",
                     answer.enough_wins) if is_title else
            ngettext("Win your next match, and you are in the final whatever the others do.",
                     "Win your next %(count)d matches, and you are in the final whatever the others do.",
                     answer.enough_wins)
        )  # fmt: skip
        yield text % {"count": answer.enough_wins} if "%" in text else text
    else:
        yield (_("You can still come first, but you need others to lose, too.") if is_title
               else _("You can still reach the final, but you need others to lose, too."))  # fmt: skip
    if answer.lost_is_possible:
        yield _("Even if you lose your next match, it is still possible.")
    else:
        yield _("If you lose your next match, it is over.")


def _of_places(answer: Requirement, race: Race, *, is_title: bool) -> Iterator[str]:
    enough, possible = answer.enough, answer.possible
    day = date_format(race.next.day, "DATE_FORMAT")
    if enough is not None:
        params = {"result": _best_results(enough, race), "day": day}
        yield (_("On %(day)s, %(result)s wins you the season, whatever the others do.") if is_title
               else _("On %(day)s, %(result)s puts you in the final, whatever the others do.")) % params  # fmt: skip
    if possible is not None and (enough is None or possible.place > enough.place) and not answer.if_absent:
        yield _("It takes at least %(result)s on %(day)s, and then it depends on the others.") % {
            "result": _best_results(possible, race), "day": day
        }  # fmt: skip
    if answer.if_absent:
        yield _("Even if you do not come on %(day)s, it is still possible.") % {"day": day}
    if answer.can_still is None or (enough is None and possible is None and not answer.if_absent):
        yield _("It is not decided yet. Certain by now: rank %(best)s at best, %(worst)s at worst.") % {
            "best": answer.ranks.best or "–", "worst": answer.ranks.worst or "–"
        }  # fmt: skip


def _best_results(step: RaceStep, race: Race) -> str:
    points = race.standing.show(step.points)
    if step.place == 1:
        return _("the best result of the evening (%(points)s points)") % {"points": points}
    return _("one of the %(count)d best results of the evening (%(points)s points or more)") % {
        "count": step.place, "points": points
    }  # fmt: skip


# As a page shows it.


@dataclass(frozen=True, slots=True)
class RaceLine:
    """A player of the title race: the total now and with the best result in every evening left, as a bar.

    `start` and `width` are percentages of the axis.
    """

    name: str
    now: str
    reach: str
    start: float
    width: float
    is_own: bool
    is_out: bool

    @property
    def classes(self) -> str:
        return " ".join(name for name, holds in (("is-own", self.is_own), ("is-out", self.is_out)) if holds)


@dataclass(frozen=True, slots=True)
class AxisMark:
    """A mark on the axis of the title race, at a percentage of it."""

    label: str
    at: float


@dataclass(frozen=True, slots=True)
class StepLine:
    """A result of the next evening, the reader's total after it, and what is certain then."""

    label: str
    total: str
    verdict: str


@dataclass(frozen=True)
class RaceView:
    """What it would take, for one reader."""

    heading: str
    sentences: Sequence[str]
    """To the reader, if they are in the table."""
    for_all: Sequence[str]
    lines: Sequence[RaceLine] = ()
    ticks: Sequence[AxisMark] = ()
    steps: Sequence[StepLine] = ()
    assumption: str = ""
    evenings: int = 0
    reach: Mapping[PlayerId, str] = field(default_factory=dict)
    """Everybody's total with the best result in every evening left."""


def race_view(
    standing: SeasonTable, names: Mapping[PlayerId, str], own: PlayerId | None, today: date, final: int
) -> RaceView | None:
    """Return what it would take as a page shows it to a reader, who may be `own`; `final` places lead to a final."""
    try:
        race = race_of(standing, today)
    except Refused:
        text = _("What it would take is not computed where only so many results of a month or kind count.")
        return RaceView(_("What it takes"), (), (text,))
    if race is None:
        return _after(standing, names, own, today)
    ranked = [row.player for row in standing.season.rows if row.rank is not None]
    day = date_format(race.next.day, "DATE_FORMAT")
    heading = _("What it takes") if race.is_running else _("What it takes on %(day)s") % {"day": day}
    own = own if own in race.contest.results else None
    return RaceView(
        heading,
        own_sentences(race, own, final) if own is not None else (),
        _for_all(race, names),
        *_lines(race, ranked, names, own),
        _steps(race, own, final) if own is not None and not race.endings and not race.is_running else (),
        _assumption(race),
        len(race.nights),
        {player: standing.show(race.can_reach(player)) for player in race.contest.results},
    )


def own_sentences(race: Race, player: PlayerId, final: int) -> list[str]:
    """Say to a player what it takes to win the season, and to reach its final if there is one."""
    targets = [FIRST] if final <= FIRST else [FIRST, final]
    answers = [answer_of(race, player, rank) for rank in targets]
    if answers[0].secured:
        return sentences_of(answers[0], race)
    # Whoever cannot win the season hears of the final first.
    ordered = answers[::-1] if answers[0].can_still is False else answers
    return list(dict.fromkeys(sentence for answer in ordered for sentence in sentences_of(answer, race)))


def _after(standing: SeasonTable, names: Mapping[PlayerId, str], own: PlayerId | None, today: date) -> RaceView | None:
    """Return what is said once no evening is left, and before the last day if none is planned yet."""
    if not standing.over:
        return None
    if today <= standing.series.last_day:
        return RaceView(_("What it takes"), (), (_("The next evening of this season is not planned yet."),))
    first = [row.player for row in standing.season.rows if row.rank == FIRST]
    if not first:
        return None
    text = (_("%(name)s has won the season.") if len(first) == 1
            else _("First place is shared by %(name)s."))  # fmt: skip
    winners = ", ".join(names.get(player, "") for player in first)
    return RaceView(_("The end"), [_("You have won the season.")] if first == [own] else (), [text % {"name": winners}])


def _for_all(race: Race, names: Mapping[PlayerId, str]) -> list[str]:
    bounds = bounds_of(race)
    for player, ranks in bounds.items():
        if ranks.secures(FIRST) and answer_of(race, player, FIRST).secured:
            points = race.standing.show(Fraction(race.contest.total(race.contest.results[player])))
            return [_("%(name)s wins the season: nobody can pass %(points)s.")
                    % {"name": names.get(player, ""), "points": points}]  # fmt: skip
    able = [ranks for ranks in bounds.values() if ranks.best == FIRST]
    if not able:
        return []
    if all(ranks.best_is_exact for ranks in bounds.values()):
        text = ngettext("%(count)d player can still come first.", "%(count)d players can still come first.", len(able))
    else:
        text = ngettext(
            "At most %(count)d player can still come first.",
            "At most %(count)d players can still come first.",
            len(able),
        )
    return [text % {"count": len(able)}]


def _lines(
    race: Race, ranked: Sequence[PlayerId], names: Mapping[PlayerId, str], own: PlayerId | None
) -> tuple[list[RaceLine], list[AxisMark]]:
    shown = list(ranked[:IN_RACE]) + ([own] if own in ranked[IN_RACE:] and own is not None else [])
    now = {player: Fraction(race.contest.total(race.contest.results[player])) for player in shown}
    reach = {player: race.can_reach(player) for player in shown}
    if not shown or max(reach.values()) == min(now.values()):
        return [], []
    high, leader = max(reach.values()), max(now.values())
    step = _step_of_axis(high - min(now.values()))
    low = min(now.values()) // step * step
    unit = Fraction(WIDTH) / (high - low)
    ticks = [low + index * step for index in range(int((high - low) // step) + 1)]
    lines = [
        RaceLine(
            names.get(player, ""), race.standing.show(now[player]), race.standing.show(reach[player]),
            float((now[player] - low) * unit), float((reach[player] - now[player]) * unit),
            player == own, reach[player] < leader,
        )
        for player in shown
    ]  # fmt: skip
    return lines, [AxisMark(race.standing.show(tick), float((tick - low) * unit)) for tick in ticks]


def _step_of_axis(span: Fraction) -> Fraction:
    """Return the least of 1, 2, 5, 10 and so on, or their decimal fractions, that is in a span at most four times."""
    power = Fraction(10) ** (len(str(int(span))) - 1) if span >= 1 else Fraction(1, 10)
    while span < power:
        power /= 10
    return next(step for step in (power / 5, power / 2, power, power * 2, power * 5) if span <= 4 * step)


def _steps(race: Race, player: PlayerId, final: int) -> list[StepLine]:
    """List the results of the next evening that lead to different totals, the best first.

    Places without points are mostly those of players who stay away.
    """
    targets = {rank: answer_of(race, player, rank) for rank in sorted({FIRST, max(final, FIRST)})}
    event = race.contest.upcoming[0]
    if player not in event.entrants:
        return []
    own = race.contest.results.get(player, ())
    last: dict[Fraction, int] = {}
    for place, points in enumerate(event.places, start=1):
        if points:
            last[Fraction(points)] = place
    lines = []
    for points, place in list(last.items())[:MAX_STEPS]:
        total = race.standing.show(Fraction(race.contest.total((*own, points))))
        verdicts = [_verdict(answer, place) for answer in targets.values()]
        label = race.standing.show(points)
        lines.append(StepLine(label, total, next((text for text in verdicts if text), "")))
    return lines


def _verdict(answer: Requirement, place: int) -> str:
    is_title = answer.rank == FIRST
    if answer.enough is not None and place <= answer.enough.place:
        return _("wins the season") if is_title else _("in the final")
    return ""


def _assumption(race: Race) -> str:
    params = {"event": race.model.name, "day": date_format(race.model.day, "DATE_FORMAT")}
    if race.endings:
        text = _("Every way in which the open matches can end has been tried.")
    elif race.next.has_begun:
        text = _("Computed for those in the draw, as if each of them could still take any place.")
    else:
        text = _("Computed with the points of %(event)s on %(day)s, the largest evening so far: everybody in the table "
                 "or entered may come or stay away.") % params  # fmt: skip
    return " ".join([text, _("It counts the evenings planned so far.")])
