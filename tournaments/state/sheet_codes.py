"""The six digits on a score sheet, which stand for a match number of one event.

They are computed and not stored: a permutation of 000000–999999 with the event's key, so that two matches of an event
never share a code and a mistyped one rarely exists. Whoever types a code must be allowed to see its match by other
means; the digits prove nothing.
"""

import re

from django.utils.crypto import salted_hmac

from matches.lifecycle import links
from matches.models import Match
from tournaments.models import Fixture, Tournament

HALF = 1000
"""A code consists of two halves of three digits."""
ROUNDS = 6
"""Of the Feistel network; four already give a pseudorandom permutation (Luby and Rackoff, 1988)."""
_CODE = re.compile(r"(\d{3})\s?(\d{3})")
_LINE_START = re.compile(r"(?:(?<=[;\n\r])|^)[^\S\n\r]*+(?:\d{3}\s?\d{3}(?=[\s;]|$)|https?://\S+)")
_SHEET_LINK = re.compile(rf"/m/{links.TOKEN}/?$")


def code_of(tournament: Tournament, number: int) -> str:
    """Return the code of a match number as it is printed, e.g. “481 207”."""
    left, right = divmod(number, HALF)
    for index in range(ROUNDS):
        left, right = right, (left + _mixed(tournament, index, right)) % HALF
    return f"{left:03} {right:03}"


def number_of(tournament: Tournament, code: str) -> int | None:
    """Return the match number of a typed code, with or without the space; None if it is not one of the event."""
    digits = _CODE.fullmatch(code.strip())
    if digits is None:
        return None
    left, right = int(digits[1]), int(digits[2])
    for index in reversed(range(ROUNDS)):
        left, right = (right - _mixed(tournament, index, left)) % HALF, left
    number = left * HALF + right
    return number if 1 <= number <= tournament.last_number else None


def scanned_fixture(tournament: Tournament, text: str) -> Fixture | None:
    """Return the fixture of this event by a scanned sheet or a typed code; None if there is none.

    A scanner that acts as a keyboard types the URL of the sheet's QR code. Its match may have been voided since: then
    the fixture has another one now.
    """
    fixtures = Fixture.objects.filter(stage__division__tournament=tournament)
    fixtures = fixtures.select_related("stage__division__tournament__club", "match")
    if (number := number_of(tournament, text)) is not None:
        return fixtures.filter(number=number).first()
    token = _SHEET_LINK.search(text.strip())
    match = Match.objects.filter(public_id=links.match_id_of(token["token"])).first() if token else None
    if token is None or match is None or not links.is_valid(token["token"], match):
        return None
    return fixtures.filter(match=match).first() or fixtures.filter(former=match).first()


def with_match_numbers(tournament: Tournament, text: str) -> str:
    """Return typed lines with the match number, as m25, in place of a code or scanned link at the beginning.

    Codes of other events are left as they are.
    """
    return _LINE_START.sub(lambda start: _match_number(tournament, start[0]), text)


def _match_number(tournament: Tournament, start: str) -> str:
    fixture = scanned_fixture(tournament, start)
    return start if fixture is None else f"m{fixture.number}"


def _mixed(tournament: Tournament, index: int, half: int) -> int:
    """Return a pseudorandom number for one round of the network."""
    digest = salted_hmac("tournaments.sheet_codes", f"{tournament.public_id}:{index}:{half}", algorithm="sha256")
    return int.from_bytes(digest.digest()[:8]) % HALF
