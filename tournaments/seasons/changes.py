"""What changes in the table of a series: by another plan, or by a corrected result."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from django.utils.translation import gettext as _

from tournaments.formats.series.plan import Plan
from tournaments.models import Division, Series
from tournaments.seasons.tables import Standing, closing_of, nights_of, people_of, standing_of
from tournaments.seasons.titles import series_title_changes
from tournaments.state.derivation import StageState
from tournaments.state.names import shown


@dataclass(frozen=True, slots=True)
class Change:
    """A row of the table before and after, as rank and total; None if it is not there."""

    name: str
    before: tuple[int | None, str] | None
    after: tuple[int | None, str] | None


def changes_of(before: Standing, after: Standing, names: Mapping[str, str]) -> list[Change]:
    """Return the rows whose rank or total differs, in the order of the new table."""
    old = {row.player: (row.rank, row.total) for row in before.season.rows}
    new = {row.player: (row.rank, row.total) for row in after.season.rows}
    players = [*new, *(player for player in old if player not in new)]
    return [
        Change(names.get(player, ""), _shown(before, old.get(player)), _shown(after, new.get(player)))
        for player in players
        if old.get(player) != new.get(player)
    ]


def _shown(standing: Standing, row: tuple[int | None, Fraction] | None) -> tuple[int | None, str] | None:
    return None if row is None else (row[0], standing.show(row[1]))


def qualifying_places(plan: Plan) -> int:
    """Return how many qualify for a final; 0 if nobody does."""
    places = plan.qualify.get("places")
    return places if isinstance(places, int) else 0


@dataclass(frozen=True)
class SeasonChanges:
    """What a corrected result would change in a series in which its event counts."""

    series: Series
    rows: Sequence[Change]
    is_closed: bool
    final: Sequence[str] = ()
    """Sentences about who would qualify for the final, and who no longer would."""
    titles: Sequence[str] = ()
    """Sentences about titles."""


def season_changes(division: Division, states: Sequence[StageState]) -> list[SeasonChanges]:
    """Return what changes in the series of a division's event if its stages had these states; staff read it."""
    if not states:
        return []
    changes = []
    rows = Series.objects.filter(counted__tournament=division.tournament_id).select_related("club")
    for series in rows.order_by("first_day", "pk"):
        before = standing_of(series)
        after = standing_of(series, nights=nights_of(series, {division.pk: states}))
        people = people_of(row.player for row in (*before.season.rows, *after.season.rows))
        names = {public_id: shown(player, staff=True) for public_id, player in people.items()}
        changed = changes_of(before, after, names)
        titles = series_title_changes(series, before, after)
        if changed or titles:
            old, new = _qualified(before), _qualified(after)
            final = [
                *(_("%(name)s qualifies for the final.") % {"name": names[row]} for row in new if row not in old),
                *(_("%(name)s no longer qualifies.") % {"name": names[row]} for row in old if row not in new),
            ]
            changes.append(SeasonChanges(series, changed, closing_of(series) is not None, final, titles))
    return changes


def _qualified(standing: Standing) -> list[str]:
    """Return who has a rank that qualifies; with a shared rank at the border, all who share it."""
    places = qualifying_places(standing.plan)
    return [row.player for row in standing.season.rows if row.rank is not None and row.rank <= places]
