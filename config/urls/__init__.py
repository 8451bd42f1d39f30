"""The URLs of the site, most of them from the apps. Who may open which is in tests/access/."""

from django.conf import settings
from django.contrib import admin
from django.urls import URLPattern, URLResolver, include, path

from clubhouse import home
from config import offline
from config import page as views
from config.api_schema import ApiSchema
from config.monitoring import health as monitoring
from core.live.stream import stream

NOUNS = ("match", "api", "event", "season", "club", "player", "account")
"""Modules of this package, each with the routes of a noun."""

handler400 = "config.middleware.bad_request"
handler403 = "config.middleware.permission_denied"
handler404 = "config.middleware.not_found"
handler500 = "config.middleware.server_error"

urlpatterns: list[URLPattern | URLResolver] = [
    path("", home.home, name="home"),
    path("start/", home.start_club_night, name="start-club-night"),
    path("help/players/", views.help_players, name="help-players"),
    path("help/directors/", views.help_directors, name="help-directors"),
    path("theme/", views.set_theme, name="set-theme"),
    path("language/", views.set_language, name="set-language"),
    path("offline/", offline.offline, name="offline"),
    path("service-worker.js", offline.service_worker, name="service-worker"),
    path("robots.txt", views.robots, name="robots"),
    path("healthz", monitoring.healthz, name="healthz"),
    path("readyz", monitoring.readyz, name="readyz"),
    path("metrics", monitoring.metrics, name="metrics"),
    path("live/", stream, name="live-stream"),
    path("api/schema/", ApiSchema.as_view(), name="api-schema"),
    path("api/docs/", views.api_docs, name="api-docs"),
    path("api/docs/reference/", views.ApiReference.as_view(url_name="api-schema"), name="api-reference"),
    # First what is requested most: resolving a path tries one pattern after the other.
    *(path("", include(f"config.urls.{noun}")) for noun in NOUNS),
    path(".well-known/security.txt", views.security_txt, name="security-txt"),
    # Instead of the admin's own form, which knows no second factor.
    path("admin/login/", views.admin_sign_in, name="admin-sign-in"),
    path("admin/", admin.site.urls),
]
if settings.DEBUG_TOOLBAR:
    urlpatterns.append(path("__debug__/", include("debug_toolbar.urls")))
