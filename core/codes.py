"""Codes of countries (ISO 3166-1 alpha-2) and currencies (ISO 4217, and “ticket” for fees in tickets)."""

import re
from importlib import resources

from engine.errors import Refused

# Country codes (ISO 3166-1 alpha-2).


def _rows(name: str) -> list[list[str]]:
    """Return the lines of a table of the time zone database as cells, without its comments."""
    text = resources.files("tzdata").joinpath("zoneinfo", name).read_text(encoding="utf-8")
    return [line.split("\t") for line in text.splitlines() if not line.startswith("#")]


COUNTRIES = {**dict(_rows("iso3166.tab")), "XK": "Kosovo"}
"""English names by the codes of ISO 3166-1, and by XK, which is in general use for Kosovo."""
_COUNTRY_OF_ZONE = {row[2]: row[0] for row in _rows("zone.tab")}


def country_of_zone(zone: str) -> str:
    """Return the code of the country of a time zone, or an empty string for UTC and names that are out of use.

    >>> country_of_zone("Europe/Vienna")
    'AT'
    """
    return _COUNTRY_OF_ZONE.get(zone, "")


def disagree(country: str, zone: str) -> bool:
    """Whether a time zone is known to be another country's, and the country to have one of its own.

    >>> disagree("AU", "Europe/Vienna"), disagree("AT", "Europe/Vienna"), disagree("XK", "Europe/Vienna")
    (True, False, False)
    """
    return country_of_zone(zone) not in ("", country) and country in _COUNTRY_OF_ZONE.values()


def check_country(text: str) -> str:
    """Return the code in capitals, or an empty string for none. Refused: `bad_country`.

    >>> check_country(" dk ")
    'DK'
    """
    code = text.strip().upper()
    if code and code not in COUNTRIES:
        raise Refused("bad_country", country=code)
    return code


# Currency codes (ISO 4217), and “ticket” for fees in tickets.


CODE = re.compile(r"[A-Z]{3}")


def check_currency(text: str) -> str:
    """Return the code in capitals, “ticket”, or an empty string for none. Refused: `bad_currency`.

    >>> check_currency(" eur ")
    'EUR'
    """
    code = text.strip().upper()
    if code == "TICKET":
        return "ticket"
    if code and not CODE.fullmatch(code):
        raise Refused("bad_currency", currency=text.strip())
    return code
