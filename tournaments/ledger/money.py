"""The currency of an event: amounts as text, and text as whole minor units."""

from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from tournaments.models import Tournament
from tournaments.models.events import MOST_MINOR_UNITS

TICKET = "ticket"


@dataclass(frozen=True, slots=True)
class Currency:
    """A currency code (or “ticket”) and its decimal places."""

    code: str
    exponent: int

    @classmethod
    def of(cls, tournament: Tournament) -> "Currency":
        """Return the currency of an event."""
        return cls(tournament.currency, tournament.currency_exponent)

    @property
    def name(self) -> str:
        """The currency as it stands beside amounts: its code, or “tickets”."""
        return _("tickets") if self.code == TICKET else self.code

    def text(self, amount: int) -> str:
        """Format an amount without the currency, such as 1,060.00 or −5.00."""
        digits = f"{Decimal(abs(amount)).scaleb(-self.exponent):,.{self.exponent}f}"
        return f"−{digits}" if amount < 0 else digits

    def with_name(self, amount: int) -> str:
        """Format an amount with the currency, such as 10.60 EUR or 1 ticket."""
        if self.code == TICKET:
            tickets = ngettext("%(amount)s ticket", "%(amount)s tickets", abs(amount))
            return tickets % {"amount": self.text(amount)}
        return f"{self.text(amount)} {self.code}"

    def plain(self, amount: int) -> str:
        """Format an amount for files and form fields, such as 1060.00 or -5.00."""
        return f"{Decimal(amount).scaleb(-self.exponent):.{self.exponent}f}"

    def parse(self, text: str) -> int:
        """Return the minor units of an amount such as 15, 15.00 or 15,00. Raises ValueError for anything else."""
        try:
            value = Decimal(text.strip().replace(",", ".")).scaleb(self.exponent)
        except InvalidOperation:
            raise ValueError(f"not an amount: {text!r}") from None
        if not value.is_finite() or value != value.to_integral_value() or abs(value) > MOST_MINOR_UNITS:
            raise ValueError(f"not an amount: {text!r}")
        return int(value)
