"""Labels for what an act would change: fixtures, places and ratings, as previews show them."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from django.utils.translation import gettext as _

from matches.models import Result
from matches.presentation.labels import score_of
from matches.ratings.rated import measures_play
from players.models import Player
from tournaments.formats.progress import FixtureState, SlotState, SlotStatus
from tournaments.models import Division, Round
from tournaments.standings.layout import ordinal, ranking_name
from tournaments.standings.rounds import round_names
from tournaments.state.names import names_of, shown
from tournaments.state.preview import Consequences, FixtureChange, PlaceChange

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


class ChangeLabels:
    """Labels for the changes of a division; what they need of it is read once."""

    def __init__(self, division: Division, *, voided_rated: bool = True) -> None:
        self.names = names_of(division, staff=True)
        self.voided_rated = voided_rated
        self.rounds = round_names(Round.objects.filter(bracket__stage__division=division))
        self.stages = division.stages.count()

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
        remarks = []
        if change.voided is not None:
            text = _("its result %(result)s would be void") % {"result": _short(change.voided)}
            if change.row.match is not None and change.row.match.rated and measures_play(change.voided):
                stays = _("played: stays rated") if self.voided_rated else _("rated no more")
                text = f"{text} ({stays})"
            remarks.append(text)
        if change.returns is not None:
            remarks.append(_("their result %(result)s counts again") % {"result": _short(change.returns)})
        if change.stopped:
            remarks.append(_("being played or reported; it would be stopped"))
        return remarks

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

    def ratings(self, following: Consequences) -> list[RatingLine]:
        """Whose rating would be another, the largest change first."""
        players = Player.objects.in_bulk([one.player for one in following.ratings])
        return [
            RatingLine(shown(players[one.player], True), players[one.player].public_id, one.before, one.after)
            for one in following.ratings
            if abs(one.change) >= SMALLEST_SHOWN
        ]


def _place(place: tuple[int, float | None] | None) -> str:
    if place is None:
        return "–"
    at, points = place
    if points is None:
        return ordinal(at)
    return _("%(place)s, %(points)s points") % {"place": ordinal(at), "points": f"{points:g}"}


def _short(result: Result) -> str:
    return score_of(result.match, 0, result.score) if result.score else f"({result.get_kind_display()})"
