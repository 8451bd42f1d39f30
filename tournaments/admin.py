"""The administration of this room: everything to be looked at, nothing to be changed.

Events are run on their pages, where locks, log and derived states are seen to; and the secret number of a draw that is
not published is shown nowhere.
"""

from django.contrib import admin
from django.db.models import Model
from django.http import HttpRequest

from tournaments.models import Division, Draw, Entry, Fixture, Stage, Tournament


class ReadOnlyAdmin(admin.ModelAdmin):
    """Rows to be read."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Nobody."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Nobody."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Nobody: published things are cancelled, never deleted."""
        return False


@admin.register(Tournament)
class TournamentAdmin(ReadOnlyAdmin):
    """Events of all clubs."""

    list_display = ["name", "club", "status", "starts_at", "public_id"]
    list_filter = ["status"]
    search_fields = ["name", "slug", "public_id", "club__name"]
    list_select_related = ["club"]
    date_hierarchy = "starts_at"


@admin.register(Division)
class DivisionAdmin(ReadOnlyAdmin):
    """Divisions and their settings."""

    list_display = ["name", "tournament", "status", "seq", "public_id"]
    list_filter = ["status"]
    search_fields = ["name", "public_id", "tournament__name"]
    list_select_related = ["tournament"]


@admin.register(Entry)
class EntryAdmin(ReadOnlyAdmin):
    """Who takes part."""

    list_display = ["player", "division", "status", "entered_at", "checked_in_at"]
    list_filter = ["status"]
    search_fields = ["player__name", "public_id", "division__public_id"]
    list_select_related = ["player", "division__tournament"]


@admin.register(Stage)
class StageAdmin(ReadOnlyAdmin):
    """Stages; of the secret number only its hash."""

    list_display = ["division", "number", "format", "status", "seed_hash"]
    list_select_related = ["division__tournament"]
    exclude = ["seed", "lots_seed"]


@admin.register(Draw)
class DrawAdmin(ReadOnlyAdmin):
    """Every draft there was."""

    list_display = ["stage", "number", "state", "made_at", "published_at", "reason"]
    list_filter = ["state"]
    list_select_related = ["stage__division__tournament"]


@admin.register(Fixture)
class FixtureAdmin(ReadOnlyAdmin):
    """Fixtures as they stand."""

    list_display = ["number", "stage", "status", "due_at", "extended", "deadline_done"]
    list_filter = ["status"]
    search_fields = ["public_id", "match__public_id", "stage__division__public_id"]
    list_select_related = ["stage__division__tournament"]
    raw_id_fields = ["match"]
