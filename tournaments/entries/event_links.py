"""A player's personal link for an event: their check-in and all their matches, without an account.

Like the link of a match (`matches.lifecycle.links`) it is computed, not stored, so that its QR code can be printed
again, and revoking it raises the generation with which it is signed. It belongs to the player, not to an entry: it
stays the same with another division, a withdrawal or a substitute. Links of players who were merged lead to the player
they were merged into.
"""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import NamedTuple

from django.core.signing import BadSignature, Signer
from django.db.models import Q, QuerySet
from django.http import Http404
from django.urls import reverse

from matches.lifecycle.links import refuse_expired_event_link
from matches.models import Match
from players.models import Player
from players.people.rows import canonical
from tournaments.access import VISIBLE, end_of
from tournaments.models import EventLink, Tournament

TOKEN = r"(?P<event_token>[2-9a-z]{10}\.[2-9a-z]{10}\.[\w-]{43})"  # noqa: S105, a pattern for URLs
"""Pattern of a token in a URL."""
SALT = "tournaments.event_links"


class LinkHolder(NamedTuple):
    """Whoever opened a personal link of an event."""

    tournament: Tournament
    player: Player
    """After merges."""


def link_holder(token: str, now: datetime) -> LinkHolder:
    """Return the event and the player of a link. Raise Http404 if it is forged or revoked, or the event a draft.

    Refused: `link_expired`.
    """
    event_id, player_id, _signature = token.split(".")
    tournament = Tournament.objects.select_related("club").filter(public_id=event_id, status__in=VISIBLE).first()
    player = Player.objects.filter(public_id=player_id).first()
    if tournament is None or player is None:
        raise Http404
    generation = generations_of(tournament, [player.pk])[player.pk]
    try:
        _signer(generation).unsign(token)
    except BadSignature:
        raise Http404 from None
    holder = LinkHolder(tournament, canonical(player))
    if holder.player.erased_at is not None:
        raise Http404
    refuse_expired_event_link(end_of(tournament), matches_of(holder), now)
    return holder


def path_for(tournament: Tournament, player: Player, generation: int) -> str:
    """Return the path of the link of this generation; `player` is the one after merges."""
    token = _signer(generation).sign(f"{tournament.public_id}.{player.public_id}")
    return reverse("event-link", args=[token])


def generations_of(tournament: Tournament, players: Iterable[int]) -> Mapping[int, int]:
    """Return player id -> the generation of the link of each of these players; one query."""
    rows = EventLink.objects.filter(tournament=tournament, player__in=players).values_list("player", "generation")
    return dict.fromkeys(players, 0) | dict(rows)


def person_ids(player: Player) -> list[int]:
    """Return the ids of a player and of those merged into them."""
    same = Player.objects.filter(Q(pk=player.pk) | Q(merged_into=player))
    return list(same.order_by("pk").values_list("pk", flat=True))


def division_topics(tournament: Tournament) -> list[str]:
    """Return the topics to which the matches of an event belong."""
    return [division.topic for division in tournament.divisions.all()]


def matches_of(holder: LinkHolder) -> QuerySet[Match]:
    """Return the matches of the player in the event, void ones left out."""
    same = person_ids(holder.player)
    mine = Match.objects.filter(Q(player_0__in=same) | Q(player_1__in=same))
    return mine.filter(parent_topic__in=division_topics(holder.tournament)).exclude(state=Match.State.VOID)


def _signer(generation: int) -> Signer:
    return Signer(salt=f"{SALT}.{generation}", sep=".")
