"""The notifications of the current account, and what it has chosen."""

from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import exceptions, serializers, status
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response

from core.access import Who, open_to
from core.api import APIView, validated
from core.repeats import Repeat, repeated
from players.accounts.api import me
from players.accounts.serializers import PROBLEM, example
from players.notifications import services as notifications
from players.notifications.services import CHANNELS


class NotificationSerializer(serializers.Serializer[Any]):
    """A notification of the current account."""

    id = serializers.IntegerField(source="notification.pk")
    kind = serializers.CharField(source="notification.kind", help_text="Stable.")
    sentence = serializers.CharField(help_text="In the language of Accept-Language.")
    # The field is taken off the class, so that the property of the same name stays.
    context = serializers.CharField(  # type: ignore[assignment]
        help_text="The event, the division and the match; empty if it belongs to none."
    )
    url = serializers.CharField(source="notification.url", help_text="The path of the page it leads to.")
    created_at = serializers.DateTimeField(source="notification.created_at")
    read_at = serializers.DateTimeField(source="notification.read_at", allow_null=True)


class NotificationChoiceSerializer(serializers.Serializer[Any]):
    """The ways in which one kind of notification is wanted; none of them means not at all."""

    kind = serializers.CharField(max_length=40)
    channels = serializers.ListField(child=serializers.ChoiceField(choices=list(CHANNELS)))


@open_to(get=Who.SIGNED_IN, post=Who.SIGNED_IN)
class MyNotifications(APIView):
    permission_classes = (IsAuthenticated,)

    @extend_schema(
        operation_id="me_notifications",
        summary="My latest notifications, newest first",
        responses={200: NotificationSerializer(many=True), 401: PROBLEM},
    )
    def get(self, request: Request) -> Response:
        """Return the latest notifications."""
        return Response(NotificationSerializer(notifications.notifications_of(me(request)), many=True).data)

    @extend_schema(
        operation_id="me_notifications_read",
        summary="Mark all my notifications as read",
        request=None,
        responses={204: None, 401: PROBLEM},
    )
    @repeated(Repeat.STATE)
    def post(self, request: Request) -> Response:
        """Mark all of them as read."""
        notifications.mark_read(user=me(request), now=timezone.now())
        return Response(status=status.HTTP_204_NO_CONTENT)


@open_to(get=Who.SIGNED_IN, patch=Who.SIGNED_IN)
class MyNotificationChoices(APIView):
    permission_classes = (IsAuthenticated,)

    def answer(self, request: Request) -> Response:
        """Return the channels by kind."""
        chosen = notifications.choices_of(me(request))
        rows = [{"kind": kind, "channels": sorted(channels)} for kind, channels in chosen.items()]
        return Response(NotificationChoiceSerializer(rows, many=True).data)

    @extend_schema(
        operation_id="me_notification_choices",
        summary="What I am notified of, and how",
        responses={200: NotificationChoiceSerializer(many=True), 401: PROBLEM},
    )
    def get(self, request: Request) -> Response:
        """Return the channels by kind."""
        return self.answer(request)

    @extend_schema(
        operation_id="me_notification_choice_update",
        summary="Choose how I am notified of one kind",
        request=NotificationChoiceSerializer,
        examples=example(kind="called", channels=["site", "push"]),
        responses={200: NotificationChoiceSerializer(many=True), 401: PROBLEM, 422: PROBLEM},
    )
    @repeated(Repeat.STATE)
    def patch(self, request: Request) -> Response:
        """Return the channels by kind, as they are now."""
        choice = validated(NotificationChoiceSerializer, request)
        if choice["kind"] not in notifications.choices_of(me(request)):
            raise exceptions.ValidationError({"kind": ["There is no such kind of notification."]})
        notifications.save_choices(user=me(request), wanted={choice["kind"]: choice["channels"]})
        return self.answer(request)
