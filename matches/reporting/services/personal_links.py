"""Revoking personal links."""

from collections.abc import Collection

from django.db import transaction
from django.db.models import F, Q

from core.locks import for_update
from matches.lifecycle.locks import lock_match
from matches.models import Match
from players.actors import Actor, log


@transaction.atomic
def revoke_link(*, match: Match, side: int, generation: int, by: Actor) -> Match:
    """End the personal link of a side, of which there is a new one at once; QR codes already printed will stop working.

    `generation` is that of the link to revoke. If it was revoked already nothing changes, so that a second click does
    not end the new link.
    """
    locked = lock_match(match.pk)
    if locked.link_generations[side] == generation:
        name = f"link_generation_{side}"
        setattr(locked, name, generation + 1)
        locked.save(update_fields=[name])
        log(by, "link_revoked", locked.topic, club=locked.club, side=side)
    return locked


@transaction.atomic
def revoke_all_links(*, topics: Collection[str], players: Collection[int]) -> None:
    """End the personal links of these players in all matches with these parent topics; the caller logs it."""
    matches = Match.objects.filter(Q(player_0__in=players) | Q(player_1__in=players), parent_topic__in=topics)
    ids = [match.pk for match in for_update(matches.order_by("pk"))]
    of_matches = Match.objects.filter(pk__in=ids)
    of_matches.filter(player_0__in=players).update(link_generation_0=F("link_generation_0") + 1)
    of_matches.filter(player_1__in=players).update(link_generation_1=F("link_generation_1") + 1)
