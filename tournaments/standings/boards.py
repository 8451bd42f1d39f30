"""The boards of a round: its matches, counted, where no floor says at which table each is played."""

from collections.abc import Collection

from django.utils.translation import gettext as _

from tournaments.models import Fixture, Floor


def has_open_floor(tournament_id: int) -> bool:
    """Whether the floor of an event is open, so that its matches are called to tables."""
    return Floor.objects.filter(tournament=tournament_id).exists()


def board_name(number: int) -> str:
    """Return the name of a board."""
    return _("Board %(number)d") % {"number": number}


def boards_of(rounds: Collection[int]) -> dict[int, int]:
    """Return fixture id -> its board, counted over the fixtures of the round with two players, without open floors."""
    boards: dict[int, int] = {}
    counted: dict[int, int] = {}
    fixtures = Fixture.objects.filter(round__in=rounds, match__isnull=False, stage__division__tournament__floor=None)
    for pk, round_ in fixtures.order_by("number").values_list("pk", "round"):
        counted[round_] = boards[pk] = counted.get(round_, 0) + 1
    return boards
