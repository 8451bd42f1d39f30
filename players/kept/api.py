"""What the endpoints of kept acts share: what a browser sends and how much of it, the answer, and how an outbox stands.

An endpoint says what the acts are about and how one arrives; see `players.kept.outboxes` for the protocol.
"""

import math
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from django.middleware.csrf import get_token
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from core.api import validated
from core.public_ids import LENGTH
from core.text_lengths import MAX_NOTE_LENGTH
from engine.errors import Refused
from players.accounts.serializers import PROBLEM
from players.actors import Actor
from players.kept.acts import SentAct
from players.kept.outboxes import (
    MAX_ACTS,
    MAX_IN_OUTBOX,
    Arrive,
    Carries,
    OutboxKey,
    Sending,
    is_owner,
    notices,
    reader_id,
    receive,
    text_of,
)
from players.models import Club, KeptAct, Outbox
from players.models.kept import MAX_LABEL, OUTBOX_LENGTH
from players.models.people import MAX_PAIR_NAME_LENGTH
from players.notifications.push import device_of

MAX_BODY = 32 * 1024
"""Bytes of a request."""
MAX_MS = 4_102_444_800_000
"""The year 2100, in ms."""
MAX_NUMBER = 2**53 - 1
"""The highest whole number that is exact in a browser."""
MAX_LEFT = 10_000
MAX_FIELDS = 10
"""Of an act, and items of a list among them."""
KEY = rf"[2-9a-z]{{{OUTBOX_LENGTH}}}"
ERRORS = dict.fromkeys((401, 403, 404, 409, 413, 422, 429, 503), PROBLEM)
CODES = (
    "authentication_failed", "busy", "error", "invalid", "kept_gap", "kept_of_another", "kept_too_large", "key_reused",
    "not_authenticated", "not_found", "out_of_order", "outbox_full", "parse_error", "permission_denied",
    "second_factor_needed", "throttled", "too_many_kept", "too_many_outboxes", "too_slow", "unknown_field",
    "unsupported_media_type",
)  # fmt: skip
"""With which a request of a browser is refused (`codes` of views). Its outbox has a table of what follows from each."""
OUTBOX = OpenApiParameter("outbox", OpenApiTypes.STR, description="The id of the browser's outbox.")

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class About(NamedTuple):
    """What the acts of a request are about, and who sends them."""

    topic: str
    club: Club | None
    by: Actor
    carries: Carries | None = None
    """Whose acts the sender may send beside their own; None if nobody's."""
    most: int = MAX_IN_OUTBOX
    """How many acts of one sender arrive in a day."""


@extend_schema_field(OpenApiTypes.OBJECT)
class ActFieldsField(serializers.JSONField):
    """A few fields of a form by their names: texts, whole numbers, and short lists of them."""

    def to_internal_value(self, data: Any) -> dict[str, Any]:
        """Return the fields. Raises ValidationError for anything that no form of a kept act has."""
        value: Any = super().to_internal_value(data)
        if not isinstance(value, dict) or len(value) > MAX_FIELDS or not all(map(_is_field, value.items())):
            raise serializers.ValidationError("This is not the content of a short form.")
        return value


def _is_field(field: tuple[str, Any]) -> bool:
    name, value = field
    items = value if isinstance(value, list) else [value]
    return _is_item(name) and len(items) <= MAX_FIELDS and all(map(_is_item, items))


def _is_item(value: Any) -> bool:
    if isinstance(value, str):
        return len(value) <= MAX_NOTE_LENGTH and "\0" not in value
    return value is None or (isinstance(value, int) and abs(value) <= MAX_NUMBER)


class KeptActSerializer(serializers.Serializer[Any]):
    """An act that was done without a connection."""

    n = serializers.IntegerField(min_value=1, max_value=2**31 - 1, help_text="Its number in the outbox: 1, 2, 3 …")
    action = serializers.CharField(max_length=20, help_text="Its name; `struck` if it was taken back before it left.")
    fixture = serializers.CharField(
        max_length=LENGTH, allow_blank=True, default="", help_text="On a floor: the public id of the match."
    )
    pair = serializers.ListField(
        child=serializers.CharField(max_length=LENGTH, allow_blank=True),
        max_length=2,
        default=list,
        help_text="Who the reader saw in the match, by side: entries on a floor, players at a match.",
    )
    fields = ActFieldsField(  # type: ignore[assignment]  # it is declared here, and not the property of that name
        default=dict, help_text="The fields of the action, without what names the match or its version."
    )
    seen = serializers.IntegerField(
        min_value=0, max_value=MAX_NUMBER, default=0, help_text="`seen` of what the reader saw."
    )
    seen_at = serializers.IntegerField(
        min_value=0, max_value=MAX_MS, default=0, help_text="When the server made that, in ms."
    )
    # Without a default, which would change the content, and so the digest, of acts of earlier pages.
    saw = ActFieldsField(
        required=False,
        help_text="What the reader saw of the match beside who plays, as the server gave it: `saw` of a match on the "
        "floor, and at a match its `length` and `start`.",
    )
    at = serializers.IntegerField(min_value=0, max_value=MAX_MS, help_text="When it was done, in ms, by the device.")
    label = serializers.CharField(  # type: ignore[assignment]  # as `fields`
        max_length=MAX_LABEL, allow_blank=True, default="", help_text="What it says."
    )
    reader = serializers.CharField(
        max_length=20, allow_blank=True, default="", help_text="Whose act it is: `reader` of `me`."
    )
    by = serializers.CharField(max_length=MAX_PAIR_NAME_LENGTH, allow_blank=True, default="", help_text="Their name.")


