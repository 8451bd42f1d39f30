"""On a phone the button that undoes names the act before the player, whose name may be cut."""

import pytest
from django.utils import timezone, translation
from playwright.sync_api import expect

from players.actors import Actor
from players.models import User
from tests.browser.conftest import PHONE, OpenPage
from tests.browser.test_floor import evening
from tournaments.entries.services import withdraw
from tournaments.floor.acts import NOUNS, PAID
from tournaments.floor.undo import last_act
from tournaments.ledger.payments import PaymentInput, receive_for_entries
from tournaments.models import Division, Entry, Tournament

__all__ = ["evening"]
NARROW = 320
LONG = "Maximilian Schwarzenberger-Hohenlohe"

SEEN = """(text, act) => {
    const range = document.createRange(), at = text.firstChild.data.indexOf(act) + act.length;
    range.setStart(text.firstChild, 0);
    range.setEnd(text.firstChild, at);
    return range.getBoundingClientRect().right <= text.getBoundingClientRect().right;
}"""
"""Whether the text of a button is seen up to the end of the act."""


@pytest.mark.parametrize("language", ["en", "de", "fr"])
def test_a_long_name_is_cut_and_the_act_is_not(
    evening: Tournament, alice: User, open_page: OpenPage, language: str
) -> None:
    Division.objects.update(fee=20)
    entry = Entry.objects.select_related("player", "division__tournament__club").order_by("-pk")[0]
    entry.player.name = LONG
    entry.player.save()
    User.objects.update(language=language)
    acting = {"by": Actor.of(alice), "now": timezone.now()}
    receive_for_entries(tournament=evening, entries=[entry], payment=PaymentInput(20, "tap"), **acting)
    for verb in (PAID, "entry_withdrawn"):
        if verb != PAID:
            withdraw(entry=entry, **acting)
        with translation.override(language):
            act = last_act(evening, acting["by"])
            assert act is not None
            noun, label = str(NOUNS[verb]), act.label
        for width in (PHONE, NARROW):
            page = open_page(f"/events/{evening.club.slug}/{evening.slug}/floor/", width=width, user=alice)
            text = page.locator("#floor-undo .floor-undo-text:visible")
            expect(text).to_contain_text(f"{noun} · ")
            assert text.evaluate(SEEN, noun if width == PHONE else noun[:4]), f"{noun} at {width}"
            assert page.locator("#floor-undo").get_attribute("title") == label
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
