"""What follows from an act beyond its matches, as the API represents it."""

from typing import Any

from rest_framework import serializers

from tournaments.consequences import represented
from tournaments.models import Title
from tournaments.standings.changes import ChangeLabels
from tournaments.state.names import Names
from tournaments.state.preview import Consequences, PlaceChange


class ChangedPlaceSerializer(serializers.Serializer[Any]):
    """An entry whose place or points would change; null: not placed."""

    stage = serializers.IntegerField()
    bracket = serializers.CharField()
    entry = serializers.CharField()
    name = serializers.CharField()
    place_before = serializers.IntegerField(allow_null=True)
    place_after = serializers.IntegerField(allow_null=True)
    points_before = serializers.FloatField(allow_null=True)
    points_after = serializers.FloatField(allow_null=True)


class ChangedPrizeSerializer(serializers.Serializer[Any]):
    """A published prize that would change, in the currency of the event."""

    entry = serializers.CharField()
    name = serializers.CharField()
    prize = serializers.CharField(help_text="The bracket, table or side pool.")
    before = serializers.CharField(help_text="The amount due now, as text.")
    after = serializers.CharField(help_text="The amount due afterwards, as text.")


class ChangedSeasonRowSerializer(serializers.Serializer[Any]):
    """A row of a season's table that would change; numbers are exact: 12, 25/2 or nine decimals."""

    player = serializers.CharField(help_text="Public id.")
    name = serializers.CharField()
    rank_before = serializers.IntegerField(allow_null=True)
    rank_after = serializers.IntegerField(allow_null=True)
    total_before = serializers.CharField(allow_null=True, help_text="Null: not in the table.")
    total_after = serializers.CharField(allow_null=True)
    points_before = serializers.CharField(allow_null=True, help_text="Of the corrected event; null: not in it.")
    points_after = serializers.CharField(allow_null=True)
    counted_before = serializers.ListField(child=serializers.CharField(), help_text="Public ids of the events.")
    counted_after = serializers.ListField(child=serializers.CharField())


class ChangedTitleSerializer(serializers.Serializer[Any]):
    """A title that another player would have, or that would no longer be supported."""

    kind = serializers.ChoiceField(Title.Kind.choices)
    player = serializers.CharField(help_text="Public id.")
    name = serializers.CharField()
    title = serializers.CharField(
        allow_null=True, help_text="Public id of an awarded title that would no longer be supported; null: gained."
    )
    text = serializers.CharField(help_text="A sentence in the language of the request.")


class ChangedPoolSerializer(serializers.Serializer[Any]):
    """What a player is due of the pool of a season, as the table stands."""

    player = serializers.CharField(help_text="Public id.")
    name = serializers.CharField()
    before = serializers.CharField(help_text="An amount with its currency.")
    after = serializers.CharField()


class ChangedSeasonSerializer(serializers.Serializer[Any]):
    """A season in which the event counts."""

    series = serializers.CharField(help_text="Public id.")
    name = serializers.CharField()
    closed = serializers.BooleanField(help_text="Whether its table was announced, which stays as it is.")
    rows = ChangedSeasonRowSerializer(many=True)
    qualify = serializers.ListField(child=serializers.CharField(), help_text="Players who would now qualify.")
    no_longer_qualify = serializers.ListField(child=serializers.CharField())
    titles = ChangedTitleSerializer(many=True)
    pool = ChangedPoolSerializer(many=True, help_text="Who would be due another amount of the pool of the season.")


class QualifiedSerializer(serializers.Serializer[Any]):
    """Who would play in a later stage instead of whom; the matches played there by who leaves become void."""

    stage = serializers.IntegerField()
    comes = serializers.CharField(allow_null=True, help_text="Public id of the entry; null: nobody.")
    leaves = serializers.CharField(allow_null=True, help_text="Public id of the entry; null: nobody.")


class ConsequencesSerializer(serializers.Serializer[Any]):
    """What follows beyond the matches themselves."""

    qualified = QualifiedSerializer(many=True)
    ends = serializers.BooleanField(allow_null=True, help_text="Whether the division is then decided; null: as before.")
    places = ChangedPlaceSerializer(many=True)
    prizes = ChangedPrizeSerializer(many=True)
    seasons = ChangedSeasonSerializer(many=True)
    titles = ChangedTitleSerializer(many=True, help_text="Titles of the division itself.")


def represent_consequences(following: Consequences, labels: ChangeLabels) -> dict[str, Any]:
    """Return the data of a `ConsequencesSerializer`."""
    entries = labels.names.entries
    return {
        "qualified": [
            {
                "stage": change.stage,
                "comes": change.comes and entries[change.comes].public_id,
                "leaves": change.leaves and entries[change.leaves].public_id,
            }
            for change in following.qualified
        ],
        "ends": following.ends,
        "places": [_place(change, labels.names) for change in following.places],
        **represented(labels.division, following.states),
    }


def _place(change: PlaceChange, names: Names) -> dict[str, Any]:
    before, after = change.before or (None, None), change.after or (None, None)
    return {
        "stage": change.stage,
        "bracket": change.key,
        "entry": names.entries[change.entry].public_id,
        "name": names.of(change.entry),
        "place_before": before[0],
        "place_after": after[0],
        "points_before": before[1],
        "points_after": after[1],
    }
