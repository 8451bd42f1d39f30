"""What was there before a journey: the club's players, an evening, an event that is being played."""

from collections.abc import Sequence
from datetime import timedelta

from django.utils import timezone

from clubhouse.tonight import EveningPlan, start_evening
from formats.settings import PROGRESSIVE, StageSettings
from players.actors import Actor
from players.models import Club, Membership, Player, User
from tests.browser.test_floor import NAMES
from tournaments.entries import services as entries
from tournaments.events import services as events
from tournaments.ledger.money import Currency
from tournaments.models import Division, Tournament


def account_of(player: Player, email: str, club: Club) -> User:
    """Give a player an account and a membership of the club."""
    user = User.objects.create_user(email, "crawford-1969", display_name=player.name)
    player.user = user
    player.save()
    Membership.objects.get_or_create(club=club, player=player)
    return user


def entered_event(
    club: Club, alice: User, players: int = len(NAMES), currency: Currency | None = None, **division: object
) -> Tournament:
    """A published event of tonight at six tables, entered by as many players and not drawn."""
    by, now = Actor.of(alice), timezone.now()
    soon = now + timedelta(minutes=30)
    event = events.create_tournament(club=club, by=by, now=now, name="Friday Knockout", starts_at=soon, tables=6)
    if currency is not None:
        event.currency, event.currency_exponent = currency.code, currency.exponent
        event.save(update_fields=["currency", "currency_exponent"])
    row = events.create_division(tournament=event, by=by, now=now, **{"name": "Open", "match_length": 7, **division})
    people = [Player.objects.create(name=name) for name in NAMES[:players]]
    for player in people:
        Membership.objects.create(club=club, player=player)
    entries.enter(division=row, players=people, by=by, now=now)
    events.publish_tournament(tournament=event, by=by, now=now)
    return Tournament.objects.get(pk=event.pk)


CONSOLATION = (StageSettings(PROGRESSIVE, lengths=(5,), lower_lengths=(3,)),)


def last_week(club: Club, alice: User, players: int = 8, stages: Sequence[StageSettings] = CONSOLATION) -> Tournament:
    """An evening of a week ago, which is over: a consolation to 5 points at four tables."""
    now = timezone.now() - timedelta(days=7)
    people = [Player.objects.create(name=name) for name in NAMES[:players]]
    for player in people:
        Membership.objects.create(club=club, player=player)
    plan = EveningPlan(4, now + timedelta(hours=4), stages, people)
    event = start_evening(club=club, plan=plan, by=Actor.of(alice), now=now)
    event.divisions.update(status=Division.Status.FINISHED)
    Tournament.objects.filter(pk=event.pk).update(status=Tournament.Status.FINISHED)
    return event
