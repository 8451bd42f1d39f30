"""Currency codes (ISO 4217), and “ticket” for fees in tickets."""

import re

from engine.errors import Refused

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
