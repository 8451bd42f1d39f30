"""The demo club is removed with everything that belongs to it, and nothing else."""

from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.core.management import CommandError, call_command
from django.db import connection, models
from django.utils import timezone

from demo.club import logins_file
from demo.removal import decline
from players.actors import Actor
from players.clubs.services import add_player, create_club
from players.models import Club, Player, User


def filled() -> set[str]:
    """The tables that have rows."""
    tables = {model._meta.db_table: model for model in apps.get_models(include_auto_created=True)}
    return {name for name, model in tables.items() if models.QuerySet(model).exists()}


@pytest.mark.slow
@pytest.mark.django_db
def test_the_demo_club_is_removed_with_one_command(
    carol: User, tmp_path: Path, settings: Any, django_capture_on_commit_callbacks: Any
) -> None:
    User.objects.filter(pk=carol.pk).update(email="carol@example.com")
    settings.VAR_DIR = tmp_path
    decline(now=timezone.now())
    before = filled()
    call_command("demo", unless_declined=True)
    assert filled() == before, "declined"
    call_command("demo")
    assert logins_file().exists()
    own = create_club(name="Own", by=Actor.of(carol))
    guest = add_player(club=own, player=Player.objects.filter(user=None).first(), by=Actor.of(carol))
    with pytest.raises(CommandError, match="others use it: Own"):
        call_command("demo", remove=True)
    assert Club.objects.count() == 2
    guest.delete()
    with django_capture_on_commit_callbacks(execute=True):
        call_command("demo", remove=True)
    connection.check_constraints()
    assert [club.name for club in Club.objects.all()] == ["Own"]
    assert [user.email for user in User.objects.all()] == ["carol@example.com"]
    assert not logins_file().exists()
    left = filled() - before
    assert left == {"players_club", "players_logentry", "players_membership", "players_player", "matches_ratingpool"}
    with pytest.raises(CommandError, match="There is no demo club"):
        call_command("demo", remove=True)
    call_command("demo", unless_declined=True)
    assert Club.objects.count() == 1
