"""Amounts as people type them: what each means in a currency, and that none is read as another one."""

from collections.abc import Iterator
from itertools import product
from typing import Any

import pytest
from django import forms
from django.conf import settings
from django.core.exceptions import ValidationError
from django.test import Client
from django.urls import get_resolver, reverse
from django.utils import translation

from core.numbers import UNCLEAR, UnclearNumberError
from engine.errors import Refused
from matches.rankings.pools import RatingPoolForm
from players.forms import NumberField, RefusingForm
from tests.api.test_parity import fields_of, writing
from tests.prizes.conftest import Prizes, prizes, unplayed
from tournaments.events.actions import event_url_args
from tournaments.ledger.fields import AmountField, MinorUnitsField, SeenAmountField, ShareField, SharesField
from tournaments.ledger.money import TICKET, Currency
from tournaments.models import Payment
from tournaments.models.events import MAX_MINOR_UNITS

__all__ = ["prizes", "unplayed"]

EUR, JPY, KWD, TICKETS = Currency.usual("EUR"), Currency.usual("JPY"), Currency.usual("KWD"), Currency.usual(TICKET)
CURRENCIES = (EUR, JPY, KWD, TICKETS)
ASKED, WRONG = "asked", "wrong"
# How an amount is typed, and what it is in euros, yen, dinars and tickets: minor units, or why it is none.
TYPED = {
    "1": (100, 1, 1000, 1),
    "15": (1500, 15, 15000, 15),
    "1500": (150000, 1500, 1500000, 1500),
    # English, German, French, Danish, Swiss, Arabic
    "15.00": (1500, WRONG, 15000, WRONG),
    "15,00": (1500, WRONG, 15000, WRONG),
    "15٫00": (1500, WRONG, 15000, WRONG),
    "1,500": (ASKED, 1500, 1500, 1500),
    "1.500": (ASKED, 1500, 1500, 1500),
    "1 500": (150000, 1500, 1500000, 1500),
    "1\u202f500": (150000, 1500, 1500000, 1500),
    "1’500": (150000, 1500, 1500000, 1500),
    "1٬500": (150000, 1500, 1500000, 1500),
    "12,000.50": (1200050, WRONG, 12000500, WRONG),
    "12.000,50": (1200050, WRONG, 12000500, WRONG),
    "12\xa0000,50": (1200050, WRONG, 12000500, WRONG),
    "12'000.50": (1200050, WRONG, 12000500, WRONG),
    "12,000.500": (WRONG, WRONG, 12000500, WRONG),
    "1.234.567": (WRONG, 1234567, WRONG, 1234567),
    "123,456.78": (12345678, WRONG, WRONG, WRONG),
    "1.555": (ASKED, 1555, 1555, 1555),
    "15.5": (1550, WRONG, 15500, WRONG),
    ",5": (50, WRONG, 500, WRONG),
    "0.500": (WRONG, WRONG, 500, WRONG),
    "-5": (-500, -5, -5000, -5),
    **dict.fromkeys(("15,-", "15.–", "15,--", "15:-", "15.—"), (1500, 15, 15000, 15)),
    "1.500,-": (ASKED, 1500, 1500, 1500),
    **dict.fromkeys(("15 €", "€15", "€ 15,00", "15€", "15,- €", "15 Euro", "eur 15"), (1500, WRONG, WRONG, WRONG)),
    **dict.fromkeys(("-€15", "€ -15", "−15 €"), (-1500, WRONG, WRONG, WRONG)),
    "¥1,500": (WRONG, 1500, WRONG, WRONG),
    "− 5": (-500, -5, -5000, -5),
    **dict.fromkeys(("1_500", "1e3", "Infinity", "NaN", "", "-", "1,50,0", "15,", "1 50", "15 USD"), (WRONG,) * 4),
}
AMOUNTS = (0, 1, 9, 10, 99, 100, 150, 999, 1000, 1005, 1500, 10600, 99999, 106000, 123456, 1500000, MAX_MINOR_UNITS)


def meaning(text: str, currency: Currency) -> int | str:
    """What a text is in a currency."""
    try:
        return currency.parse(text)
    except UnclearNumberError:
        return ASKED
    except ValueError:
        return WRONG


@pytest.mark.parametrize("text", TYPED)
def test_an_amount_is_read_asked_about_or_refused(text: str) -> None:
    assert tuple(meaning(text, currency) for currency in CURRENCIES) == TYPED[text]


@pytest.mark.parametrize(
    ("code", "texts"),
    [
        ("DKK", ["150 kr.", "150 kr", "kr. 150", "150,- kr.", "kr 150,00", "150 DKK"]),
        ("CHF", ["Fr. 150.–", "150 Fr.", "sFr. 150.-", "CHF 150.—", "150.00 fr"]),
        ("USD", ["$150", "$ 150.00", "150 $"]),
        ("PLN", ["150 zł", "150,00 zł"]),
    ],
)
def test_the_signs_of_a_currency_are_no_part_of_the_number(code: str, texts: list[str]) -> None:
    currency = Currency.usual(code)
    assert {text: meaning(text, currency) for text in texts} == dict.fromkeys(texts, 15000)
    assert [meaning(text, KWD) for text in texts] == [WRONG] * len(texts)
    assert [meaning(text, currency) for text in ("kr", "$", "Fr.", "150 kr. Fr.", "150,-,-", ",-", "-,-")] == [
        WRONG
    ] * 7


