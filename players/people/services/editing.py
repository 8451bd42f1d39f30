"""Correcting the name and country of a player."""

from django.db import transaction

from core.countries import check_country
from core.names import clean_name
from engine.errors import Refused
from players.actors import Actor, apply, log
from players.models import Club, Player
from players.people.locks import lock_players
from players.people.services.merging import must_be_home, remember_alias
from players.people.topics import player_topic


@transaction.atomic
def edit_player(*, player: Player, club: Club, name: str, country: str, by: Actor) -> Player:
    """Change the name and country of a player without an account; the old name is kept as an alias.

    Only the club that entered the player may do it. Players with an account choose their own name.
    Refused: `player_has_account`, `other_club_entered`, `already_merged`, `erased`, `name_missing`, `name_too_long`,
    `bad_country`.
    """
    row = lock_players(player)[player.pk]
    values = {"name": clean_name(name), "country": check_country(country)}
    if row.erased_at is not None:
        raise Refused("erased")
    if row.merged_into_id is not None:
        raise Refused("already_merged", name=row.name)
    if row.user_id is not None:
        raise Refused("player_has_account", name=row.name)
    must_be_home(row, club)
    before = row.name
    if changed := apply(row, values):
        log(by, "player_changed", player_topic(row), club=club, changed=changed)
    if before != row.name:
        remember_alias(player=row, name=before, by=by)
    return row
