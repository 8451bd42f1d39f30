from collections.abc import Callable, Iterable
from typing import Any

from django.contrib import admin, messages
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.contrib.auth.admin import UserAdmin as DjangoUserAdmin
from django.contrib.auth.forms import AdminPasswordChangeForm, AdminUserCreationForm
from django.db import transaction
from django.db.models import QuerySet
from django.forms import ModelForm
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils import timezone
from django_otp.plugins.otp_totp.models import TOTPDevice

from core.messages import sentence
from engine.errors import Refused
from players.accounts.security import tell_owner
from players.accounts.services import password_replaced
from players.actors import SYSTEM
from players.forms import SuspendForm
from players.models import Alias, Club, Invitation, LogEntry, Membership, Merge, Player, User
from players.people.leaving import lift_suspension, parts_of, suspend
from players.people.rows import player_of
from players.people.stored_elsewhere import Participation
from players.requests import by

# Its pages show the keys. Users manage their own.
admin.site.unregister(TOTPDevice)


class UserCreationForm(AdminUserCreationForm):
    class Meta:
        model = User
        fields = ("email", "display_name")


class SetPasswordForm(AdminPasswordChangeForm):
    """A new password that the staff sets; it ends what a password ends, and its owner is told."""

    @transaction.atomic
    def save(self, commit: bool = True) -> User:
        user: User = super().save(commit)
        password_replaced(user=user, by=SYSTEM, verb="password_changed", now=timezone.now())
        return user


@admin.register(User)
class UserAdmin(DjangoUserAdmin):
    """Django's user admin, for users without a user name. Who has an account deletes it; the staff suspends it."""

    add_form = UserCreationForm
    change_password_form = SetPasswordForm
    ordering = ["email"]
    list_display = ["email", "display_name", "is_active", "is_staff", "date_joined"]
    list_filter = ["is_active", "is_staff", "is_superuser"]
    search_fields = ["email", "display_name"]
    readonly_fields = ["last_login", "date_joined", "is_active", "suspended_at"]
    actions = ["suspend_accounts", "lift_suspensions"]
    fieldsets = [
        (None, {"fields": ["email", "password", "display_name"]}),
        ("Preferences", {"fields": ["language", "time_zone", "theme"]}),
        (
            "Permissions",
            {"fields": ["is_active", "suspended_at", "is_staff", "is_superuser", "groups", "user_permissions"]},
        ),
        ("Dates", {"fields": ["last_login", "date_joined"]}),
    ]
    add_fieldsets = [
        (None, {"classes": ["wide"], "fields": ["email", "display_name", "usable_password", "password1", "password2"]}),
    ]

    def save_model(self, request: HttpRequest, obj: User, form: ModelForm, change: bool) -> None:
        """Save the account, and tell the owner at the old address of a new one."""
        if change and "email" in form.changed_data:
            obj.email_bounced_at = obj.email_stopped_at = None
        super().save_model(request, obj, form, change)
        if change and "email" in form.changed_data and obj.email_verified_at is not None:
            tell_owner(user=obj, event="address_changed", now=timezone.now(), email=form.initial["email"])

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    @admin.action(description="Suspend the selected accounts…", permissions=["change"])
    def suspend_accounts(self, request: HttpRequest, rows: QuerySet[User]) -> HttpResponse | None:
        """List what ends, and suspend once that was confirmed."""
        if not SuspendForm(request.POST).is_valid():
            listed = [(user, parts_of(player, timezone.now()) if (player := player_of(user)) else []) for user in rows]
            context = {
                **self.admin_site.each_context(request),
                "title": "Suspend accounts",
                "opts": self.opts,
                "listed": listed,
                "selected_name": ACTION_CHECKBOX_NAME,
            }
            return TemplateResponse(request, "players/people/suspend.html", context)
        for user in self._each(request, rows, lambda user: suspend(user=user, by=by(request), now=timezone.now())):
            messages.success(request, f"{user} is suspended.")
        return None

    @admin.action(description="Lift the suspension of the selected accounts", permissions=["change"])
    def lift_suspensions(self, request: HttpRequest, rows: QuerySet[User]) -> None:
        """Let accounts sign in again, and list the withdrawals that stay."""
        left: dict[User, list[Participation]] = {}

        def lift(user: User) -> None:
            left[user] = lift_suspension(user=user, by=by(request), now=timezone.now())

        for user in self._each(request, rows, lift):
            messages.success(request, f"{user} can sign in again.")
            for part in left[user]:
                messages.warning(request, f"Not undone: {part.text}")

    def _each(self, request: HttpRequest, rows: Iterable[User], act: Callable[[User], object]) -> list[User]:
        """Do something to each account; return those for which it was not refused, and say the refusals."""
        done = []
        for user in rows:
            try:
                act(user)
            except Refused as refused:
                text = sentence(refused.code, refused.params)
                messages.error(request, f"{user}: {text}")
            else:
                done.append(user)
        return done


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
    list_display = ["player", "into", "merged_by", "merged_at", "undone_at"]
    list_select_related = ["player", "into", "merged_by"]


@admin.register(LogEntry)
class LogEntryAdmin(ReadOnlyAdmin):
    list_display = ["at", "verb", "topic", "by", "user", "club"]
    list_select_related = ["user", "club"]
    list_filter = ["verb", "by"]
    search_fields = ["topic", "verb", "user__email"]
    date_hierarchy = "at"
