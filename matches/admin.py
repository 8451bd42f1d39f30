"""Admin of rating pools. Derived data is read-only."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from matches.models import RatingPool


@admin.register(RatingPool)
class RatingPoolAdmin(admin.ModelAdmin):
    """Settings of a pool. After a change the next sweep replays its whole history."""

    list_display = ("name", "is_default", "start_rating", "start_experience", "ramp")
    fields = (*list_display, "claimed_at")
    readonly_fields = ("is_default", "claimed_at")

    def get_readonly_fields(self, request: HttpRequest, obj: RatingPool | None = None) -> tuple[str, ...]:
        """Return all fields for a pool of a club: its directors change them, with a preview and in versions."""
        return self.fields if obj is not None and obj.club_id is not None else self.readonly_fields

    def save_model(self, request: HttpRequest, obj: RatingPool, form: Any, change: bool) -> None:
        """Save only the changed fields: a replay may have claimed the pool since the form was shown."""
        obj.save(update_fields=form.changed_data if change else None)

    def has_delete_permission(self, request: HttpRequest, obj: RatingPool | None = None) -> bool:
        """Return False: matches and rating changes refer to the pool."""
        return False
