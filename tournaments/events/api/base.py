"""Base views of endpoints about one event, division or entry, which the URL names by its public id."""

from collections.abc import Sequence
from typing import Any

from django.utils import timezone
from rest_framework.permissions import BasePermission, IsAuthenticatedOrReadOnly
from rest_framework.views import APIView

from players.access import Role
from tournaments import access
from tournaments.access import Needed
from tournaments.models import Division, Entry, Tournament
from tournaments.state.api import by


class PublicView(APIView):
    """An endpoint that everybody may read and only accounts may write to."""

    permission_classes: Sequence[type[BasePermission]] = (IsAuthenticatedOrReadOnly,)

    def acting(self) -> dict[str, Any]:
        """Return the arguments `by` and `now` of a service."""
        return {"by": by(self.request), "now": timezone.now()}


class TournamentView(PublicView):
    """An endpoint about one event."""

    def get_tournament(self, role: Needed | None = None) -> Tournament:
        """Return the event of the URL, for somebody with this role in its club if one is required."""
        return access.tournament_by_id(self.request.user, self.kwargs["tournament"], role)


class DivisionView(PublicView):
    """An endpoint about one division."""

    def get_division(self, role: Role | None = None) -> Division:
        """Return the division of the URL, for somebody with this role in its club if one is required."""
        user, public_id = self.request.user, self.kwargs["division"]
        return access.division(user, public_id) if role is None else access.division_as(user, public_id, role)


class EntryView(PublicView):
    """An endpoint about one entry."""

    def get_entry(self, role: Needed | None = None) -> Entry:
        """Return the entry of the URL, for its player or somebody with this role if one is required."""
        user, public_id = self.request.user, self.kwargs["entry"]
        return access.entry(user, public_id) if role is None else access.entry_as_player_or(user, public_id, role)
