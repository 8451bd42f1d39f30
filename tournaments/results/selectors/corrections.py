"""Corrections as directors see them: what would follow from another result, in words, and what was corrected."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from matches.models import Match, Result
from matches.ratings.rated import measures_play
from players.models import Player
from tournaments.formats.progress import FixtureState, SlotState, SlotStatus
from tournaments.models import Correction, Division, Fixture, Round, Tournament
from tournaments.results.corrected import origins, stands
from tournaments.standings.layout import ordinal, ranking_name
from tournaments.standings.rounds import round_names
from tournaments.state.names import names_of, shown
from tournaments.state.preview import Choice, FixtureChange, Following, PlaceChange, Preview

SHOWN = 12
"""Lines of a list that stand there at once; the rest unfolds."""
SMALLEST_SHOWN = 0.05
"""Rating points below which a change shows as none."""


@dataclass(frozen=True, slots=True)
class ChangeLine:
    """A fixture that would change: its name, who stands there, who would, and what becomes of results."""

    number: int
    where: str
    public_id: str
    before: str
    after: str
    remarks: tuple[str, ...] = ()
    stopped: bool = False


@dataclass(frozen=True, slots=True)
class PlaceLine:
    """Somebody's place before and after."""

    name: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class RatingLine:
    """Somebody's rating before and after."""

    name: str
    player: str
    """Public id."""
    before: float
    after: float

    @property
    def change(self) -> float:
        """Points won or lost."""
        return self.after - self.before

    @property
    def distance(self) -> float:
        """How much it is, without its sign."""
        return abs(self.change)


@dataclass(frozen=True, slots=True)
class Cut:
    """A list of which the beginning is shown."""

    shown: list[Any]
    rest: list[Any]

    def __bool__(self) -> bool:
        return bool(self.shown)

    def __len__(self) -> int:
        return len(self.shown) + len(self.rest)


def cut(lines: Iterable[Any]) -> Cut:
    """The beginning and the rest; one line is not worth unfolding."""
    found = list(lines)
    at = SHOWN if len(found) > SHOWN + 1 else len(found)
    return Cut(found[:at], found[at:])


@dataclass(frozen=True, slots=True)
class ChoiceView:
    """One of the three choices and all it leads to."""

    value: str
    title: str
    text: str
    counts: list[str] = field(default_factory=list)
    changes: Cut = field(default_factory=lambda: cut([]))
    stopped: list[ChangeLine] = field(default_factory=list)
    places: list[tuple[str, Cut]] = field(default_factory=list)
    ratings: Cut = field(default_factory=lambda: cut([]))


@dataclass(frozen=True, slots=True)
class PreviewView:
    """A correction before it is applied, as the page shows it."""

    seq: int
    mark: str
    was: str
    becomes: str
    default: str
    why: str
    choices: list[ChoiceView]


def result_words(winner: int | None, score: tuple[int, int] | None, kind: str, names: tuple[str, str]) -> str:
    """A result in a few words."""
    label = str(Result.Kind(kind).label)
    if score is not None and kind == Result.Kind.PLAYED:
        return _("%(left)s %(first)d–%(second)d %(right)s") % {
            "left": names[0], "first": score[0], "second": score[1], "right": names[1],
        }  # fmt: skip
    words = [label if score is None else f"{label} {score[0]}–{score[1]}"]
    words.append(_("%(name)s wins") % {"name": names[winner]} if winner is not None else _("nobody wins"))
    return ", ".join(words)


def preview_view(preview: Preview, *, voided_rated: bool = True) -> PreviewView:
    """The choices with what each leads to, and the one that is offered."""
    match = preview.fixture.match
    assert match is not None  # noqa: S101, what is corrected has been played
    told = Teller(preview.fixture.stage.division, voided_rated=voided_rated)
    names = (shown(match.player_0, True), shown(match.player_1, True))
    before, new = preview.standing, preview.new
    return PreviewView(
        preview.seq,
        preview.mark,
        result_words(before.winner, before.score, before.kind, names),
        result_words(new.winner, new.score, new.kind, names),
        preview.default.value,
        _why(preview.all),
        [told.choice(Choice(choice), following) for choice, following in preview.following.items()],
    )


def _why(following: Following) -> str:
    """Why to let stand is offered first, where it is."""
    undone = [change for change in following.changes if change.undoes_play]
    if not undone:
        return ""
    numbers = ", ".join(f"M{change.row.number}" for change in undone[:4])
    more = len(undone) - 4
    if more > 0:
        numbers = _("%(numbers)s and %(more)d more") % {"numbers": numbers, "more": more}
    return _("Others have played on since (%(numbers)s), so to let it stand is offered first.") % {"numbers": numbers}


