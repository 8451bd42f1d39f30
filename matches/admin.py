"""The administration of this room: how pools of ratings are set up. What is derived is only shown."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from matches.models import RatingPool


@admin.register(RatingPool)
class RatingPoolAdmin(admin.ModelAdmin):
    """The settings of a pool; after a change its whole history is replayed at the next sweep."""

    list_display = ("name", "is_default", "start_rating", "start_experience", "ramp")
    fields = (*list_display, "claimed_at")
    readonly_fields = ("is_default", "claimed_at")

    def save_model(self, request: HttpRequest, obj: RatingPool, form: Any, change: bool) -> None:
        """Only what was changed here: a result may have marked the pool since the form was shown."""
        obj.save(update_fields=form.changed_data if change else None)

    def has_delete_permission(self, request: HttpRequest, obj: RatingPool | None = None) -> bool:
        """Nobody: matches and their changes belong to it."""
        return False
