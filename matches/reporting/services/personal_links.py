"""Revoking a personal link."""

from django.db import transaction

from matches.lifecycle.locks import lock_match
from matches.models import Match
from players.actors import Actor, log


@transaction.atomic
def revoke_link(*, match: Match, side: int, generation: int, by: Actor) -> Match:
    """End the personal link of a side, of which there is a new one at once; QR codes printed before stop working.

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
