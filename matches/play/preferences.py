"""How an account wants to play here: its page and its API."""

from typing import Any, ClassVar

from django import forms
from django.contrib import messages
from django.contrib.auth.models import AnonymousUser
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response

from core.access import Who, open_to
from core.api import APIView, validated
from core.repeats import Repeat, repeated
from matches.models import PlayPreferences
from players.accounts.api import me as api_me
from players.accounts.serializers import PROBLEM, example
from players.models import User
from players.requests import me, page, sent

# The form of play preferences.


class PlayPreferencesForm(forms.ModelForm):  # type: ignore[type-arg]  # not generic at run time
    class Meta:
        model = PlayPreferences
        fields = PlayPreferences.FIELDS
        labels: ClassVar = {
            "autoroll": gettext_lazy("Roll for me"),
            "play_forced": gettext_lazy("Play forced moves for me"),
            "bear_off": gettext_lazy("Bear off for me once there is no more contact"),
            "confirm_plays": gettext_lazy("Ask before a play is sent"),
            "confirm_cube": gettext_lazy("Ask before a double, take or pass is sent"),
            "mirrored": gettext_lazy("Home board on the left"),
            "checkers": gettext_lazy("My checkers"),
            "theme": gettext_lazy("Board"),
            "pip_counts": gettext_lazy("Show pip counts"),
            "speed": gettext_lazy("Animation"),
            "sound": gettext_lazy("Sounds"),
            "zen": gettext_lazy("Board and clocks only"),
        }


# What the API of play preferences takes and returns.


class PlayPreferencesSerializer(serializers.ModelSerializer[PlayPreferences]):
    """What happens by itself when you play, what is confirmed, and how the board looks."""

    class Meta:
        model = PlayPreferences
        fields = PlayPreferences.FIELDS
        extra_kwargs = {
            "autoroll": {"help_text": "`no_double`: your page rolls when you may not double."},
            "speed": {"help_text": "Milliseconds in which a checker moves."},
        }


# Reading play preferences.


def preferences_of(user: User | AnonymousUser) -> PlayPreferences:
    """Return what an account has chosen, or the unsaved defaults; visitors' choices stay in their browser."""
    if isinstance(user, AnonymousUser):
        return PlayPreferences()
    return PlayPreferences.objects.filter(user=user).first() or PlayPreferences(user=user)


def preferences_json(user: User | AnonymousUser) -> dict[str, Any]:
    """Return the preferences as the play page embeds them, with the keys of the API."""
    preferences = preferences_of(user)
    return {name: getattr(preferences, name) for name in PlayPreferences.FIELDS}


# Changing play preferences.


@transaction.atomic
def update_preferences(*, user: User, changes: dict[str, Any]) -> PlayPreferences:
    """Change some preferences of an account, given as checked values by field name."""
    preferences, _ = PlayPreferences.objects.update_or_create(user=user, defaults=changes)
    return preferences


# The page of play preferences.


@open_to(get=Who.SIGNED_IN, post=Who.SIGNED_IN)
@never_cache
@repeated(Repeat.HARMLESS)
def play_preferences(request: HttpRequest) -> HttpResponse:
    """Show and save how the signed-in user wants to play."""
    form = PlayPreferencesForm(sent(request), instance=preferences_of(me(request)))
    if form.is_valid():
        update_preferences(user=me(request), changes=form.cleaned_data)
        messages.success(request, _("Saved."))
        return redirect("play-preferences")
    return page(request, "matches/play/preferences.html", {"form": form}, form)


# The API of play preferences.


@open_to(get=Who.SIGNED_IN, patch=Who.SIGNED_IN)
class MyPlayPreferences(APIView):
    permission_classes = (IsAuthenticated,)

    @extend_schema(
        operation_id="me_play_preferences_retrieve",
        summary="Show how I want to play",
        responses={200: PlayPreferencesSerializer, 401: PROBLEM},
    )
    def get(self, request: Request) -> Response:
        """Return all preferences, the defaults where nothing was chosen."""
        return Response(preferences_json(api_me(request)))

    @extend_schema(
        operation_id="me_play_preferences_update",
        summary="Change how I want to play",
        request=PlayPreferencesSerializer,
        examples=example(autoroll="no_double", sound=True),
        responses={200: PlayPreferencesSerializer, 401: PROBLEM, 422: PROBLEM},
    )
    @repeated(Repeat.STATE)
    def patch(self, request: Request) -> Response:
        """Change the fields that are sent."""
        changes = validated(PlayPreferencesSerializer, request, partial=True)
        update_preferences(user=api_me(request), changes=changes)
        return Response(preferences_json(api_me(request)))
