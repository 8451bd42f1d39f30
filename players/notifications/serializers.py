"""Serializers of notifications."""

from typing import Any

from rest_framework import serializers

from players.notifications.choices import CHANNELS


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
