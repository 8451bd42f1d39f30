"""A director pastes the list of a chat, and the evening has the people who are in it."""

import re

import pytest

from players.models import Club, Membership, Player, User
from tests.browser.conftest import Check
from tests.journeys.conftest import Journey
from tournaments.models import Entry

CHAT = """Dienstag 19 Uhr:
1. Ann Berg ✅
2. Bo Friis
3. Çağ Işık 👍
4. Franz Huber (kommt später)
5. Grete Moser +1
- Hannes P.
* Ines Kolar !!
Jörg Weiß - bin dabei
Katharina Müller-Lüdenscheidt: ja
~~Lukas Steiner~~
12.
"""
NAMES = ["Ann Berg", "Bo Friis", "Çağ Işık", "Grete Moser", "Hannes P.", "Ines Kolar", "Jörg Weiß"]


@pytest.mark.journey("a chat list")
@pytest.mark.usefixtures("draw_worker")
def test_the_list_of_a_chat_becomes_the_evening(
    journey: Journey, club: Club, alice: User, expected_errors: list[re.Pattern[str]], looked_at: Check
) -> None:
    expected_errors.append(re.compile("422"))
    known = [Player.objects.create(name=f"Franz Huber-{name}") for name in ("Lang", "Kurz")]
    Membership.objects.bulk_create(Membership(club=club, player=player) for player in known)

    director = journey.on_phone(alice)
    director.tap("Start tonight")
    director.pastes("New players, one on each line", CHAT)
    director.tap(re.compile("^Start"), role="button")
    director.sees("Line 6 is not clear: 5. Grete Moser +1.")
    assert not Entry.objects.exists()
    without_guest = CHAT.replace(" +1", "")
    director.pastes("New players, one on each line", without_guest)
    director.tap(re.compile("^Start"), role="button")
    director.sees("Line 11 is not clear: ~~Lukas Steiner~~.")
    director.pastes("New players, one on each line", without_guest.replace("~~Lukas Steiner~~\n", ""))
    director.tap(re.compile("^Start"), role="button")
    director.sees("Choose who “Franz Huber” is.")
    looked_at(director._page)
    director.choose("Who is Franz Huber?", f"→ Franz Huber-Kurz · {known[1].public_id}")
    director.tap(re.compile("^Start"), role="button")
    director.sees("The evening is started.")
    entered = sorted(Entry.objects.values_list("player__name", flat=True))
    assert entered == sorted([*NAMES, "Franz Huber-Kurz", "Katharina Müller-Lüdenscheidt"])
