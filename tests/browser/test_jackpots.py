"""A jackpot at the desk, on a small phone in light and dark: a name and its fee in two taps from the event's page."""

from collections.abc import Callable

from django.utils import timezone

from players.actors import SYSTEM
from players.models import Club, Player, User
from tests.browser.conftest import Check, OpenPage, follow
from tournaments.entries import check_in
from tournaments.entries import services as entries
from tournaments.events import services as events
from tournaments.models import CheckIn, Offer, Payment
from tournaments.offers import services as offers


def test_two_taps_enter_a_name_with_the_fee_and_one_undoes_it(
    open_page: OpenPage,
    in_both_views: Check,
    club: Club,
    alice: User,
    make_players: Callable[[int], list[Player]],
) -> None:
    now = timezone.now()
    event = events.create_tournament(club=club, by=SYSTEM, now=now, name="Weekend", starts_at=now)
    main = events.create_division(tournament=event, by=SYSTEM, now=now, name="Main")
    for entry in entries.enter(division=main, players=make_players(6), by=SYSTEM, now=now):
        check_in.mark(entry=entry, state=CheckIn.State.HERE, by=SYSTEM, now=now)
    jackpot = offers.OfferInput("Jackpot 100", 4, [5], fee=100, kept=500)
    offers.create_offer(tournament=event, offer=jackpot, by=SYSTEM, now=now)
    events.publish_tournament(tournament=event, by=SYSTEM, now=now)
    offer = Offer.objects.select_related("tournament__club").get()
    for name in ("Player 1", "Player 2"):
        player = Player.objects.get(name=name)
        offers.join(offer=offer, player=player, amount=100, key=name, by=SYSTEM, now=now)
    page = open_page(f"/events/{club.slug}/{event.slug}/", user=alice, width=320)
    in_both_views(page)
    follow(page.get_by_role("link", name="Enter a name"))
    follow(page.get_by_role("button", name="Player 3 100"))
    page.get_by_text("no. 1: 3 of 4").wait_for()
    in_both_views(page)
    assert Payment.objects.count() == 3
    follow(page.get_by_role("button", name="Player 4 100"))
    page.get_by_text("full, starts in").wait_for()
    in_both_views(page)
    follow(page.get_by_role("button", name="Undo"))
    page.get_by_text("no. 1: 3 of 4").wait_for()
    assert offer.runs.get(run=1).starts_at is None
