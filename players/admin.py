from typing import Any

from django.contrib import admin
from django.contrib.auth.admin import UserAdmin as DjangoUserAdmin
from django.contrib.auth.forms import AdminUserCreationForm
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _
from django_otp.plugins.otp_totp.models import TOTPDevice

from players.models import Alias, Club, Invitation, LogEntry, Membership, Merge, Player, User

# Its pages show the keys. Users manage their own.
admin.site.unregister(TOTPDevice)


class UserCreationForm(AdminUserCreationForm):
    """The form for a new user."""

    class Meta:
        model = User
        fields = ("email", "display_name")


@admin.register(User)
class UserAdmin(DjangoUserAdmin):
    """Django's user admin, for users without a user name."""

    add_form = UserCreationForm
    ordering = ["email"]
    list_display = ["email", "display_name", "is_active", "is_staff", "date_joined"]
    list_filter = ["is_active", "is_staff", "is_superuser"]
    search_fields = ["email", "display_name"]
    readonly_fields = ["last_login", "date_joined"]
    fieldsets = [
        (None, {"fields": ["email", "password", "display_name"]}),
        (_("Preferences"), {"fields": ["language", "time_zone", "theme"]}),
        (_("Permissions"), {"fields": ["is_active", "is_staff", "is_superuser", "groups", "user_permissions"]}),
        (_("Dates"), {"fields": ["last_login", "date_joined"]}),
    ]
    add_fieldsets = [
        (None, {"classes": ["wide"], "fields": ["email", "display_name", "usable_password", "password1", "password2"]}),
    ]


class ReadOnlyAdmin(admin.ModelAdmin):
    """An admin page that only shows: changes go through the services, which write the log."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(Player)
class PlayerAdmin(ReadOnlyAdmin):
    """Players, with the player each was merged into."""

    list_display = ["name", "public_id", "user", "merged_into", "erased_at", "created_at"]
    list_select_related = ["user", "merged_into"]
    list_filter = ["initials_only", "erased_at"]
    search_fields = ["name", "name_key", "public_id", "federation_number"]


@admin.register(Club)
class ClubAdmin(ReadOnlyAdmin):
    list_display = ["name", "slug", "city", "time_zone", "created_at"]
    search_fields = ["name", "slug", "city", "search_key"]


@admin.register(Membership)
class MembershipAdmin(ReadOnlyAdmin):
    """Current and former members."""

    list_display = ["player", "club", "role", "joined_at", "left_at"]
    list_select_related = ["player", "club"]
    list_filter = ["role"]
    search_fields = ["player__name", "club__name"]


@admin.register(Alias)
class AliasAdmin(ReadOnlyAdmin):
    list_display = ["name", "player", "created_at"]
    list_select_related = ["player"]
    search_fields = ["name", "player__name"]


@admin.register(Invitation)
class InvitationAdmin(ReadOnlyAdmin):
    """Invitations, without the hash of their secret."""

    list_display = ["player", "club", "email", "created_at", "expires_at", "accepted_at", "withdrawn_at"]
    list_select_related = ["player", "club"]
    exclude = ["secret_hash"]


@admin.register(Merge)
class MergeAdmin(ReadOnlyAdmin):
    """Merges, undone or not."""

    list_display = ["player", "into", "merged_by", "merged_at", "undone_at"]
    list_select_related = ["player", "into", "merged_by"]


@admin.register(LogEntry)
class LogEntryAdmin(ReadOnlyAdmin):
    list_display = ["at", "verb", "topic", "by", "user", "club"]
    list_select_related = ["user", "club"]
    list_filter = ["verb", "by"]
    search_fields = ["topic", "verb", "user__email"]
    date_hierarchy = "at"
