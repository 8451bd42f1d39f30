"""What a person does, declared once: its page and its endpoint come from one `UserAction`.

    ACTIONS = (CashAction("pay", FeeForm, _pay, OWES), CashAction("close", CountForm, _close, CLOSING), …)

    *(re_path(rf"{EVENT}cash/{act.name}/$", act.view, name=f"cash-{act.name}") for act in ACTIONS)

The fields are those of a form. A `FormSerializer` has the same ones for the API, and what a program sends is checked by
the form as well, so that page and API take the same values and refuse the same ones.
"""

import inspect
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from functools import singledispatch
from typing import Any, ClassVar, NamedTuple, cast

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.utils import timezone
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, extend_schema
from rest_framework import exceptions, serializers
from rest_framework.permissions import BasePermission, IsAuthenticatedOrReadOnly
from rest_framework.request import Request
from rest_framework.response import Response

from core.access import View, Who, open_to
from core.api import APIView, validated
from core.public_ids import LENGTH
from core.repeats import Repeat
from engine.errors import Refused
from players.access import Role, Visitor
from players.forms import RefusingForm, YesNoField
from players.kept.acts import Kept
from players.requests import by, faulty, refuse

MAX_ID = 2**63 - 1


@singledispatch
def serializer_field(field: forms.Field, **options: Any) -> serializers.Field[Any, Any, Any, Any]:
    """Return the field of a serializer for a field of a form; register more kinds beside their form fields."""
    raise TypeError(f"No field of a serializer is known for {type(field).__name__}.")


@serializer_field.register
def _(field: forms.CharField, **options: Any) -> serializers.Field[Any, Any, Any, Any]:
    blank = not (field.required or options.get("required"))
    return serializers.CharField(**{"max_length": field.max_length, "allow_blank": blank, **options})


@serializer_field.register
def _(field: forms.IntegerField, **options: Any) -> serializers.Field[Any, Any, Any, Any]:
    limits: dict[str, Any] = {"min_value": field.min_value, "max_value": field.max_value}
    return serializers.IntegerField(**{**limits, **options})


@serializer_field.register
def _(field: forms.FloatField, **options: Any) -> serializers.Field[Any, Any, Any, Any]:
    limits: dict[str, Any] = {"min_value": field.min_value, "max_value": field.max_value}
    return serializers.FloatField(**{**limits, **options})


@serializer_field.register(forms.BooleanField)
@serializer_field.register(YesNoField)
def _(field: forms.Field, **options: Any) -> serializers.Field[Any, Any, Any, Any]:
    return serializers.BooleanField(**options)


@serializer_field.register
def _(field: forms.ChoiceField, **options: Any) -> serializers.Field[Any, Any, Any, Any]:
    choices = cast(Iterable[tuple[str, Any]], field.choices)
    return serializers.ChoiceField([value for value, _label in choices if value != ""], **options)


@serializer_field.register(forms.ModelChoiceField)
def _(field: Any, **options: Any) -> serializers.Field[Any, Any, Any, Any]:
    """A row is named by its public id, or by its number if it has none."""
    if field.to_field_name is None:
        return serializers.IntegerField(min_value=1, max_value=MAX_ID, **options)
    return serializers.CharField(max_length=LENGTH, **options)


@serializer_field.register
def _(field: forms.DateTimeField, **options: Any) -> serializers.Field[Any, Any, Any, Any]:
    return serializers.DateTimeField(**options)


@serializer_field.register
def _(field: forms.DateField, **options: Any) -> serializers.Field[Any, Any, Any, Any]:
    return serializers.DateField(**{"allow_null": not field.required, **options})


@serializer_field.register
def _(field: forms.TimeField, **options: Any) -> serializers.Field[Any, Any, Any, Any]:
    return serializers.TimeField(**{"allow_null": not field.required, **options})


class FormSerializer(serializers.Serializer[Any]):
    """A serializer with the fields of `Meta.form`, as a `ModelSerializer` has those of a model.

    What a form preselects is the default of the API. `Meta.exclude` and `Meta.extra_kwargs` are as in a
    `ModelSerializer`; a declared field takes the place of one of the form, or with `source` of one by another name.
    """

    class Meta:
        form: type[forms.Form]

    def get_fields(self) -> dict[str, Any]:
        """Return the declared fields, and those of the form that none of them replaces, in the order of the form."""
        declared = super().get_fields()
        left_out = {*getattr(self.Meta, "exclude", ()), *(field.source for field in declared.values())}
        more: Mapping[str, dict[str, Any]] = getattr(self.Meta, "extra_kwargs", {})
        derived = {
            name: serializer_field(field, **{**_options(name, field), **more.get(name, {})})
            for name, field in self.Meta.form.base_fields.items()
            if name not in left_out and name not in declared
        }
        return derived | declared


def _options(name: str, field: forms.Field) -> dict[str, Any]:
    if name == "after":
        return {"required": False, "help_text": "The `seq` you saw."}  # `If-Match` may say it instead.
    if field.initial is not None and not callable(field.initial):
        return {"default": field.initial}
    # A browser sends nothing for an empty box; a program has to send false.
    return {"required": field.required or isinstance(field, forms.BooleanField)}


def _details(form: forms.Form, serializer: type[FormSerializer] | None) -> dict[str, list[exceptions.ErrorDetail]]:
    """Return the errors of a form by the names that its fields have in the API."""
    names = {field.source: name for name, field in serializer().fields.items()} if serializer else {}
    return {
        names.get(name, name): [exceptions.ErrorDetail(error["message"], error["code"]) for error in errors]
        for name, errors in form.errors.get_json_data().items()
    }


