"""Labels of changed fixtures, places and ratings, as previews show them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import groupby
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from core.languages import ordinal
from formats.plans import ROUNDS
from formats.settings import BY_ROUND, LIVES, PLACES
from formats.states import FixtureState, SlotState, SlotStatus
from matches.models import Result
from matches.presentation.labels import final_score, score_of
from matches.ratings.rated import measures_play
from players.models import Player
from tournaments.consequences import changes_of
from tournaments.models import Division, Fixture, Round, Slot
from tournaments.standings.brackets import ranking_name
from tournaments.standings.labels import points_text
from tournaments.standings.rounds import RoundNames
from tournaments.state.names import names_in_club, names_of
from tournaments.state.plans import is_continuous
from tournaments.state.preview import Consequences, FixtureChange, PlaceChange

SHOWN = 12
"""Lines of a list that are shown at first; the rest is collapsed."""
COMING: Mapping[str, Promise] = {
    Slot.Source.WINNER: gettext_lazy("Winner of M%(number)s"),
    Slot.Source.LOSER: gettext_lazy("Loser of M%(number)s"),
}
SMALLEST_SHOWN = 0.05
"""Rating points below which a change shows as none."""


@dataclass(frozen=True, slots=True)
class ChangeLine:
    """A fixture that would change: where it is, its entrants before and after, and what happens to results."""

    number: int
    where: str
    public_id: str
    before: str
    after: str
    remarks: tuple[str, ...] = ()
    stopped: bool = False


@dataclass(frozen=True, slots=True)
class RatingLine:
    """The rating of a player before and after."""

    name: str
    player: str
    """Public id."""
    before: float
    after: float

    @property
    def change(self) -> float:
        """Rating points won or lost."""
        return self.after - self.before

    @property
    def distance(self) -> float:
        """The size of the change, without its sign."""
        return abs(self.change)


@dataclass(frozen=True, slots=True)
class CollapsedList:
    """A list that shows only its first lines at first."""

    shown: list[Any]
    rest: list[Any]

    def __bool__(self) -> bool:
        return bool(self.shown)

    def __len__(self) -> int:
        return len(self.shown) + len(self.rest)


def collapse(lines: Iterable[Any]) -> CollapsedList:
    """Collapse all but the first lines; a single line is never collapsed."""
    rows = list(lines)
    count = SHOWN if len(rows) > SHOWN + 1 else len(rows)
    return CollapsedList(rows[:count], rows[count:])


class ChangeLabels:
    """Labels for the changes of a division; names and rounds are read once.

    Without `staff`, players who show only initials are named by them.
    """

    def __init__(self, division: Division, *, voided_rated: bool = True, staff: bool = True) -> None:
        self.division = division
        self.names = names_of(division, staff=staff)
        self.voided_rated = voided_rated
        self.rounds = RoundNames(Round.objects.filter(bracket__stage__division=division))
        self.stages = division.stages.count()

    def change(self, change: FixtureChange) -> ChangeLine:
        where = self.rounds.get(change.row.round_id, "")
        return ChangeLine(
            change.row.number,
            where,
            change.row.public_id,
            self.pair(change.before, change.row),
            self.pair(change.after, change.row),
            tuple(self.remarks(change)),
            change.stopped,
        )

    def remarks(self, change: FixtureChange) -> list[str]:
        """Return what would happen to its results."""
        remarks = []
        if change.voided is not None:
            text = _("result %(result)s would become void") % {"result": _short(change.voided)}
            if change.row.match is not None and change.row.match.rated and measures_play(change.voided):
                stays = _("played: stays rated") if self.voided_rated else _("no longer rated")
                text = f"{text} ({stays})"
            remarks.append(text)
        if change.returns is not None:
            remarks.append(_("result %(result)s would count again") % {"result": _short(change.returns)})
        if change.stopped:
            remarks.append(_("begun or reported; would be stopped"))
        return remarks

    def pair(self, state: FixtureState, fixture: Fixture) -> str:
        if state.status.value == "not_needed":
            return _("not needed")
        if all(slot.status is SlotStatus.BYE for slot in state.slots) and fixture.stage_id in self.paired_when_free:
            return _("the pairing is taken back")
        return " – ".join(self.slot(slot, fixture, side) for side, slot in enumerate(state.slots))

    @cached_property
    def sources(self) -> dict[tuple[int, int], tuple[str, int | None]]:
        """Where the entrants come from, by fixture and side: the kind, and the number of the match."""
        rows = Slot.objects.filter(fixture__stage__division=self.division)
        return {
            (fixture, side): (source, number)
            for fixture, side, source, number in rows.values_list("fixture", "side", "source", "source_fixture")
        }

    def slot(self, slot: SlotState, fixture: Fixture, side: int) -> str:
        """Return an entrant, a bye, a walkover, “empty”, or where a player comes from who is still to be decided."""
        if slot.entry is not None:
            return self.names.of(slot.entry)
        if slot.status is SlotStatus.BYE:
            return _("no opponent (bye)")
        if slot.status is SlotStatus.TO_BE_DECIDED:
            source, number = self.sources.get((fixture.pk, side), ("", None))
            if source in COMING and number is not None:
                return str(COMING[source]) % {"number": number}
            return _("a player still to come")
        if slot.absent is not None:
            return _("%(name)s (walkover)") % {"name": self.names.of(slot.absent)}
        return _("empty")

    def places(self, changes: Iterable[PlaceChange]) -> list[tuple[str, CollapsedList]]:
        """Return the changed places by bracket or group, the best place first: name, place before and place after."""
        sections = []
        for (stage, key), group in groupby(
            sorted(changes, key=_place_order), key=lambda change: (change.stage, change.key)
        ):
            name = (
                _("Without rounds")
                if key == ROUNDS and stage in self.without_rounds
                else ranking_name(key, whole=self.formats[stage] == PLACES)
            )
            title = f"{_('Stage %(number)s') % {'number': stage}} · {name}" if self.stages > 1 else name
            place = _lives_place if stage in self.with_lives else _place
            lines = [(self.names.of(change.entry), place(change.before), place(change.after)) for change in group]
            sections.append((title, collapse(lines)))
        return sections

    @cached_property
    def without_rounds(self) -> set[int]:
        """The numbers of the stages that are played without rounds."""
        return set(self.paired_when_free.values())

    @cached_property
    def paired_when_free(self) -> dict[int, int]:
        """The numbers of the stages that are played without rounds, by their ids."""
        rows = self.division.stages.filter(format__in=BY_ROUND)
        return {row.pk: row.number for row in rows if is_continuous(row)}

    @cached_property
    def with_lives(self) -> set[int]:
        """The numbers of the stages that count lives."""
        return {number for number, format_ in self.formats.items() if format_ == LIVES}

    @cached_property
    def formats(self) -> dict[int, str]:
        return dict(self.division.stages.values_list("number", "format"))

    def rated(self, following: Consequences) -> tuple[dict[int, Player], dict[int, str]]:
        """Return the players whose ratings would change, and their names: in a pool of the site, also strangers."""
        players = Player.objects.in_bulk([change.player for change in following.ratings])
        return players, names_in_club(self.division.tournament.club, players.values(), staff=True)

    def ratings(self, following: Consequences) -> list[RatingLine]:
        """Return the ratings that would change, the largest change first."""
        players, names = self.rated(following)
        return [
            RatingLine(names[change.player], players[change.player].public_id, change.before, change.after)
            for change in following.ratings
            if abs(change.change) >= SMALLEST_SHOWN
        ]


@dataclass(frozen=True, slots=True)
class FollowingView:
    """What follows from an act, in words; `changes` without the matches in progress that would be `stopped`."""

    counts: list[str] = field(default_factory=list)
    sentences: list[str] = field(default_factory=list)
    changes: CollapsedList = field(default_factory=lambda: collapse([]))
    stopped: list[ChangeLine] = field(default_factory=list)
    places: list[tuple[str, CollapsedList]] = field(default_factory=list)
    ratings: CollapsedList = field(default_factory=lambda: collapse([]))
    prizes: CollapsedList = field(default_factory=lambda: collapse([]))
    in_apps: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    """What follows in later apps, by the names of `tournaments.consequences`."""


def following_view(following: Consequences, labels: ChangeLabels) -> FollowingView:
    """Return what follows from an act as its preview shows it to the staff."""
    changes = [labels.change(change) for change in following.changes]
    ratings = labels.ratings(following)
    in_apps = changes_of(labels.division, following.states)
    prizes = in_apps["prizes"]
    return FollowingView(
        _counts(following, len(ratings), len(prizes)),
        sentences(following, labels),
        collapse(line for line in changes if not line.stopped),
        [line for line in changes if line.stopped],
        labels.places(following.places),
        collapse(ratings),
        collapse(prizes),
        in_apps,
    )


def sentences(following: Consequences, labels: ChangeLabels) -> list[str]:
    """Return who would play instead of whom in a later stage, and whether the division would be decided or no longer.

    Anybody who may preview the act may read them.
    """
    lines = []
    for change in following.qualified:
        comes, leaves = (entry and labels.names.of(entry) for entry in (change.comes, change.leaves))
        values = {"comes": comes, "leaves": leaves, "number": change.stage}
        if comes and leaves:
            text = _(
                "%(comes)s takes the place of %(leaves)s in stage %(number)d. What %(leaves)s has played there becomes "
                "void."
            )
        elif comes:
            text = _("%(comes)s plays in stage %(number)d, too.")
        else:
            text = _("%(leaves)s no longer plays in stage %(number)d. What %(leaves)s has played there becomes void.")
        lines.append(text % values)
    if following.ends is not None:
        text = _("With this, %(division)s is decided.") if following.ends else _("%(division)s is no longer decided.")
        lines.append(text % {"division": labels.division.name})
    return lines


def _counts(following: Consequences, ratings: int, prizes: int) -> list[str]:
    """Return how many matches, results, places, ratings and prizes would change."""
    changed, voided, stopped = len(following.changes), len(following.voided), len(following.stopped)
    returning, places = len(following.returning), len({change.entry for change in following.places})
    qualified = len(following.qualified)
    counts = {
        ngettext("%(count)d place in a later stage", "%(count)d places in a later stage", qualified): qualified,
        ngettext("%(count)s match changes", "%(count)s matches change", changed): changed,
        ngettext("%(count)d result void", "%(count)d results void", voided): voided,
        ngettext("%(count)d result counts again", "%(count)d results count again", returning): returning,
        ngettext("%(count)d running match stopped", "%(count)d running matches stopped", stopped): stopped,
        ngettext("%(count)d place", "%(count)d places", places): places,
        ngettext("%(count)d rating", "%(count)d ratings", ratings): ratings,
        ngettext("%(count)d prize", "%(count)d prizes", prizes): prizes,
    }
    redrawn = [_("The bracket is drawn again")] if any(state.rows.is_seated for state in following.states) else []
    return [*redrawn, *(text % {"count": count} for text, count in counts.items() if count)]


def _place_order(change: PlaceChange) -> tuple[int, str, int]:
    place, _points = change.after or change.before or (0, None)
    return change.stage, change.key, place


def _place(place: tuple[int, float | None] | None) -> str:
    if place is None:
        return "–"
    number, points = place
    return ordinal(number) if points is None else f"{ordinal(number)}, {points_text(points)}"


def _lives_place(place: tuple[int, float | None] | None) -> str:
    if place is None or place[1] is None:
        return _place(place)
    number, lives = place[0], int(place[1])
    text = ngettext("%(place)s, %(lives)d life left", "%(place)s, %(lives)d lives left", lives)
    return text % {"place": ordinal(number), "lives": lives}


def _short(result: Result) -> str:
    score = final_score(result.match, result)
    return score_of(result.match, 0, score) if score is not None else f"({result.get_kind_display()})"
