"""Addresses of this room."""

from django.urls import URLPattern, path, re_path

from tournaments.api import draws as api_draws
from tournaments.views import console, divisions, draws, entries, events, fixtures

SLUG = "[a-z0-9_-]+"
EVENT = rf"^events/(?P<club>{SLUG})/(?P<slug>{SLUG})/"
ID = "[2-9a-z]{10}"
DIVISION = rf"{EVENT}(?P<division>{ID})/"
ENTRY = rf"{EVENT}entries/(?P<entry>{ID})/"
FIXTURE = rf"{EVENT}fixtures/(?P<fixture>{ID})/"

urlpatterns: list[URLPattern] = [
    path("events/", events.event_list, name="events"),
    # No club has the address “new”.
    re_path(rf"^events/new/(?P<club>{SLUG})/$", events.create, name="event-create"),
    re_path(rf"{EVENT}$", events.event, name="event"),
    re_path(rf"{EVENT}edit/$", events.edit, name="event-edit"),
    re_path(rf"{EVENT}publish/$", events.publish, name="event-publish"),
    re_path(rf"{EVENT}cancel/$", events.cancel, name="event-cancel"),
    re_path(rf"{EVENT}leave/$", events.leave, name="event-leave"),
    re_path(rf"{EVENT}new-division/$", divisions.create, name="division-create"),
    re_path(rf"{EVENT}console/$", console.console, name="console"),
    re_path(rf"{EVENT}console/quick/$", console.quick, name="console-quick"),
    re_path(rf"{EVENT}console/log/$", console.log, name="event-log"),
    re_path(rf"{EVENT}status/$", console.status, name="event-status"),
    re_path(rf"{DIVISION}$", divisions.division, name="division"),
    re_path(rf"{DIVISION}register/$", divisions.register, name="division-register"),
    re_path(rf"{DIVISION}withdraw/$", divisions.withdraw, name="division-withdraw"),
    re_path(rf"{DIVISION}settings/$", divisions.settings, name="division-settings"),
    re_path(rf"{DIVISION}entries/$", entries.entries, name="entries"),
    re_path(rf"{DIVISION}entries/search/$", entries.search, name="entries-search"),
    re_path(rf"{DIVISION}entries/add/$", entries.add, name="entries-add"),
    re_path(rf"{DIVISION}entries/paste/$", entries.paste, name="entries-paste"),
    re_path(rf"{DIVISION}entries/enter/$", entries.enter_list, name="entries-enter"),
    re_path(rf"{DIVISION}draw/$", draws.draw, name="draw"),
    re_path(rf"{DIVISION}draw/request/$", draws.request_draw, name="draw-request"),
    re_path(rf"{DIVISION}draw/publish/$", draws.publish, name="draw-publish"),
    re_path(rf"{ENTRY}check-in/$", entries.check_in, name="entry-check-in"),
    re_path(rf"{ENTRY}withdraw/$", entries.withdraw, name="entry-withdraw"),
    re_path(rf"{FIXTURE}$", fixtures.fixture, name="fixture"),
    re_path(rf"{FIXTURE}result/$", fixtures.result, name="fixture-result"),
    re_path(rf"{FIXTURE}forfeit/$", fixtures.forfeit, name="fixture-forfeit"),
    re_path(rf"{FIXTURE}rule/$", fixtures.rule, name="fixture-rule"),
    re_path(rf"{FIXTURE}accept/$", fixtures.accept, name="fixture-accept"),
    re_path(rf"{FIXTURE}extend/$", fixtures.extend, name="fixture-extend"),
    re_path(rf"{FIXTURE}withdraw/$", fixtures.withdraw, name="fixture-withdraw"),
    re_path(
        rf"^api/v1/divisions/(?P<division>{ID})/draws/(?P<number>[0-9]{{1,4}})/$",
        api_draws.OneDraw.as_view(),
        name="api-draw",
    ),
]
