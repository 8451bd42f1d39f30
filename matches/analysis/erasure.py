"""Erasing how a person played: the judged decisions of their side are deleted, those of their opponents stay."""

from django.db.models import Q

from matches.models import Decision
from players.models import Player


def forget_decisions(players: list[Player]) -> None:
    """Delete the decisions of these players in the analyses of their matches."""
    is_left = Q(analysis__match__player_0__in=players)
    is_right = Q(analysis__match__player_1__in=players)
    as_recorded = Q(analysis__swapped=False) & (Q(side=0) & is_left | Q(side=1) & is_right)
    swapped = Q(analysis__swapped=True) & (Q(side=1) & is_left | Q(side=0) & is_right)
    Decision.objects.filter(as_recorded | swapped).delete()
