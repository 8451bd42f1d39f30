"""Fields that a request has and its operation has not, in JSON and in forms."""

from typing import Any

import pytest
from django.http import QueryDict
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.test import APIRequestFactory

from core.api import MAX_NAMED, MAX_SHOWN, validated


class GameSerializer(serializers.Serializer[Any]):
    points = serializers.IntegerField()


class ReportSerializer(serializers.Serializer[Any]):
    match_length = serializers.IntegerField(default=7)
    seq = serializers.IntegerField(read_only=True)
    games = GameSerializer(many=True, required=False)
    best = GameSerializer(required=False)
    names = serializers.ListField(child=serializers.CharField(), required=False)
    by_table = serializers.DictField(child=GameSerializer(), required=False)


def request_with(data: Any) -> Request:
    request = Request(APIRequestFactory().post("/"))
    request._full_data = data
    return request


def unknown(data: Any) -> dict[str, Any]:
    """The sentence for each unknown field."""
    with pytest.raises(ValidationError) as refused:
        validated(ReportSerializer, request_with(data))
    assert {detail.code for details in refused.value.detail.values() for detail in details} == {"unknown_field"}
    return {field: str(details[0]) for field, details in refused.value.detail.items()}


def test_a_wrong_name_is_answered_with_the_nearest_one() -> None:
    sentence = "There is no field match_lenght; did you mean match_length?"
    assert unknown({"match_lenght": 3}) == {"match_lenght": sentence}
    assert unknown({"nonsense": 1}) == {"nonsense": "There is no field nonsense."}
    assert list(unknown({"seq": 3})) == ["seq"], "only answers have it"


def test_wrong_names_are_found_in_lists_and_objects() -> None:
    data = {
        "games": [{"points": 1}, {"point": 2}],
        "best": {"points": 3, "x": 1},
        "by_table": {"7": {"pionts": 1}},
    }
    assert list(unknown(data)) == ["games.1.point", "best.x", "by_table.7.pionts"]


@pytest.mark.parametrize("form", ["match_lenght=3", "best.x=1", "games[0]point=2", "match_length.x=3", "names.x=1&y=2"])
def test_forms_are_checked_too(form: str) -> None:
    assert len(unknown(QueryDict(form))) == 1


@pytest.mark.parametrize(
    "data",
    [
        {},
        {"match_length": 3, "names": ["Bob"], "best": {"points": 2}},
        QueryDict("match_length=3&csrfmiddlewaretoken=x&names=Bob&names=Carol"),
        QueryDict("games[0]points=2&games[1]points=3&best.points=2&names[0]=Bob"),
    ],
)
def test_known_names_pass(data: Any) -> None:
    validated(ReportSerializer, request_with(data))


def test_only_the_first_names_are_shown_and_long_ones_are_cut() -> None:
    faults = unknown({f"{number}" + "x" * 10**6: 1 for number in range(2 * MAX_NAMED)})
    assert len(faults) == MAX_NAMED
    assert {len(name) for name in faults} == {MAX_SHOWN}
