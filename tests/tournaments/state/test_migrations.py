"""What a migration makes of rows that an earlier version has written."""

from collections.abc import Callable
from importlib import import_module

import pytest
from django.apps import apps
from django.db import connection

from tournaments.models import Division, Stage
from tournaments.state.plans import settings_of

pytestmark = pytest.mark.django_db


def test_settings_of_before_editions_keep_what_their_tables_say(make_division: Callable[..., Division]) -> None:
    division = make_division(name="Main")
    swiss = Stage.objects.create(
        division=division, number=2, format="swiss", settings={"rounds": 5, "tiebreaks": ["playoff", "wins"]}
    )
    league = Stage.objects.create(division=division, number=3, format="league", settings={"unplayed_half": True})
    migration = import_module("tournaments.migrations.0007_settings_of_formats")

    migration.bring_up_to_date(apps, connection.schema_editor())
    swiss.refresh_from_db()
    league.refresh_from_db()

    assert swiss.settings == {"rounds": 5, "tiebreaks": ["wins"], "edition": "2023-09-01"}
    assert settings_of(league).scoring.unplayed == 0.5
