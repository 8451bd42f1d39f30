"""In each language that is translated, no page that players read falls back to English."""

from itertools import cycle, product
from typing import Any

import pytest
from django.test import Client
from django.utils.translation import trans_real

from core.languages import NAMES
from tests.access.roles import ROUTES
from tests.access.world import World
from tests.tiers import TIER
from tools.audiences import ReadBy, audience
from tools.messages import SOURCE_LANGUAGE, singular, source_catalogues

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

TRANSLATED = sorted(set(NAMES) - {SOURCE_LANGUAGE})
ROLES = ("owner", "player", "anonymous")
# The linter refuses a language that is offered and lacks a message. This finds what it takes for no message of players.
WALKS = list(product(ROLES, TRANSLATED) if TIER.every_role else zip(cycle(ROLES), TRANSLATED, strict=False))


class Fallback:
    """In place of English, behind a language: notes what that language lacks."""

    def __init__(self, language: str) -> None:
        self.language = language
        self.missing: set[str] = set()

    def gettext(self, message: str) -> str:
        # Django puts the context before it.
        self.missing.add(message.rpartition("\x04")[2])
        return message

    def ngettext(self, one: str, many: str, count: int) -> str:
        return self.gettext(one if count == 1 else many)


@pytest.fixture
def fallback(language: str, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Fallback:
    settings.LANGUAGES = [(code, NAMES[code]) for code in (SOURCE_LANGUAGE, language)]
    noted = Fallback(language)
    monkeypatch.setattr(trans_real.translation(language), "_fallback", noted)
    return noted


@pytest.mark.parametrize(("role", "language"), WALKS)
def test_no_page_lacks_what_players_read(
    role: str, fallback: Fallback, world: World, visitors: dict[str, Client]
) -> None:
    for_players = {
        singular(row.id)
        for catalogue in source_catalogues().values()
        for row in catalogue
        if row.id and audience(row) == ReadBy.PLAYER
    }
    seen = 0
    for name in ROUTES:
        if not name.startswith("api-"):
            answer: Any = visitors[role].get(world.address(name), headers={"Accept-Language": fallback.language})
            seen += answer.headers.get("Content-Language") == fallback.language
    assert seen > 30
    assert fallback.missing & for_players == set()
