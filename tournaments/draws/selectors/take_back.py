"""Whether a draw or a round can be taken back. The services check again under their locks."""

from dataclasses import dataclass

from django.db.models import QuerySet

from tournaments.draws.services.take_back import begun_fixtures, last_round_of
from tournaments.models import Division, Fixture, Stage


@dataclass(frozen=True, slots=True)
class TakeBack:
    """The round that can be taken back; 0 is the draw."""

    round: int
    begun: int | None = None
    """The number of a match that prevents it because it has begun or is decided."""

    @property
    def possible(self) -> bool:
        """Whether nothing has begun."""
        return self.begun is None


def draw_to_take_back(division: Division) -> TakeBack | None:
    """Return the published draw of an open event; None before the draw."""
    if division.status == Division.Status.ENTRIES or not division.tournament.is_open:
        return None
    return _of(0, Fixture.objects.filter(stage__division=division).select_related("match"))


def round_to_take_back(division: Division) -> TakeBack | None:
    """Return the round that was paired last; None if only the draw was made."""
    draw = last_round_of(division) if division.tournament.is_open else None
    if draw is None or (draw.round == 1 and draw.stage.number == 1):
        return None
    if division.stages.filter(number__gt=draw.stage.number).exclude(status=Stage.Status.PLANNED).exists():
        return None
    rows = Fixture.objects.filter(stage=draw.stage, round__number=draw.round).select_related("match")
    return _of(draw.round, rows)


def round_after(fixture: Fixture) -> TakeBack | None:
    """Return the round after a fixture's if it was paired from its result and can still be taken back."""
    option = round_to_take_back(fixture.stage.division)
    if option is None or not option.possible or fixture.round.number != option.round - 1:
        return None
    draw = last_round_of(fixture.stage.division)
    return option if draw is not None and draw.stage_id == fixture.stage_id else None


def _of(number: int, fixtures: QuerySet[Fixture]) -> TakeBack:
    begun = begun_fixtures(list(fixtures))
    return TakeBack(number, begun[0] if begun else None)