class Endpoint(NamedTuple):
    """The endpoint of an action: its operation, its fields if it takes any, and its path and method if not as usual."""

    operation: str
    serializer: type[FormSerializer] | None = None
    example: Mapping[str, Any] = {}
    example_name: str = "Example"
    path: str = ""
    method: str = "post"


class UserAction:
    """What a person does to an object. A subclass fetches a kind of object and says where a page goes on.

    `run` takes the valid form, `by` and `now`, calls the service and returns what was done as a sentence. Its docstring
    describes the endpoint.
    """

    responses: ClassVar[dict[int, Any]]
    permissions: ClassVar[tuple[type[BasePermission], ...]] = (IsAuthenticatedOrReadOnly,)

    def __init__(
        self,
        name: str,
        form: type[RefusingForm],
        run: Callable[..., str],
        needed: Any = Role.DIRECTOR,
        api: Endpoint | None = None,
        kept: Kept | None = None,
    ) -> None:
        self.name, self.run, self.needed, self.api, self.kept = name, run, needed, api, kept
        self.form: Any = form

    def fetch(self, user: Visitor, **url: str) -> Any:
        """Return the object that a URL names to somebody who may act on it; otherwise 404 or 403."""
        raise NotImplementedError

    def find(self, request: Any, **url: str) -> Any:
        """Fetch it for whoever sends a request, of a page or of the API."""
        return self.fetch(request.user, **url)

    @property
    def who(self) -> Who:
        """Who may do it: those with the role that is `needed`, or every account if that is None."""
        return Who.SIGNED_IN if self.needed is None else Who(self.needed)

    def guard(self, view: View) -> View:
        """Return the view for those who may send its form at all."""
        return open_to(post=self.who)(view)

    def perform(self, request: Any, obj: Any, form: Any, now: datetime) -> str:
        """Run the service for whoever sends a request."""
        return self.run(form, by=by(request), now=now)

    def bind(self, obj: Any, data: Any, now: datetime) -> RefusingForm:
        """Return the form of what was sent about an object, its `instance`."""
        form: RefusingForm = self.form(data)
        form.instance = obj
        return form

    def url(self, request: HttpRequest, obj: Any) -> str:
        raise NotImplementedError

    def success_url(self, request: HttpRequest, obj: Any, form: Any) -> str:
        """The page to which it goes on once the service has run."""
        return self.url(request, obj)

    def invalid(self, request: HttpRequest, obj: Any, form: Any) -> HttpResponse:
        return faulty(request, form, self.url(request, obj))

    def question(self, request: HttpRequest, obj: Any, form: Any) -> HttpResponse | None:
        """Return the page that asks for a confirmation before the service runs; None to run it."""
        return None

    def refused(self, request: HttpRequest, obj: Any, form: Any, refused: Refused) -> HttpResponse:
        return refuse(request, refused, self.url(request, obj))

    @property
    def protection(self) -> Repeat | None:
        """What protects it if it is sent twice: the version that its form names, or what its service declares."""
        by_version = Repeat.STATE if "after" in self.form.base_fields else None
        declared: Repeat | None = getattr(self.run, "repeat", by_version)
        return declared

    @property
    def path(self) -> str:
        """The last part of the URL of the endpoint."""
        return (self.api and self.api.path) or self.name

    @property
    def view(self) -> View:
        """The view that a form of a page is sent to."""

        @self.guard
        def view(request: HttpRequest, **url: str) -> HttpResponseBase:
            obj, now = self.find(request, **url), timezone.now()
            form = self.bind(obj, request.POST, now)
            if not form.is_valid():
                return self.invalid(request, obj, form)
            if (question := self.question(request, obj, form)) is not None:
                return question
            try:
                sentence = self.perform(request, obj, form, now)
            except Refused as refused:
                return self.refused(request, obj, form, refused)
            if sentence:
                messages.success(request, sentence)
            return redirect(self.success_url(request, obj, form))

        view.action = self  # type: ignore[attr-defined]  # by which a walk of the URLs finds it
        view.repeat = self.protection  # type: ignore[attr-defined]
        return view

    def parameters(self) -> list[OpenApiParameter]:
        return []

    def values(self, request: Request) -> dict[str, Any]:
        """Return what a program sent, as the form takes it."""
        serializer = self.api and self.api.serializer
        return validated(serializer, request) if serializer else {}

    def answer(self, request: Request, obj: Any, form: Any) -> Response:
        """Return what is there afterwards; `run` may leave what it made as the form's `instance`."""
        raise NotImplementedError

    @property
    def endpoint(self) -> View:
        """The endpoint of the API; only for an action with one."""
        api, action = self.api, self
        assert api is not None  # noqa: S101 - the URLs ask only for those that there are.

        def handle(view: APIView, request: Request, **url: str) -> Response:
            obj, now = action.find(request, **url), timezone.now()
            form = action.bind(obj, action.values(request), now)
            if not form.is_valid():
                raise exceptions.ValidationError(_details(form, api.serializer))
            action.perform(request, obj, form, now)
            return action.answer(request, obj, form)

        handle.repeat = self.protection  # type: ignore[attr-defined]
        summary, _blank, description = (inspect.getdoc(self.run) or "").partition("\n\n")
        described = extend_schema(
            operation_id=api.operation,
            summary=summary.rstrip("."),
            description=description.replace("\n", " "),
            parameters=self.parameters(),
            request=api.serializer,
            examples=[OpenApiExample(api.example_name, value=api.example, request_only=True)] if api.example else [],
            responses=self.responses,
        )
        members = {
            api.method: described(handle),
            "permission_classes": self.permissions,
            "open_to": {api.method: self.who},
        }
        view_class: Any = type(api.operation, (APIView,), members)
        as_view: View = view_class.as_view()
        return as_view
