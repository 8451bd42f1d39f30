"""Clean the names that were stored with characters that are not seen, and what they are compared by."""

from itertools import count
from typing import Any

from django.db import IntegrityError, migrations, transaction

from core.names import INVISIBLE, visible

NAMES = (
    "players.User.display_name players.ApiToken.name players.Player.name players.Alias.name players.Club.name "
    "players.KeptAct.label matches.Match.told_event matches.MatchImport.name matches.RatingPool.name "
    "matches.Submission.file_name tournaments.Tournament.name tournaments.Tournament.venue tournaments.Division.name "
    "tournaments.Offer.name tournaments.Entry.team tournaments.Table.label tournaments.Venue.name "
    "tournaments.VenueTable.label tournaments.PastSeason.name tournaments.PastPlacing.event tournaments.SidePool.name "
    "tournaments.Series.name tournaments.SeriesView.name"
)
KEYS = {"Player": ["name_key", "parts"], "Alias": ["name_key"], "Club": ["search_key"]}


def clean(apps: Any, _schema_editor: Any) -> None:
    """Clean the few rows that need it; each by itself, so that nothing is locked for long."""
    for app, model, column in (name.split(".") for name in NAMES.split()):
        for row in list(apps.get_model(app, model).objects.filter(**{f"{column}__regex": INVISIBLE})):
            row.parts = [[text and visible(text) for text in part] for part in getattr(row, "parts", None) or ()] or None
            field = row._meta.get_field(column)
            name = " ".join(visible(getattr(row, column)).split()) or ("" if field.blank else "?")
            # Another row may have that name where it can be only once.
            for number in count(1):
                setattr(row, column, name if number == 1 else f"{name[: field.max_length - 8]} ({number})")
                try:
                    with transaction.atomic():
                        row.save(update_fields=[column, *KEYS.get(model, ())])
                except IntegrityError:
                    continue
                break


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ("players", "0019_pairs"),
        ("matches", "0026_event_opponents"),
        ("tournaments", "0038_replaced_pairings"),
    ]

    operations = [migrations.RunPython(clean, migrations.RunPython.noop)]
