"""The fields of a form are those of its serializer, and what a program sends is checked by the form."""

from typing import Any, ClassVar

import pytest
from django import forms
from rest_framework import serializers

from players.actions import FormSerializer
from players.forms import RefusingForm, YesNoField


class MoveForm(RefusingForm):
    """A form with a field of each kind."""

    name = forms.CharField(max_length=10)
    note = forms.CharField(max_length=20, required=False)
    count = forms.IntegerField(min_value=1, max_value=9)
    kind = forms.ChoiceField(choices=[("", "Choose …"), ("short", "Short"), ("long", "Long")], initial="short")
    rated = forms.BooleanField(required=False)
    upheld = YesNoField()
    at = forms.DateTimeField(required=False)
    after = forms.IntegerField()
    token = forms.CharField()


class MoveSerializer(FormSerializer):
    """Its fields in the API: one is left out, one has another name."""

    title = serializers.CharField(source="name")

    class Meta:
        form = MoveForm
        exclude = ("token",)
        extra_kwargs: ClassVar = {"note": {"required": True, "help_text": "Everybody sees it."}}


SENT = {"title": "M1", "note": "Late.", "count": 3, "rated": False, "upheld": True}


def test_a_serializer_has_the_fields_of_its_form() -> None:
    fields = MoveSerializer().fields
    assert set(fields) == {"title", "note", "count", "kind", "rated", "upheld", "at", "after"}
    assert {name for name, field in fields.items() if field.required} == {"title", "note", "count", "rated", "upheld"}
    assert fields["kind"].default == "short", "what a form preselects"
    assert list(fields["kind"].choices) == ["short", "long"]
    assert (fields["count"].min_value, fields["count"].max_value) == (1, 9)
    assert (fields["note"].max_length, fields["note"].help_text) == (20, "Everybody sees it.")


@pytest.mark.parametrize(
    ("sent", "field"),
    [({"count": 0}, "count"), ({"kind": "odd"}, "kind"), ({"note": ""}, "note"), ({"title": None}, "title")],
)
def test_a_serializer_refuses_what_its_form_refuses(sent: dict[str, Any], field: str) -> None:
    refused = MoveSerializer(data={**SENT, **sent})
    assert not refused.is_valid()
    assert set(refused.errors) == {field}


@pytest.mark.parametrize("upheld", [True, False])
def test_a_form_takes_what_its_serializer_returns(upheld: bool) -> None:
    sent = MoveSerializer(data={**SENT, "upheld": upheld, "at": "2026-11-20T18:00:00+01:00"})
    assert sent.is_valid()
    form = MoveForm({**sent.validated_data, "after": 4, "token": "7"})
    assert form.is_valid()
    data = form.cleaned_data
    assert (data["name"], data["count"], data["kind"], data["rated"]) == ("M1", 3, "short", False)
    assert (data["upheld"], data["at"].isoformat()) == (upheld, "2026-11-20T17:00:00+00:00")


def test_a_field_of_an_unknown_kind_is_refused_at_once() -> None:
    class FileSerializer(FormSerializer):
        class Meta:
            form = type("FileForm", (forms.Form,), {"file": forms.FileField()})

    with pytest.raises(TypeError, match="FileField"):
        _ = FileSerializer().fields
