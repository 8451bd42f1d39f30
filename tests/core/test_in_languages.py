"""Dates, ordinals, decimals and amounts in German, where they are not Django's to format; our words before its own."""

from datetime import date
from fractions import Fraction

import pytest
from babel.messages.pofile import read_po
from django.conf import settings
from django.utils import translation

from core.languages import ordinal
from core.times import DAY, FULL, WEEKDAY, written
from seasons.tables import display
from tournaments.events.forms import SPECTATORS
from tournaments.ledger.money import Currency, percent

FRIDAY = date(2026, 11, 27)


@pytest.mark.parametrize(
    ("language", "texts"),
    [
        ("en", ["Friday, 27 November", "27 November", "27 November 2026", "8th"]),
        ("de", ["Freitag, 27. November", "27. November", "27. November 2026", "8."]),
        ("da", ["fredag 27. november", "27. november", "27. november 2026", "8."]),
        ("fr", ["vendredi 27 novembre", "27 novembre", "27 novembre 2026", "8e"]),
    ],
)
def test_dates_and_ordinals(language: str, texts: list[str]) -> None:
    with translation.override(language):
        assert [*(written(FRIDAY, style) for style in (WEEKDAY, DAY, FULL)), ordinal(8)][: len(texts)] == texts


@pytest.mark.parametrize(
    ("language", "texts"),
    [
        ("en", ["1,060.00", "−5.00", "12.5 %", "12.50", "12"]),
        ("da", ["1.060,00", "−5,00", "12,5 %", "12,50", "12"]),
        ("de", ["1.060,00", "−5,00", "12,5 %", "12,50", "12"]),
        ("fr", ["1\N{NO-BREAK SPACE}060,00", "−5,00", "12,5 %", "12,50", "12"]),
    ],
)
def test_amounts_and_points(language: str, texts: list[str]) -> None:
    krone = Currency.usual("DKK")
    with translation.override(language):
        amounts = [krone.text(106_000), krone.text(-500), percent(1250)]
        assert [*amounts, display(Fraction(25, 2), 2), display(Fraction(12), 2)] == texts
        assert krone.plain(106_000) == "1060.00", "what is typed and sent is the same in every language"


def test_choices_are_read_in_the_language_of_the_reader() -> None:
    for language, minutes in (("en", "5 minutes behind"), ("de", "5 Minuten versetzt")):
        with translation.override(language):
            assert str(dict(SPECTATORS)["5"]) == minutes


def test_no_message_is_shown_in_the_words_of_djangos_own_apps() -> None:
    for path in settings.BASE_DIR.glob("*/locale/de/LC_MESSAGES/django.po"):
        with translation.override("de"), path.open("rb") as file:
            for row in read_po(file, locale="de"):
                if row.id and row.string and isinstance(row.id, str) and not row.fuzzy:
                    ours = translation.pgettext(row.context, row.id) if row.context else translation.gettext(row.id)
                    assert ours == row.string, row.id