class Teller:
    """Puts what follows in words; everything of the division that it needs is read once."""

    def __init__(self, division: Division, *, voided_rated: bool = True) -> None:
        self.names = names_of(division, staff=True)
        self.voided_rated = voided_rated
        self.rounds = round_names(Round.objects.filter(bracket__stage__division=division))
        self.stages = division.stages.count()

    def choice(self, choice: Choice, following: Following) -> ChoiceView:
        """One choice."""
        title, text = _titles()[choice]
        changes = [self.change(change) for change in following.changes]
        ratings = self.ratings(following)
        return ChoiceView(
            choice.value,
            title,
            text,
            _counts(following, len(ratings)),
            cut(line for line in changes if not line.stopped),
            [line for line in changes if line.stopped],
            self.places(following.places),
            cut(ratings),
        )

    def change(self, change: FixtureChange) -> ChangeLine:
        """A fixture."""
        where = self.rounds.get(change.row.round_id, "")
        return ChangeLine(
            change.row.number,
            where,
            change.row.public_id,
            self.pair(change.before),
            self.pair(change.after),
            tuple(self.remarks(change)),
            change.stopped,
        )

    def remarks(self, change: FixtureChange) -> list[str]:
        """What becomes of its results."""
        made = []
        if change.voided is not None:
            text = _("its result %(result)s would be void") % {"result": _short(change.voided)}
            if change.row.match is not None and change.row.match.rated and measures_play(change.voided):
                stays = _("played: stays rated") if self.voided_rated else _("rated no more")
                text = f"{text} ({stays})"
            made.append(text)
        if change.returns is not None:
            made.append(_("their result %(result)s counts again") % {"result": _short(change.returns)})
        if change.stopped:
            made.append(_("being played or reported; it would be stopped"))
        return made

    def pair(self, state: FixtureState) -> str:
        """Who stands in a fixture."""
        if state.status.value == "not_needed":
            return _("not needed")
        return " – ".join(self.slot(slot) for slot in state.slots)

    def slot(self, slot: SlotState) -> str:
        """One side by its four names."""
        if slot.entry is not None:
            return self.names.of(slot.entry)
        if slot.status is SlotStatus.BYE:
            return _("bye")
        if slot.status is SlotStatus.TO_BE_DECIDED:
            return _("to be decided")
        if slot.absent is not None:
            return _("%(name)s (walkover)") % {"name": self.names.of(slot.absent)}
        return _("empty")

    def places(self, changes: Iterable[PlaceChange]) -> list[tuple[str, Cut]]:
        """By bracket or group, the best place first."""
        found = []
        ordered = sorted(changes, key=lambda one: (one.stage, one.key, (one.after or one.before or (0, None))[0]))
        for (stage, key), group in groupby(ordered, key=lambda one: (one.stage, one.key)):
            name = ranking_name(key)
            title = f"{_('Stage %(number)d') % {'number': stage}} · {name}" if self.stages > 1 else name
            lines = [PlaceLine(self.names.of(one.entry), _place(one.before), _place(one.after)) for one in group]
            found.append((title, cut(lines)))
        return found

    def ratings(self, following: Following) -> list[RatingLine]:
        """Whose rating would be another, the largest change first."""
        players = Player.objects.in_bulk([one.player for one in following.ratings])
        return [
            RatingLine(shown(players[one.player], True), players[one.player].public_id, one.before, one.after)
            for one in following.ratings
            if abs(one.change) >= SMALLEST_SHOWN
        ]


def _titles() -> dict[Choice, tuple[str, str]]:
    return {
        Choice.LET_STAND: (
            _("Let stand"),
            _("Nothing changes; that you looked at it is noted in the log with your reason."),
        ),
        Choice.KEEP_BRACKET: (
            _("Correct, keep the bracket"),
            _("Score, standings and ratings are corrected. Whoever has gone on stays where he is."),
        ),
        Choice.CORRECT_ALL: (
            _("Correct all"),
            _("Everything is as if this result had been entered in the first place."),
        ),
    }


def _counts(following: Following, ratings: int) -> list[str]:
    """How much would follow, in a few words."""
    changed, voided, stopped = len(following.changes), len(following.voided), len(following.stopped)
    returning, places = len(following.returning), len({one.entry for one in following.places})
    made = {
        ngettext("%(count)d match changes", "%(count)d matches change", changed): changed,
        ngettext("%(count)d result void", "%(count)d results void", voided): voided,
        ngettext("%(count)d result counts again", "%(count)d results count again", returning): returning,
        ngettext("%(count)d running match stopped", "%(count)d running matches stopped", stopped): stopped,
        ngettext("%(count)d place", "%(count)d places", places): places,
        ngettext("%(count)d rating", "%(count)d ratings", ratings): ratings,
    }
    return [text % {"count": count} for text, count in made.items() if count]


def _place(place: tuple[int, float | None] | None) -> str:
    if place is None:
        return "–"
    at, points = place
    if points is None:
        return ordinal(at)
    return _("%(place)s, %(points)s points") % {"place": ordinal(at), "points": f"{points:g}"}


def _short(result: Result) -> str:
    return f"{result.score_0}–{result.score_1}" if result.score else f"({result.get_kind_display()})"


# What was corrected


@dataclass(frozen=True, slots=True)
class CorrectedLine:
    """A correction that was applied."""

    correction: Correction
    names: tuple[str, str]
    was: str
    became: str
    undone: bool
    last: bool
    """Whether it is what stands, so that it can be undone."""

    @property
    def may_be_undone(self) -> bool:
        """As far as can be told without looking at what follows."""
        return self.last and not self.undone


def corrections_of(tournament: Tournament) -> list[CorrectedLine]:
    """Those of an event, the newest first."""
    return _lines(Correction.objects.filter(fixture__stage__division__tournament=tournament))


def corrections_of_fixture(fixture: Fixture) -> list[CorrectedLine]:
    """Those of a fixture, the newest first."""
    return _lines(Correction.objects.filter(fixture=fixture))


def _lines(rows: Any) -> list[CorrectedLine]:
    found = list(
        rows.select_related(
            "fixture__stage__division",
            "before__match__player_0",
            "before__match__player_1",
            "after",
            "by",
            "undone_by",
        ).order_by("-at", "-pk")
    )
    versions = origins([row.before.match_id for row in found])
    return [_line(row, versions) for row in found]


def _line(row: Correction, versions: Mapping[int, dict[int, int]]) -> CorrectedLine:
    match = row.before.match
    names = (shown(match.player_0, True), shown(match.player_1, True))
    was, became = (result_words(one.winner, one.score, one.kind, names) for one in (row.before, row.after))
    last = match.state == Match.State.SETTLED and stands(row, versions[match.pk])
    return CorrectedLine(row, names, was, became, hasattr(row, "undone_by"), last)
