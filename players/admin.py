from django.contrib import admin
from django.contrib.auth.admin import UserAdmin as DjangoUserAdmin
from django.contrib.auth.forms import AdminUserCreationForm
from django.utils.translation import gettext_lazy as _

from players.models import User


class UserCreationForm(AdminUserCreationForm):
    """A new user by e-mail and name."""

    class Meta:
        model = User
        fields = ("email", "display_name")


@admin.register(User)
class UserAdmin(DjangoUserAdmin):
    """Django's user pages, for users without a user name."""

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
