"""Serializers of prize plans, side pools and agreed splits; amounts are whole minor units of the event's currency."""

from typing import Any

from rest_framework import serializers

from core.public_ids import LENGTH
from core.text_lengths import LONGEST_NOTE
from tournaments.models import SidePool
from tournaments.models.events import MOST_MINOR_UNITS
from tournaments.prizes.api.serializers import LONGEST_POT
from tournaments.prizes.shares import WHOLE

MOST_PLACES = 64
"""Of a bracket that may have a share; a page has room for no more."""
MOST_HOLDERS = 256
SHARES_HELP = "By place, from first on, in hundredths of a percent: 4000 is 40 %."
UNIT_HELP = "Prizes are rounded down to multiples of it; the remainder goes to first place."


def amount(**options: Any) -> serializers.IntegerField:
    """A field for an amount that is not negative."""
    return serializers.IntegerField(min_value=0, max_value=MOST_MINOR_UNITS, **options)


def unit() -> serializers.IntegerField:
    """A field for what prizes are rounded down to."""
    return serializers.IntegerField(min_value=1, max_value=MOST_MINOR_UNITS, default=1, help_text=UNIT_HELP)


def shares() -> serializers.ListField:
    """A field for the shares of places."""
    share = serializers.IntegerField(min_value=0, max_value=WHOLE)
    return serializers.ListField(child=share, min_length=1, max_length=MOST_PLACES, help_text=SHARES_HELP)


class BracketSharesSerializer(serializers.Serializer[Any]):
    """The shares of the places of a bracket, table or group."""

    bracket = serializers.CharField(max_length=LONGEST_POT)
    shares = shares()


class NewPrizePlanSerializer(serializers.Serializer[Any]):
    """The prizes of a division; the shares of all brackets together are 100 %."""

    brackets = serializers.ListField(child=BracketSharesSerializer(), min_length=1, max_length=MOST_PLACES)
    registration = amount(default=0, help_text="The part of each entry fee that the club keeps.")
    reentry = amount(allow_null=True, default=None, help_text="The re-entry fee; null: half the entry fee.")
    guaranteed = amount(default=0, help_text="The club adds what the fees do not reach.")
    unit = unit()
    ties_share = serializers.BooleanField(default=False, help_text="In tables, equal points share their prizes.")
    publish = serializers.BooleanField(help_text="Otherwise a draft that only directors see.")


class PrizePlanSerializer(serializers.Serializer[Any]):
    """A version of the prizes of a division."""

    version = serializers.IntegerField()
    published = serializers.BooleanField()
    brackets = serializers.SerializerMethodField()
    registration = serializers.IntegerField()
    reentry = serializers.IntegerField(allow_null=True)
    guaranteed = serializers.IntegerField()
    unit = serializers.IntegerField()
    ties_share = serializers.BooleanField()
    at = serializers.DateTimeField()

    def get_brackets(self, plan: Any) -> list[dict[str, Any]]:
        """Return the shares by bracket."""
        return [{"bracket": bracket, "shares": list(row)} for bracket, row in plan.shares]


class PrizePlansSerializer(serializers.Serializer[Any]):
    """The brackets of a division that may have prizes, and the versions of its plan."""

    brackets = serializers.ListField(child=serializers.CharField())
    plans = PrizePlanSerializer(many=True, help_text="The latest version first; the latest published one counts.")


class PoolPlaceSerializer(serializers.Serializer[Any]):
    """A place by which the members of a side pool are ranked."""

    bracket = serializers.CharField(max_length=LONGEST_POT)
    place = serializers.IntegerField(min_value=1, max_value=MOST_HOLDERS)


class NewSidePoolSerializer(serializers.Serializer[Any]):
    """A side pool to add to a division."""

    name = serializers.CharField(max_length=SidePool._meta.get_field("name").max_length)
    fee = amount()
    shares = shares()
    order = serializers.ListField(
        child=PoolPlaceSerializer(),
        min_length=1,
        max_length=MOST_PLACES,
        help_text="Best first; members are ranked by it.",
    )
    unit = unit()


class SidePoolSerializer(serializers.Serializer[Any]):
    """A side pool with its members."""

    public_id = serializers.CharField()
    name = serializers.CharField()
    fee = serializers.IntegerField()
    shares = serializers.ListField(child=serializers.IntegerField())
    order = serializers.SerializerMethodField()
    unit = serializers.IntegerField()
    members = serializers.SerializerMethodField()

    def get_order(self, pool: SidePool) -> list[dict[str, Any]]:
        """Return the places by which the members are ranked, best first."""
        return [{"bracket": bracket, "place": place} for bracket, place in pool.order]

    def get_members(self, pool: SidePool) -> list[str]:
        """Return the public ids of the entries that joined and did not leave."""
        return [member.entry.public_id for member in pool.members.all() if member.taken_back_at is None]


class PoolMemberSerializer(serializers.Serializer[Any]):
    """An entry that joins a side pool."""

    entry = serializers.CharField(max_length=LENGTH)


class SplitAmountSerializer(serializers.Serializer[Any]):
    """What an entry is to receive."""

    entry = serializers.CharField(max_length=LENGTH)
    amount = amount()


class NewSplitSerializer(serializers.Serializer[Any]):
    """What the holders of prizes of a bracket agreed to receive; together it is what they are due."""

    bracket = serializers.CharField(max_length=LONGEST_POT)
    amounts = serializers.ListField(child=SplitAmountSerializer(), min_length=1, max_length=MOST_HOLDERS)
    note = serializers.CharField(max_length=LONGEST_NOTE, allow_blank=True, default="")


class SplitSerializer(serializers.Serializer[Any]):
    """An agreed split."""

    public_id = serializers.CharField()
    bracket = serializers.CharField()
    amounts = SplitAmountSerializer(many=True)
    note = serializers.CharField(allow_blank=True)
    applies = serializers.BooleanField(help_text="False while its entries no longer hold the same places.")
    at = serializers.DateTimeField()