def test_every_page_writes_amounts_that_its_forms_read() -> None:
    written = 0
    languages = {*(code for code, _name in settings.LANGUAGES), "en-xa", "es", "sv", "pl", "de-ch", "pt-br"}
    for code, currency in product(languages, (*CURRENCIES, Currency("X", 1))):
        with translation.override(code):
            for amount in (*AMOUNTS, *(-amount for amount in AMOUNTS[1:])):
                texts = {currency.text(amount), currency.with_name(amount), currency.plain(amount)}
                for blank in (" ", "\xa0", "\u202f", "\u2009"):
                    texts |= {text.replace("\xa0", " ").replace(" ", blank) for text in texts}
                wrong = [text for text in texts if meaning(text, currency) != amount]
                assert wrong == [], (code, currency, amount)
                written += len(texts)
    assert written > 1000


# Every field.


def classes_below(base: type[Any]) -> Iterator[type[Any]]:
    get_resolver().url_patterns  # noqa: B018 - imports all views and their forms
    for each in base.__subclasses__():
        yield each
        yield from classes_below(each)


def own_forms() -> list[type[forms.Form]]:
    return [form for form in classes_below(forms.Form) if not form.__module__.startswith(("django", "rest_framework"))]


def names_of_amounts() -> set[str]:
    fields = (item for form in own_forms() for item in form.base_fields.items())
    # Elsewhere `expected` says how many players come.
    return {name for name, field in fields if isinstance(field, AmountField)} - {"expected"}


def test_every_amount_is_read_by_the_field_of_amounts() -> None:
    names = names_of_amounts()
    assert {"amount", "fee", "counted", "unit", "reentry", "guaranteed", "registration"} <= names
    read_otherwise = [
        (form.__qualname__, name, type(field).__name__)
        for form in own_forms()
        for name, field in form.base_fields.items()
        if (name in names and not isinstance(field, AmountField | SeenAmountField))
        or (isinstance(field, forms.FloatField | forms.DecimalField) and not isinstance(field, NumberField))
        or (field.widget.attrs.get("inputmode") == "decimal" and not issubclass(type(field), READ_BY_RULE))
        or (isinstance(field, AmountField | NumberField) and not issubclass(form, RefusingForm))
    ]
    assert read_otherwise == []


READ_BY_RULE = (AmountField, NumberField, ShareField, SharesField)


def test_every_amount_of_the_api_is_in_minor_units_or_read_as_typed() -> None:
    names = names_of_amounts()
    found = {
        (operation, name): field
        for operation in writing()
        for name, field in fields_of(operation).items()
        if name in names
    }
    assert len(found) > 8
    assert [at for at, field in found.items() if field.get("maximum") != MAX_MINOR_UNITS] == [
        ("seasons_set_pool", "amount")
    ], "the one that is a text is read by its form"


@pytest.mark.parametrize(
    ("text", "readings"), [("1,500", ["1500.00", "1.50"]), ("15.00", ["15.00"]), ("1_500", None), ("1500", 1500)]
)
def test_the_api_takes_no_amount_that_is_typed(text: str, readings: Any) -> None:
    field = MinorUnitsField()
    if isinstance(readings, int):
        assert field.run_validation(text) == readings
    elif readings is None:
        with pytest.raises(Exception, match="valid integer"):
            field.run_validation(text)
    else:
        with pytest.raises(Refused) as refused:
            field.run_validation(text)
        assert (refused.value.code, refused.value.params["readings"]) == (UNCLEAR, readings)


@pytest.mark.parametrize(
    ("text", "rating"), [("1,650", 1650), ("1.650", 1650), ("1500.5", 1500.5), ("1 650", 1650), ("50", 50)]
)
def test_of_two_readings_of_a_rating_the_usual_one_is_meant(text: str, rating: float) -> None:
    field = RatingPoolForm.base_fields["start_rating"]
    assert field.clean(text) == rating
    for wrong in ("1_650", "1e3", "nan", "6,000.5"):
        with pytest.raises(ValidationError):
            field.clean(wrong)


# What a director sees.


@pytest.mark.django_db
def test_an_unclear_amount_is_asked_about_and_then_recorded(prizes: Prizes, alice_client: Client) -> None:
    url = reverse("cash-move", args=event_url_args(prizes.division.tournament))
    form = {"act": "float", "amount": "1,500", "method": "cash", "note": "from\nthe safe", "key": "safe"}
    asked = alice_client.post(url, form)
    page = asked.content.decode()
    assert (asked.status_code, page.count("1,500.00 EUR"), page.count(">1.50 EUR<")) == (422, 1, 1)
    sent = {name: value for name, value in form.items() if name != "amount"}
    assert all(f'name="{name}" value="{value}"' in page for name, value in sent.items())
    assert 'name="amount" value="1500.00"' in page
    for answer in ({"amount": "1500.00"}, {"amount": "1500.00", "confirmed": "on"}):
        assert "1,500.00 EUR" in alice_client.post(url, {**sent, **answer}).content.decode() or "confirmed" in answer
    assert list(Payment.objects.filter(kind=Payment.Kind.FLOAT).values_list("amount", flat=True)) == [150000]
