"""The final of a season: a draft event of those who qualify, seeded by their ranks."""

from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from django.db import transaction
from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext as _

from core.locks import lock_row
from engine.errors import Refused
from players.access import Role
from players.actions import Endpoint
from players.actors import Actor, log
from players.people.rows import lock_club
from tournaments.entries.services import enter
from tournaments.events.services import create_division, create_tournament
from tournaments.formats.settings import KNOCKOUT, StageSettings
from tournaments.models import Division, Series, Tournament
from tournaments.seasons.actions import SeriesAction
from tournaments.seasons.changes import qualifying_places
from tournaments.seasons.forms import FinalForm
from tournaments.seasons.tables import closing_of, people_of, standing_of, table_of
from tournaments.state.stages import set_stages

LENGTH = 7
"""Points of a match of the final, until the director chooses."""
LATER = timedelta(days=7)
"""From the last day of a season to its final, until the director chooses."""


def qualified(series: Series) -> tuple[list[str], int]:
    """Return the public ids of those whose rank qualifies, by rank, and how many places the plan has for them.

    All who share the last rank qualify.
    """
    closing = closing_of(series)
    standing = standing_of(series, version=closing.plan if closing is not None else None)
    table = closing.table if closing is not None else table_of(standing)
    places = qualifying_places(standing.plan)
    ranked = [(row["rank"], row["player"]) for row in table["rows"] if row["rank"] is not None]
    return [player for rank, player in sorted(ranked, key=lambda pair: pair[0]) if rank <= places], places


def prepare_final(*, series: Series, by: Actor, now: datetime) -> Tournament:
    """Create the final as a draft with a knockout of those who qualify; if there is one already, return it.

    The higher ranks are seeded, so that byes go to them. Refused: `series_no_final`, `series_nobody_qualifies`.
    """
    with transaction.atomic():
        lock_club(series.club)
        row = lock_row(Series, series.pk)
        if row.final is not None and row.final.status != Tournament.Status.CANCELLED:
            return row.final
        ids, places = qualified(row)
        if not places:
            raise Refused("series_no_final")
        if len(ids) < 2:
            raise Refused("series_nobody_qualifies")
        people = people_of(ids)
        players = [people[public_id].merged_into or people[public_id] for public_id in ids]
        zone = ZoneInfo(row.club.time_zone)
        starts = datetime.combine(max(row.last_day, now.astimezone(zone).date()), datetime.min.time(), zone)
        name = _("Final of {season}").format(season=row.name)
        event = create_tournament(
            club=row.club, by=by, now=now, name=name, starts_at=starts + LATER + timedelta(hours=19)
        )
        division = create_division(
            tournament=event, by=by, now=now, name=_("Final"), match_length=LENGTH,
            draw_method=Division.DrawMethod.ENTRY,
        )  # fmt: skip
        enter(division=division, players=players, by=by, now=now)
        division.refresh_from_db()
        set_stages(division=division, stages=[StageSettings(KNOCKOUT)], after=division.seq, by=by, now=now)
        row.final, row.seq = event, row.seq + 1
        row.save(update_fields=["final", "seq"])
        log(by, "series_final_prepared", row.topic, club=row.club, name=row.name, event=event.public_id)
    return event


class FinalAction(SeriesAction):
    """Preparing the final."""

    def success_url(self, request: HttpRequest, obj: Series, form: Any) -> str:
        """The event, which is a draft."""
        obj.refresh_from_db()
        assert obj.final is not None  # noqa: S101, it was prepared
        return reverse("event", args=[obj.club.slug, obj.final.slug])


def _prepare(form: Any, by: Actor, now: datetime) -> str:
    """Prepare the final of a season.

    A draft event of those who qualify, seeded by their ranks; if there is one already, nothing changes.
    """
    event = prepare_final(series=form.instance, by=by, now=now)
    return _("{event} is a draft. Choose its day, see who comes, and publish it.").format(event=event.name)


final = FinalAction(
    "final",
    FinalForm,
    _prepare,
    Role.DIRECTOR,
    Endpoint("seasons_prepare_final"),
)
