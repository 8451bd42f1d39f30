"""The codes of the refusals of the owner link, with their English sentences and HTTP statuses."""

from http import HTTPStatus

from django.utils.translation import gettext_noop

MESSAGES: dict[str, str] = {
    "owner_link_used": gettext_noop(
        "This link no longer works. For a new one, restart Barpoint or run ./manage.py owner_link."
    ),
    "owner_link_expired": gettext_noop(
        "This link no longer works. For a new one, restart Barpoint or run ./manage.py owner_link."
    ),
    "demo_in_use": gettext_noop("The demo cannot be removed, because others use it: {names}."),
    "demo_gone": gettext_noop("The demo has been removed in the meantime."),
}

STATUS = {
    "owner_link_used": HTTPStatus.GONE,
    "owner_link_expired": HTTPStatus.GONE,
    "demo_in_use": HTTPStatus.CONFLICT,
    "demo_gone": HTTPStatus.CONFLICT,
}
