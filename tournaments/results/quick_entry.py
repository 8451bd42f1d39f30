"""Recording results from typed lines."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple
from urllib.parse import urlencode

from django.db import transaction
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from core.messages import sentence
from core.names import fold
from engine.errors import Refused
from matches.lifecycle.begun import is_untouched
from matches.lifecycle.events import events
from matches.lifecycle.finish import ResultInput, standing_result
from matches.models import Match, Result
from matches.presentation.labels import final_score, score_of
from players.actors import Actor
from players.models import Player
from players.people.rows import canonical
from tournaments.entries.check_in import mark_absentees
from tournaments.models import Division, Entry, Fixture, Tournament
from tournaments.results.lines import BOTH, TypedLine, Verb, parse, side_of, sides_of, splits_of
from tournaments.results.services import enter_result, undo_window
from tournaments.state.names import match_names

# Finding the match of a quick-entry line that names players instead of a match number.


@dataclass(frozen=True, slots=True)
class NamedFixture:
    """A fixture, and the side whose player the first name of a line matches."""

    fixture: Fixture
    side: int

    @property
    def person(self) -> Player:
        """Whom the name means: the player, or the one merged into."""
        return canonical(self.match.players[self.side])

    @property
    def match(self) -> Match:
        assert self.fixture.match is not None  # noqa: S101, only fixtures with a match are searched
        return self.fixture.match

    @property
    def is_open(self) -> bool:
        """Whether the match has no result yet."""
        return not self.match.is_over


def find_fixture(
    tournament: Tournament, line: TypedLine, division: Division | None, *, in_list: bool = False
) -> NamedFixture:
    """Return the open match that a line names, else the last settled one; matches of `division` take precedence.

    The same line typed again must not become the result of the next match, nor the same list: there, no earlier match
    may have ended as the line says. Refused: `line_nobody`, `line_name_ambiguous`, `line_which_match`, `line_again`.
    """
    names = line.names
    candidates = _candidates(tournament, line)
    if division is not None and any(candidate.fixture.stage.division_id == division.pk for candidate in candidates):
        candidates = [candidate for candidate in candidates if candidate.fixture.stage.division_id == division.pk]
    people = {candidate.person.pk: candidate.person.shown_name for candidate in candidates}
    if len(people) > 1:
        first, second, *_rest = people.values()
        raise Refused("line_name_ambiguous", name=names[0], first=first, second=second)
    waiting = [candidate for candidate in candidates if candidate.is_open]
    settled = sorted(
        (candidate for candidate in candidates if not candidate.is_open),
        key=lambda candidate: (candidate.match.finished_at, candidate.match.pk),
    )
    if len(waiting) > 1:
        numbers = {"first": waiting[0].fixture.number, "second": waiting[1].fixture.number}
        raise Refused("line_which_match", name=names[0], **numbers)
    same = [row for row in (settled if in_list else settled[-1:]) if _ended_as(row, line)]
    if not waiting:
        return (same or settled)[-1]
    if same:
        again = {"fixture": same[-1].fixture.number, "next": waiting[0].fixture.number}
        raise Refused("line_again", name=names[0], **again)
    return waiting[0]


def _candidates(tournament: Tournament, line: TypedLine) -> list[NamedFixture]:
    """Return the matches of players with the names of a line; a full name takes precedence over a part of a name.

    What is nobody's name may be the names of two, with their score. Refused: `line_nobody`, `line_not_paired`.
    """
    rows = list(
        Fixture.objects.filter(stage__division__tournament=tournament, match__isnull=False)
        .exclude(match__state=Match.State.VOID)
        .select_related("stage__division", "match__player_0__merged_into", "match__player_1__merged_into")
        .order_by("number")
    )
    entries = Entry.objects.filter(division__tournament=tournament).select_related("player__merged_into")
    full_names = {fold(entry.player.full_name) for entry in entries}
    candidates = _named(rows, line.names, full_names)
    pairs = splits_of(line.names[0]) if len(line.names) == 1 and line.score is not None else []
    if not candidates:
        candidates = [found for names in pairs for found in _named(rows, names, full_names)]
    if not candidates:
        known = any(all(_is_part(name, full_names) for name in names) for names in (line.names, *pairs))
        raise Refused("line_not_paired" if known else "line_nobody", name=" – ".join(line.names))
    return list(dict.fromkeys(candidates))


def _is_part(name: str, full_names: Iterable[str]) -> bool:
    return any(fold(name) in full_name for full_name in full_names)


def _named(rows: Sequence[Fixture], names: Sequence[str], full_names: Collection[str]) -> list[NamedFixture]:
    candidates = []
    for row in rows:
        assert row.match is not None  # noqa: S101, only fixtures with a match are searched
        players = (row.match.player_0.full_name, row.match.player_1.full_name)
        # Who is called Ann is not looked for among those whose names contain it.
        first, *second = (
            [side for side in sides_of(name, players) if fold(name) == fold(players[side])]
            if fold(name) in full_names
            else sides_of(name, players)
            for name in names
        )
        candidates += [NamedFixture(row, side) for side in first if not second or 1 - side in second[0]]
    return candidates


def _ended_as(candidate: NamedFixture, line: TypedLine) -> bool:
    """Whether the standing result of a match is what a line says of the player whom it names first."""
    standing = standing_result(candidate.match)
    return standing is not None and ResultInput.of(standing) == _result_of(candidate, line)


def _result_of(named: NamedFixture, line: TypedLine) -> ResultInput:
    """Return the result that a line gives, which names a player instead of a match number."""
    if line.score is None:
        return _forfeit(named.side)
    return ResultInput.played(line.score if named.side == 0 else line.score[::-1])


# Recording results from typed lines; `tournaments.results.lines` describes the syntax.


TOO_EARLY = ("fixture_not_ready", "line_not_paired")
"""Refusals of a result whose match may be opened by the results of others."""
LINK_TO_CORRECTION = ("line_settled", "successor_begun", "undo_built_on")
"""Refusals that link to the correction of the match."""
RESULTS = (Verb.SCORE, Verb.FORFEIT, Verb.LEADER, Verb.PAIR)
"""What may be a result, or was meant as one."""
LINK_TO_MATCH = ("own_match_reason", "line_again", "line_table_changed")
"""Refusals that link to the page of the match."""


class OutcomeKind(StrEnum):
    """What happened to a line."""

    BOOKED = "booked"
    UNDONE = "undone"
    """The outcome says what was undone."""
    DONE = "done"
    """Something other than a result; the outcome says what."""
    HELP = "help"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class LineOutcome:
    """What happened to one of several lines."""

    line: str
    what: OutcomeKind
    fixture: Fixture | None = None
    result: Result | None = None
    new: ResultInput | None = None
    """The result that the line gives, if its match is known."""
    refused: Refused | None = None
    text: str = ""
    """What was done, as a sentence, if it is not a result."""

    @property
    def is_done(self) -> bool:
        """Whether something was done, so that the line need not be typed again."""
        return self.what in (OutcomeKind.BOOKED, OutcomeKind.UNDONE, OutcomeKind.DONE)

    @property
    def is_too_early(self) -> bool:
        """Whether the line may be right once other results are in."""
        return self.refused is not None and self.refused.code in TOO_EARLY

    @property
    def is_help(self) -> bool:
        """Whether help is shown instead of a sentence."""
        return self.what == OutcomeKind.HELP

    @property
    def sentence(self) -> str:
        """What happened, or why nothing did; empty for help."""
        if self.refused is not None:
            return sentence(self.refused.code, self.refused.params)
        if self.result is None or self.fixture is None:
            return self.text
        return f"M{self.fixture.number} · {result_summary(self.fixture, self.result)}"

    @property
    def link(self) -> tuple[str, str]:
        """The URL and the text of the link that follows up a refusal; empty without one."""
        if self.refused is None or self.fixture is None:
            return "", ""
        if self.refused.code in LINK_TO_CORRECTION:
            return correction_url(self.fixture, self.new), _("Preview a correction")
        if self.refused.code in LINK_TO_MATCH:
            return reverse("fixture", args=_fixture_url_args(self.fixture)), _("Open the match")
        return "", ""


class MatchTarget(NamedTuple):
    """The match that a line refers to, and the result it gives."""

    fixture: Fixture
    match: Match
    new: ResultInput


def fixture_of_refusal(tournament: Tournament, refused: Refused) -> Fixture | None:
    """Return the fixture whose number a refusal names, if any."""
    number = refused.params.get("fixture")
    rows = Fixture.objects.filter(stage__division__tournament=tournament)
    return rows.filter(number=number).first() if isinstance(number, int) else None


def enter_line(*, tournament: Tournament, text: str, division: Division | None, by: Actor, now: datetime) -> Result:
    """Record the result of a line; `division` is the one on the screen, used if the line names none.

    A line that repeats the standing result changes nothing; one with another result is refused, since results are
    replaced on the match's own page only. Refused: `line_no_fixture`, `line_no_division`, `line_which_division`,
    `line_settled`, `line_no_result`, and what `parse`, `side_of`, `find_fixture` and `enter_result` refuse.
    """
    return record_target(target_of(tournament, parse(text), division), by=by, now=now)


def record_target(target: MatchTarget, *, by: Actor, now: datetime) -> Result:
    """Record the result that a line gives; it can be undone for a while before anything follows from it.

    A result that stands already changes nothing. Refused: `line_settled` if another one stands, and as `enter_result`.
    """
    fixture, match, new = target
    if match.state == Match.State.SETTLED:
        standing = standing_result(match)
        assert standing is not None  # noqa: S101, it is settled
        if ResultInput.of(standing) != new:
            raise Refused("line_settled", fixture=fixture.number, result=result_summary(fixture, standing))
        return standing
    return enter_result(fixture=fixture, result=new, by=by, now=now, settle_after=undo_window())


def forfeit_missing(
    *, fixture: Fixture, side: int | None, by: Actor, now: datetime, missing: Collection[Player] = ()
) -> Result:
    """Record that one side did not come to a match, or both (`side` None).

    The forfeit of a pair says nothing about either of the two; `missing` are those of them who did not come.
    Refused: `fixture_not_ready`, `no_show_late` if the match has begun or has a result, `not_of_pair`, and as
    `forfeit`.
    """
    match = fixture.match
    if match is None:
        raise Refused("fixture_not_ready", fixture=fixture.number)
    if not is_untouched(match) or match.state == Match.State.VOID:
        raise Refused("no_show_late", fixture=fixture.number)
    kind = Result.Kind.DOUBLE_FORFEIT if side is None else Result.Kind.FORFEIT
    forfeit = ResultInput(None if side is None else 1 - side, kind=kind)
    with transaction.atomic():
        if missing:
            slot = fixture.slots.select_related("entry__player").get(side=side or 0)
            if slot.entry is None or side is None:
                raise Refused("not_of_pair", name=next(iter(missing)).shown_name)
            mark_absentees(entry=slot.entry, people=missing, by=by, now=now)
        return enter_result(
            fixture=fixture, result=forfeit, by=by, now=now, after=match.seq, settle_after=undo_window()
        )


def target_of(
    tournament: Tournament, line: TypedLine, division: Division | None, *, in_list: bool = False
) -> MatchTarget:
    """Return the match and the result of a line. Refused: as `enter_line`."""
    if line.verb not in RESULTS or line.table:
        raise Refused("line_no_result")
    if line.verb == Verb.PAIR:
        raise Refused("line_without_result", fixture=line.number, rest=line.names[0][:40])
    if line.number is None:
        named = find_fixture(tournament, line, division, in_list=in_list)
        return MatchTarget(named.fixture, named.match, _result_of(named, line))
    fixture = find_by_number(tournament, line, division)
    match = fixture.match
    if match is None:
        raise Refused("fixture_not_ready", fixture=fixture.number)
    if line.verb == Verb.LEADER:
        return MatchTarget(fixture, match, leader_wins(line.score or _running_score(match)))
    if line.score is not None:
        return MatchTarget(fixture, match, ResultInput.played(line.score))
    if fold(line.names[0]) == BOTH:
        return MatchTarget(fixture, match, ResultInput(None, None, Result.Kind.DOUBLE_FORFEIT))
    names = (match.player_0.full_name, match.player_1.full_name)
    return MatchTarget(fixture, match, _forfeit(side_of(line.names[0], names)))


def _running_score(match: Match) -> tuple[int, int]:
    at_table = events().at_tables([match.pk], {}, timezone.now()).get(match.pk)
    score = at_table.seat.score if at_table is not None else None
    return score or match.start_score


def leader_wins(score: tuple[int, int]) -> ResultInput:
    """Return the result of a match that its leader wins at closing time. Refused: `line_draw` if nobody leads."""
    left, right = score
    if left == right:
        raise Refused("line_draw", left=left, right=right)
    return ResultInput(0 if left > right else 1, score, Result.Kind.LEADER)


def _forfeit(side: int) -> ResultInput:
    return ResultInput(1 - side, None, Result.Kind.FORFEIT)


def find_by_number(tournament: Tournament, line: TypedLine, division: Division | None) -> Fixture:
    """Return the fixture with the match number of a line, which may begin with a part of its division's name.

    Refused: `line_no_division`, `line_no_fixture`, `line_which_division`.
    """
    assert line.number is not None  # noqa: S101, lines without one are about an open match
    fixtures = list(
        Fixture.objects.filter(stage__division__tournament=tournament, number=line.number)
        .select_related("stage__division__tournament__club", "match__player_0", "match__player_1")
        .order_by("stage__division__order", "stage__number")
    )
    if line.division:
        fixtures = [row for row in fixtures if fold(row.stage.division.name).startswith(fold(line.division))]
        if not fixtures:
            raise Refused("line_no_division", name=line.division)
    elif division is not None and any(row.stage.division_id == division.pk for row in fixtures):
        fixtures = [row for row in fixtures if row.stage.division_id == division.pk]
    if not fixtures:
        where = division.name if division is not None else tournament.name
        raise Refused("line_no_fixture", fixture=line.number, division=where)
    if len(fixtures) > 1:
        first, second = fixtures[0].stage.division.name, fixtures[1].stage.division.name
        example = first.split()[0].lower()
        raise Refused("line_which_division", fixture=line.number, first=first, second=second, example=example)
    return fixtures[0]


def result_summary(fixture: Fixture, result: Result) -> str:
    """Return both names with the score, or with the kind of ending if there is no score."""
    assert fixture.match is not None  # noqa: S101, it has a result
    names = " – ".join(match_names(fixture, staff=True))
    score = final_score(fixture.match, result)
    if score is None:
        return f"{names}, {result.get_kind_display()}"
    return f"{names} {score_of(fixture.match, 0, score)}"


def _fixture_url_args(fixture: Fixture) -> tuple[str, str, str]:
    tournament = fixture.stage.division.tournament
    return tournament.club.slug, tournament.slug, fixture.public_id


def correction_url(fixture: Fixture, new: ResultInput | None) -> str:
    """Return the URL of a match's correction, prefilled with the result that was typed."""
    url = reverse("fixture-correct", args=_fixture_url_args(fixture))
    if new is None:
        return url
    score = {} if new.score is None else {"left": new.score[0], "right": new.score[1]}
    winner = "nobody" if new.winner is None else new.winner
    return f"{url}?{urlencode({'kind': new.kind, 'winner': winner, **score, 'rated': '1'})}"
