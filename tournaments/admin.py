"""The admin pages of tournaments, all of them read-only.

Events are run on their own pages, which take care of locks, the log and derived states. Secret seeds are never shown.
What is published is cancelled, never deleted.
"""

from django.contrib import admin

from players.admin import ReadOnlyAdmin
from tournaments.models import Division, Draw, Entry, Fixture, Stage, Tournament


@admin.register(Tournament)
class TournamentAdmin(ReadOnlyAdmin):
    list_display = ["name", "club", "status", "starts_at", "public_id"]
    list_filter = ["status"]
    search_fields = ["name", "slug", "public_id", "club__name"]
    list_select_related = ["club"]
    date_hierarchy = "starts_at"


@admin.register(Division)
class DivisionAdmin(ReadOnlyAdmin):
    list_display = ["name", "tournament", "status", "seq", "public_id"]
    list_filter = ["status"]
    search_fields = ["name", "public_id", "tournament__name"]
    list_select_related = ["tournament"]


@admin.register(Entry)
class EntryAdmin(ReadOnlyAdmin):
    list_display = ["player", "division", "status", "entered_at", "checked_in_at"]
    list_filter = ["status"]
    search_fields = ["player__name", "public_id", "division__public_id"]
    list_select_related = ["player", "division__tournament"]


@admin.register(Stage)
class StageAdmin(ReadOnlyAdmin):
    """Stages, without their secret seeds."""

    list_display = ["division", "number", "format", "status", "seed_hash"]
    list_select_related = ["division__tournament"]
    exclude = ["seed", "lots_seed"]


@admin.register(Draw)
class DrawAdmin(ReadOnlyAdmin):
    list_display = ["stage", "number", "state", "made_at", "published_at", "reason"]
    list_filter = ["state"]
    list_select_related = ["stage__division__tournament"]


@admin.register(Fixture)
class FixtureAdmin(ReadOnlyAdmin):
    list_display = ["number", "stage", "status", "due_at", "extended", "deadline_done"]
    list_filter = ["status"]
    search_fields = ["public_id", "match__public_id", "stage__division__public_id"]
    list_select_related = ["stage__division__tournament"]
    raw_id_fields = ["match"]