class KeptSerializer(serializers.Serializer[Any]):
    """Acts of one outbox, in the order of their numbers."""

    outbox = serializers.RegexField(rf"^{KEY}\Z", help_text="The id of the outbox, chosen at random by the browser.")
    now = serializers.IntegerField(min_value=0, max_value=MAX_MS, help_text="The time in ms, by the device.")
    left = serializers.IntegerField(
        min_value=0, max_value=MAX_LEFT, default=0, help_text="How many acts it has beside these."
    )
    carried = serializers.BooleanField(default=False, help_text="Whether the staff send the acts of somebody else.")
    acts = KeptActSerializer(many=True, allow_empty=False, max_length=MAX_ACTS)  # type: ignore[call-arg]  # of its list


class ArrivalSerializer(serializers.Serializer[Any]):
    """What became of an act."""

    n = serializers.IntegerField(min_value=1)
    outcome = serializers.ChoiceField(KeptAct.Outcome.values)
    code = serializers.CharField(allow_blank=True)
    text = serializers.CharField(allow_blank=True, help_text="The sentence that explains it.")


class ReceivedSerializer(serializers.Serializer[Any]):
    """How far an outbox has arrived, and what became of the acts of the request."""

    have = serializers.IntegerField(min_value=0, help_text="The number of the last act that has arrived.")
    outcomes = ArrivalSerializer(many=True)


class ReaderSerializer(serializers.Serializer[Any]):
    """Who reads, as acts name them."""

    reader = serializers.CharField()
    name = serializers.CharField(allow_blank=True)


class OutboxSerializer(serializers.Serializer[Any]):
    """What a browser needs before it sends the acts it has kept."""

    have = serializers.IntegerField(min_value=0, help_text="The number of the last act that has arrived.")
    open = ArrivalSerializer(many=True, help_text="The acts that a person has to decide, and those overtaken lately.")
    seen = serializers.IntegerField(min_value=0, help_text="For `seen` of acts done with what is shown now.")
    now = serializers.IntegerField(help_text="The time in ms, for `seen_at` of such acts.")
    csrf = serializers.CharField(
        allow_blank=True, help_text="The token that a browser with a session sends as `X-CSRFToken`."
    )
    me = ReaderSerializer()


def received(request: Request, about: About, arrive: Arrive, now: datetime) -> Response:
    """Let the acts of a request arrive, and answer what became of each, now or when it came first.

    Refused: `kept_too_large`, and what `receive` refuses.
    """
    refuse_long(request)
    sent = validated(KeptSerializer, request)
    acts = [sent_act(act) for act in sent["acts"]]
    device = device_of(request.headers.get("User-Agent", ""))
    box = OutboxKey(about.topic, sent["outbox"], about.club, device, about.most)
    sending = Sending(about.by, sent["now"], sent["left"], about.carries if sent["carried"] else None)
    row = receive(box, acts, sending, arrive, now)
    stored = row.acts.filter(number__in=[act.number for act in acts]).order_by("number")
    return Response({"have": row.have, "outcomes": [arrival_of(act) for act in stored]})


def refuse_long(request: Request) -> None:
    """Check the length of a request before it is parsed. Refused: `kept_too_large`."""
    length = request.META.get("CONTENT_LENGTH") or "0"
    if (length.isdecimal() and int(length) > MAX_BODY) or len(request.body) > MAX_BODY:
        raise Refused("kept_too_large", kilobytes=MAX_BODY // 1024)


def sent_act(act: Mapping[str, Any]) -> SentAct:
    """Return an act as a request has it, or as it was stored: without what names people."""
    return SentAct(
        number=act["n"],
        action=act["action"],
        fields=act["fields"],
        at=act["at"],
        seen=act["seen"],
        seen_at=_EPOCH + timedelta(milliseconds=act["seen_at"]),
        fixture=act["fixture"],
        pair=tuple(act["pair"]),
        label=act.get("label", ""),
        reader=act.get("reader", ""),
        content=act,
        saw=act.get("saw"),
    )


def arrival_of(act: KeptAct) -> dict[str, Any]:
    return {"n": act.number, "outcome": act.outcome, "code": act.code, "text": text_of(act)}


def outbox_data(request: Request, about: About, name: str, seen: int, now: datetime) -> dict[str, Any]:
    """Return how the outbox stands that a request names, and who its reader is. Refused: `kept_of_another`."""
    key = request.query_params.get("outbox", "")
    row = Outbox.objects.filter(topic=about.topic, key=key).select_related("user").first()
    if row is not None and about.carries is None and not is_owner(row, about.by):
        raise Refused("kept_of_another")
    return {
        "have": row.have if row is not None else 0,
        "open": [arrival_of(act) for act in notices(about.topic, key, now)],
        "seen": seen,
        "now": math.ceil((now - _EPOCH) / timedelta(milliseconds=1)),
        # A program with a token has no use for it, and gets no cookie.
        "csrf": get_token(request._request) if request.auth is None else "",  # noqa: SLF001, it takes Django's request
        "me": {"reader": reader_id(about.by), "name": name},
    }
