"""Who may open which page: every route of the site with the status that each of the cast gets from a GET request.

Other methods, and players, opponents, assistants, directors and owners, are in tests/test_role_walk.py.
"""

from collections.abc import Iterator
from typing import NamedTuple

import pytest
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

from players.models import User
from tournaments.pages.floor.actions import ACTIONS

SIGN_IN = 302
NOT_GET = 405


class Access(NamedTuple):
    """The status of a GET request by an anonymous visitor, by Dave (signed in, without any role) and by the staff."""

    anonymous: int
    dave: int
    staff: int


EVERYBODY = Access(200, 200, 200)
ONLY_POST = Access(NOT_GET, NOT_GET, NOT_GET)
WITH_ACCOUNT = Access(SIGN_IN, 200, 200)
# Forms that need an account: anonymous visitors are asked to sign in.
ONLY_POST_WITH_ACCOUNT = Access(SIGN_IN, NOT_GET, NOT_GET)
# Pages of a club that Dave and the staff are not in: being staff gives no role in a club.
ONLY_OFFICERS = Access(SIGN_IN, 403, 403)

EVENT = r"^events/(?P<club>[a-z0-9_-]+)/(?P<slug>[a-z0-9_-]+)/"

# Routes without parameters are requested by the test below. Those with parameters are requested in the tests of their
# package, with the access given here.
ROUTES: dict[str, Access] = {
    "": EVERYBODY,
    "theme/": ONLY_POST,
    # Django's view redirects GET requests.
    "language/": Access(302, 302, 302),
    "robots.txt": EVERYBODY,
    "healthz": EVERYBODY,
    # Without a topic there is nothing to watch; who may watch what: tests/core/live/test_stream.py.
    "live/": Access(400, 400, 400),
    "readyz": EVERYBODY,
    # Only with the token of the operator: tests/config/monitoring.
    "metrics": Access(404, 404, 404),
    "api/schema/": EVERYBODY,
    "api/docs/": EVERYBODY,
    # Records are visible to anybody with the link: tests/matches/records/test_pages.py.
    "check/": EVERYBODY,
    r"^check/(?P<public_id>[2-9a-z]{10})/$": EVERYBODY,
    r"^check/(?P<public_id>[2-9a-z]{10})/replay/$": EVERYBODY,
    r"^check/(?P<public_id>[2-9a-z]{10})/replay/picture\.png$": EVERYBODY,
    r"^check/(?P<public_id>[2-9a-z]{10})/record\.(?P<extension>mat|sgf|json)$": EVERYBODY,
    # tests/api/test_submissions.py
    "api/v1/submissions/": ONLY_POST,
    r"^api/v1/submissions/(?P<public_id>[2-9a-z]{10})/$": EVERYBODY,
    r"^api/v1/submissions/(?P<public_id>[2-9a-z]{10})/record\.(?P<extension>mat|sgf|json)$": EVERYBODY,
    # Accounts: tests/players/accounts/test_account_pages.py.
    "sign-up/": Access(200, 302, 302),
    "sign-in/": Access(200, 302, 302),
    "sign-in/code/": Access(302, 302, 302),
    "preferences/sessions/": WITH_ACCOUNT,
    "preferences/sessions/end/": ONLY_POST_WITH_ACCOUNT,
    "preferences/sessions/end-others/": ONLY_POST_WITH_ACCOUNT,
    "preferences/second-factor/": WITH_ACCOUNT,
    "preferences/second-factor/start/": ONLY_POST_WITH_ACCOUNT,
    "preferences/second-factor/on/": ONLY_POST_WITH_ACCOUNT,
    "preferences/second-factor/off/": ONLY_POST_WITH_ACCOUNT,
    "preferences/second-factor/codes/": ONLY_POST_WITH_ACCOUNT,
    "sign-in/continue/": Access(302, 302, 302),
    "sign-out/": ONLY_POST,
    "password/forgotten/": EVERYBODY,
    "password/sent/": EVERYBODY,
    "password/choose/<uidb64>/<token>/": EVERYBODY,
    "password/done/": EVERYBODY,
    "preferences/": WITH_ACCOUNT,
    # tests/matches/play/test_preferences.py
    "preferences/play/": WITH_ACCOUNT,
    "api/v1/me/play-preferences/": Access(401, 200, 200),
    "preferences/email/": ONLY_POST_WITH_ACCOUNT,
    "preferences/email/send-again/": ONLY_POST_WITH_ACCOUNT,
    # Without a valid secret there is nothing to confirm.
    r"^confirm-email/(?P<secret>[\w:.-]{20,500})/$": EVERYBODY,
    "preferences/password/": ONLY_POST_WITH_ACCOUNT,
    "preferences/delete/": WITH_ACCOUNT,
    "preferences/token/": WITH_ACCOUNT,
    # tests/privacy
    "preferences/data/": WITH_ACCOUNT,
    "preferences/data/export/": ONLY_POST_WITH_ACCOUNT,
    r"^data-exports/(?P<export>[2-9a-z]{10})\.zip$": Access(SIGN_IN, 404, 404),
    r"^clubs/(?P<slug>[a-z0-9-]+)/members/(?P<public_id>[2-9a-z]{10})/data/$": ONLY_OFFICERS,
    r"^clubs/(?P<slug>[a-z0-9-]+)/members/(?P<public_id>[2-9a-z]{10})/data/export/$": ONLY_POST_WITH_ACCOUNT,
    r"^clubs/(?P<slug>[a-z0-9-]+)/members/(?P<public_id>[2-9a-z]{10})/erase/$": ONLY_POST_WITH_ACCOUNT,
    "api/v1/accounts/": ONLY_POST,
    "api/v1/me/exports/": Access(401, 200, 200),
    "api/v1/me/erase/": Access(401, NOT_GET, NOT_GET),
    r"^api/v1/exports/(?P<export>[2-9a-z]{10})/$": Access(401, 404, 404),
    r"^api/v1/exports/(?P<export>[2-9a-z]{10})/archive\.zip$": Access(401, 404, 404),
    r"^api/v1/clubs/(?P<slug>[a-z0-9-]+)/members/(?P<public_id>[2-9a-z]{10})/exports/$": Access(401, 403, 403),
    r"^api/v1/clubs/(?P<slug>[a-z0-9-]+)/members/(?P<public_id>[2-9a-z]{10})/erase/$": Access(401, NOT_GET, NOT_GET),
    "preferences/token/revoke/": ONLY_POST_WITH_ACCOUNT,
    # tests/players/notifications
    "notifications/": WITH_ACCOUNT,
    "notifications/bell/": WITH_ACCOUNT,
    "notifications/read/": ONLY_POST_WITH_ACCOUNT,
    r"^notifications/(?P<notification>\d{1,18})/open/$": ONLY_POST_WITH_ACCOUNT,
    r"^notifications/(?P<notification>\d{1,18})/unread/$": ONLY_POST_WITH_ACCOUNT,
    "account/notifications/": WITH_ACCOUNT,
    "account/notifications/push/": ONLY_POST_WITH_ACCOUNT,
    r"^account/notifications/push/(?P<browser>\d{1,18})/remove/$": ONLY_POST_WITH_ACCOUNT,
    "service-worker.js": EVERYBODY,
    r"^unsubscribe/(?P<unsubscribe_token>\d{1,18}\.[a-z_-]{1,400}\.[\w-]{43})/$": EVERYBODY,
    # Clubs, for each role: tests/players/clubs/test_club_pages.py.
    "clubs/": EVERYBODY,
    "clubs/new/": WITH_ACCOUNT,
    r"^clubs/(?P<slug>[a-z0-9-]+)/$": EVERYBODY,
    r"^clubs/(?P<slug>[a-z0-9-]+)/commitments/$": EVERYBODY,
    r"^clubs/(?P<slug>[a-z0-9-]+)/venue/$": ONLY_OFFICERS,
    r"^clubs/(?P<slug>[a-z0-9-]+)/edit/$": ONLY_OFFICERS,
    r"^clubs/(?P<slug>[a-z0-9-]+)/leave/$": ONLY_POST_WITH_ACCOUNT,
    r"^clubs/(?P<slug>[a-z0-9-]+)/second-factor/$": ONLY_POST_WITH_ACCOUNT,
    r"^clubs/(?P<slug>[a-z0-9-]+)/members/$": ONLY_OFFICERS,
    r"^clubs/(?P<slug>[a-z0-9-]+)/members/add/$": ONLY_POST_WITH_ACCOUNT,
    r"^clubs/(?P<slug>[a-z0-9-]+)/members/known/$": ONLY_POST_WITH_ACCOUNT,
    r"^clubs/(?P<slug>[a-z0-9-]+)/members/paste/$": ONLY_POST_WITH_ACCOUNT,
    r"^clubs/(?P<slug>[a-z0-9-]+)/invitations/(?P<pk>\d{1,18})/withdraw/$": ONLY_POST_WITH_ACCOUNT,
    r"^clubs/(?P<slug>[a-z0-9-]+)/merges/(?P<pk>\d{1,18})/undo/$": ONLY_POST_WITH_ACCOUNT,
    r"^clubs/(?P<slug>[a-z0-9-]+)/members/(?P<public_id>[2-9a-z]{10})/$": ONLY_OFFICERS,
    r"^clubs/(?P<slug>[a-z0-9-]+)/members/(?P<public_id>[2-9a-z]{10})/role/$": ONLY_POST_WITH_ACCOUNT,
    r"^clubs/(?P<slug>[a-z0-9-]+)/members/(?P<public_id>[2-9a-z]{10})/edit/$": ONLY_POST_WITH_ACCOUNT,
    r"^clubs/(?P<slug>[a-z0-9-]+)/members/(?P<public_id>[2-9a-z]{10})/invite/$": ONLY_POST_WITH_ACCOUNT,
    r"^clubs/(?P<slug>[a-z0-9-]+)/members/(?P<public_id>[2-9a-z]{10})/merge/$": ONLY_POST_WITH_ACCOUNT,
    r"^clubs/(?P<slug>[a-z0-9-]+)/members/(?P<public_id>[2-9a-z]{10})/names/$": ONLY_POST_WITH_ACCOUNT,
    r"^clubs/(?P<slug>[a-z0-9-]+)/members/(?P<public_id>[2-9a-z]{10})/remove/$": ONLY_POST_WITH_ACCOUNT,
    r"^clubs/(?P<slug>[a-z0-9-]+)/pools/$": ONLY_OFFICERS,
    r"^clubs/(?P<slug>[a-z0-9-]+)/pools/(?P<pk>\d{1,18})/$": ONLY_OFFICERS,
    r"^clubs/(?P<slug>[a-z0-9-]+)/pools/(?P<pk>\d{1,18})/import/$": ONLY_POST_WITH_ACCOUNT,
    r"^clubs/(?P<slug>[a-z0-9-]+)/pools/(?P<pk>\d{1,18})/imports/(?P<source>\d{1,18})/undo/$": ONLY_POST_WITH_ACCOUNT,
    r"^api/v1/clubs/(?P<slug>[a-z0-9-]+)/pools/$": Access(401, 403, 403),
    r"^api/v1/clubs/(?P<slug>[a-z0-9-]+)/pools/(?P<pk>\d{1,18})/$": Access(401, NOT_GET, NOT_GET),
    r"^api/v1/clubs/(?P<slug>[a-z0-9-]+)/pools/(?P<pk>\d{1,18})/imports/$": Access(401, 403, 403),
    r"^api/v1/clubs/(?P<slug>[a-z0-9-]+)/pools/(?P<pk>\d{1,18})/imports/(?P<source>\d{1,18})/undo/$": Access(
        401, NOT_GET, NOT_GET
    ),
    # Invitations are visible to anybody with the link.
    r"^invitations/(?P<secret>[\w-]{20,64})/$": EVERYBODY,
    r"^invitations/(?P<secret>[\w-]{20,64})/accept/$": ONLY_POST_WITH_ACCOUNT,
    r"^invitations/(?P<secret>[\w-]{20,64})/sign-up/$": ONLY_POST,
    # tests/api/test_people.py
    "api/v1/me/": Access(401, 200, 200),
    "api/v1/me/tokens/": Access(401, 200, 200),
    r"^api/v1/me/tokens/(?P<token_id>\d{1,18})/$": Access(401, NOT_GET, NOT_GET),
    "api/v1/tokens/": ONLY_POST,
    "api/v1/tokens/current/": Access(401, NOT_GET, NOT_GET),
    "api/v1/invitations/accept/": Access(401, NOT_GET, NOT_GET),
    "api/v1/clubs/": EVERYBODY,
    r"^api/v1/clubs/(?P<slug>[a-z0-9-]+)/$": EVERYBODY,
    r"^api/v1/clubs/(?P<slug>[a-z0-9-]+)/members/$": EVERYBODY,
    r"^api/v1/clubs/(?P<slug>[a-z0-9-]+)/members/list/$": Access(401, NOT_GET, NOT_GET),
    r"^api/v1/clubs/(?P<slug>[a-z0-9-]+)/merges/(?P<pk>\d{1,18})/$": Access(401, NOT_GET, NOT_GET),
    r"^api/v1/clubs/(?P<slug>[a-z0-9-]+)/members/(?P<public_id>[2-9a-z]{10})/$": EVERYBODY,
    r"^api/v1/clubs/(?P<slug>[a-z0-9-]+)/members/(?P<public_id>[2-9a-z]{10})/name/$": Access(401, NOT_GET, NOT_GET),
    r"^api/v1/clubs/(?P<slug>[a-z0-9-]+)/members/(?P<public_id>[2-9a-z]{10})/invitation/$": Access(
        401, NOT_GET, NOT_GET
    ),
    r"^api/v1/clubs/(?P<slug>[a-z0-9-]+)/members/(?P<public_id>[2-9a-z]{10})/merge/$": Access(401, NOT_GET, NOT_GET),
    # Rankings and players are public; tests/matches/rankings/test_pages.py checks private matches.
    "rankings/": EVERYBODY,
    "rankings/ranking.csv": EVERYBODY,
    "rankings/matches.csv": EVERYBODY,
    "players/": EVERYBODY,
    r"^players/(?P<public_id>[2-9a-z]{10})/$": EVERYBODY,
    r"^players/(?P<public_id>[2-9a-z]{10})/matches/$": EVERYBODY,
    r"^players/(?P<public_id>[2-9a-z]{10})/vs/$": EVERYBODY,
    r"^players/(?P<public_id>[2-9a-z]{10})/vs/(?P<other_id>[2-9a-z]{10})/$": EVERYBODY,
    "api/v1/rankings/": EVERYBODY,
    "api/v1/players/": EVERYBODY,
    r"^api/v1/players/(?P<public_id>[2-9a-z]{10})/$": EVERYBODY,
    r"^api/v1/players/(?P<public_id>[2-9a-z]{10})/changes/$": EVERYBODY,
    r"^api/v1/players/(?P<public_id>[2-9a-z]{10})/matches/$": EVERYBODY,
    r"^api/v1/players/(?P<public_id>[2-9a-z]{10})/vs/(?P<other_id>[2-9a-z]{10})/$": EVERYBODY,
    # Matches: tests/matches/reporting/test_match_access.py requests these as each role.
    "my/": WITH_ACCOUNT,
    r"^matches/(?P<public_id>[2-9a-z]{10})/$": EVERYBODY,
    # tests/matches/analysis/test_pages.py
    r"^matches/(?P<public_id>[2-9a-z]{10})/analysis/$": EVERYBODY,
    r"^check/(?P<public_id>[2-9a-z]{10})/analysis/$": EVERYBODY,
    r"^matches/(?P<public_id>[2-9a-z]{10})/analysis\.csv$": EVERYBODY,
    r"^api/v1/matches/(?P<public_id>[2-9a-z]{10})/analysis/$": EVERYBODY,
    r"^api/v1/submissions/(?P<public_id>[2-9a-z]{10})/analysis/$": EVERYBODY,
    r"^api/v1/players/(?P<public_id>[2-9a-z]{10})/analysis/$": EVERYBODY,
    r"^api/v1/clubs/(?P<slug>[a-z0-9-]+)/analysis/$": EVERYBODY,
    # tests/matches/analysis/test_totals.py
    r"^players/(?P<public_id>[2-9a-z]{10})/analysis/$": EVERYBODY,
    r"^clubs/(?P<slug>[a-z0-9-]+)/analysis/$": EVERYBODY,
    r"^clubs/(?P<slug>[a-z0-9-]+)/analysis\.csv$": EVERYBODY,
    r"^matches/(?P<public_id>[2-9a-z]{10})/links/$": ONLY_OFFICERS,
    r"^matches/(?P<public_id>[2-9a-z]{10})/links/(?P<side>[01])/revoke/$": ONLY_POST_WITH_ACCOUNT,
    r"^matches/(?P<public_id>[2-9a-z]{10})/appointment\.ics$": Access(SIGN_IN, 404, 404),
    r"^matches/(?P<public_id>[2-9a-z]{10})/report/$": Access(SIGN_IN, 404, 404),
    r"^m/(?P<token>[2-9a-z]{10}\.[01s]\.[\w-]{43})/$": EVERYBODY,
    # Without a score there is nothing to preview.
    r"^m/(?P<token>[2-9a-z]{10}\.[01s]\.[\w-]{43})/report/$": Access(422, 422, 422),
    r"^m/(?P<token>[2-9a-z]{10}\.[01s]\.[\w-]{43})/appointment\.ics$": EVERYBODY,
    **{
        f"{prefix}{action}/$": ONLY_POST
        for prefix in (r"^matches/(?P<public_id>[2-9a-z]{10})/", r"^m/(?P<token>[2-9a-z]{10}\.[01s]\.[\w-]{43})/")
        for action in (
            "claim",
            "running-score",
            "length/offer",
            "length/accept",
            "length/decline",
            "confirm",
            "contest",
            "concede",
            "withdraw",
            "seen",
            "object",
            "records",
            r"records/(?P<record_id>[2-9a-z]{10})/names",
            "times",
            r"times/(?P<proposal_id>[2-9a-z]{10})/accept",
            r"times/(?P<proposal_id>[2-9a-z]{10})/withdraw",
            "play-here",
            "here",
            "no-show",
        )
    },
    r"^matches/(?P<public_id>[2-9a-z]{10})/rematch/$": ONLY_POST_WITH_ACCOUNT,
    # Only matches that are played here have a board, dice and a replay: tests/matches/play/.
    **{
        f"{prefix}{page}$": Access(404, 404, 404)
        for prefix in (r"^matches/(?P<public_id>[2-9a-z]{10})/", r"^m/(?P<token>[2-9a-z]{10}\.[01s]\.[\w-]{43})/")
        for page in ("play/", "dice/", r"dice\.json", "replay/", r"record\.(?P<extension>mat|sgf|json)")
    },
    r"^matches/(?P<public_id>[2-9a-z]{10})/replay/picture\.png$": Access(404, 404, 404),
    "my/calendar/": ONLY_POST_WITH_ACCOUNT,
    "my/calendar/revoke/": ONLY_POST_WITH_ACCOUNT,
    r"^calendar/(?P<feed_token>[2-9a-z]{10}\.[\w-]{43})\.ics$": EVERYBODY,
    "api/v1/me/notifications/": Access(401, 200, 200),
    "api/v1/me/notification-choices/": Access(401, 200, 200),
    "api/v1/me/calendar/": Access(401, 200, 200),
    **{rf"^api/v1/matches/(?P<public_id>[2-9a-z]{{10}})/{action}/$": ONLY_POST for action in ("here", "no-show")},
    # The lobby: tests/matches/play/lobby/test_lobby_pages.py.
    "lobby/": WITH_ACCOUNT,
    "lobby/practice/": ONLY_POST_WITH_ACCOUNT,
    "lobby/challenges/": ONLY_POST_WITH_ACCOUNT,
    **{
        rf"^lobby/challenges/(?P<public_id>[2-9a-z]{{10}})/{action}/$": ONLY_POST_WITH_ACCOUNT
        for action in ("accept", "decline", "withdraw")
    },
    "lobby/blocks/": ONLY_POST_WITH_ACCOUNT,
    r"^lobby/blocks/(?P<public_id>[2-9a-z]{10})/remove/$": ONLY_POST_WITH_ACCOUNT,
    "api/v1/practice/": Access(401, NOT_GET, NOT_GET),
    "api/v1/challenges/": Access(401, 200, 200),
    **{
        rf"^api/v1/challenges/(?P<public_id>[2-9a-z]{{10}})/{action}/$": Access(401, NOT_GET, NOT_GET)
        for action in ("accept", "decline", "withdraw")
    },
    r"^api/v1/matches/(?P<public_id>[2-9a-z]{10})/rematch/$": Access(401, NOT_GET, NOT_GET),
    "api/v1/me/blocks/": Access(401, 200, 200),
    r"^api/v1/me/blocks/(?P<public_id>[2-9a-z]{10})/$": Access(401, NOT_GET, NOT_GET),
    "api/v1/matches/": EVERYBODY,
    r"^api/v1/matches/(?P<public_id>[2-9a-z]{10})/$": EVERYBODY,
    # tests/tournaments/floor/test_length_offers.py
    r"^api/v1/matches/(?P<public_id>[2-9a-z]{10})/length-offers/$": Access(401, 404, 404),
    r"^api/v1/matches/(?P<public_id>[2-9a-z]{10})/links/$": Access(401, 403, 403),
    r"^api/v1/matches/(?P<public_id>[2-9a-z]{10})/links/(?P<side>[01])/$": Access(401, NOT_GET, NOT_GET),
    # tests/api/test_live.py
    r"^api/v1/matches/(?P<public_id>[2-9a-z]{10})/live/$": EVERYBODY,
    r"^api/v1/matches/(?P<public_id>[2-9a-z]{10})/live/dice/$": EVERYBODY,
    r"^api/v1/matches/(?P<public_id>[2-9a-z]{10})/live/open/$": ONLY_POST,
    r"^api/v1/matches/(?P<public_id>[2-9a-z]{10})/live/chains/$": ONLY_POST,
    r"^api/v1/matches/(?P<public_id>[2-9a-z]{10})/live/ping/$": ONLY_POST,
    r"^api/v1/matches/(?P<public_id>[2-9a-z]{10})/live/goodbye/$": ONLY_POST,
    r"^api/v1/matches/(?P<public_id>[2-9a-z]{10})/live/chat/$": EVERYBODY,
    r"^api/v1/matches/(?P<public_id>[2-9a-z]{10})/live/chat/mute/$": ONLY_POST,
    r"^api/v1/matches/(?P<public_id>[2-9a-z]{10})/live/chat/(?P<message>[2-9a-z]{10})/report/$": ONLY_POST,
    r"^api/v1/matches/(?P<public_id>[2-9a-z]{10})/live/chat/(?P<message>[2-9a-z]{10})/decision/$": Access(
        401, NOT_GET, NOT_GET
    ),
    r"^matches/(?P<public_id>[2-9a-z]{10})/chat/(?P<message>[2-9a-z]{10})/$": ONLY_POST_WITH_ACCOUNT,
    r"^clubs/(?P<slug>[a-z0-9-]+)/messages/$": ONLY_OFFICERS,
    r"^api/v1/matches/(?P<public_id>[2-9a-z]{10})/live/actions/$": ONLY_POST,
    r"^api/v1/matches/(?P<public_id>[2-9a-z]{10})/live/rulings/$": Access(401, NOT_GET, NOT_GET),
    **{
        rf"^api/v1/matches/(?P<public_id>[2-9a-z]{{10}})/{action}/$": ONLY_POST
        for action in (
            "claims",
            "claims/preview",
            "running-score",
            "length-offers/accept",
            "length-offers/decline",
            "confirm",
            "contest",
            "concede",
            "seen",
            "objections",
            "withdraw",
            "records",
            r"records/(?P<record_id>[2-9a-z]{10})/names",
            "proposals",
            r"proposals/(?P<proposal_id>[2-9a-z]{10})/accept",
            r"proposals/(?P<proposal_id>[2-9a-z]{10})/withdraw",
        )
    },
    # Events, for each role: tests/tournaments/pages/test_roles.py. Drafts are 404 except for the officers of the club.
    "events/": EVERYBODY,
    r"^events/new/(?P<club>[a-z0-9_-]+)/$": ONLY_OFFICERS,
    rf"{EVENT}$": EVERYBODY,
    rf"{EVENT}tv/$": EVERYBODY,
    rf"{EVENT}prizes/$": EVERYBODY,
    rf"{EVENT}report/$": EVERYBODY,
    # tests/tournaments/prizes/test_report.py
    rf"{EVENT}analysis\.csv$": EVERYBODY,
    rf"{EVENT}calendar\.ics$": EVERYBODY,
    rf"{EVENT}cash\.csv$": ONLY_OFFICERS,
    rf"{EVENT}paper/$": ONLY_OFFICERS,
    rf"{EVENT}paper/score-sheets/$": ONLY_OFFICERS,
    rf"{EVENT}wall/$": EVERYBODY,
    rf"{EVENT}wall/settings/$": ONLY_OFFICERS,
    rf"{EVENT}paper/draws/$": EVERYBODY,
    rf"{EVENT}embed/calls/$": EVERYBODY,
    rf"{EVENT}(?P<division>[2-9a-z]{{10}})/embed/bracket/$": EVERYBODY,
    rf"{EVENT}(?P<division>[2-9a-z]{{10}})/embed/standings/$": EVERYBODY,
    rf"{EVENT}paper/snapshot/$": ONLY_OFFICERS,
    rf"{EVENT}paper/(?P<kind>pairings|names|entries|standings|prizes|cross-tables)/$": EVERYBODY,
    rf"{EVENT}paper/tables/$": ONLY_OFFICERS,
    rf"{EVENT}paper/personal-links/$": ONLY_OFFICERS,
    rf"{EVENT}tables/(?P<table>[2-9a-z]{{10}})/$": EVERYBODY,
    rf"{EVENT}arrive/$": EVERYBODY,
    # tests/tournaments/entries/test_event_links.py
    r"^e/(?P<event_token>[2-9a-z]{10}\.[2-9a-z]{10}\.[\w-]{43})/$": EVERYBODY,
    r"^e/(?P<event_token>[2-9a-z]{10}\.[2-9a-z]{10}\.[\w-]{43})/check-in/$": ONLY_POST,
    rf"{EVENT}(?P<division>[2-9a-z]{{10}})/$": EVERYBODY,
    **{
        rf"{EVENT}(?P<division>[2-9a-z]{{10}})/{page}": EVERYBODY
        for page in (
            "standings/$",
            r"standings\.(?P<extension>csv|json)$",
            "pairings/$",
            r"pairings\.(?P<extension>csv|json)$",
        )
    },
    **{
        rf"{EVENT}{page}/$": ONLY_OFFICERS
        for page in (
            "edit",
            "cancel",
            "helpers",
            "new-division",
            "console",
            "console/log",
            "cash",
            "check-in",
            "check-in/poster",
            "check-in/kiosks",
            "floor",
            "floor/forecast",
            "floor/preview",
            "floor/settings",
            "floor/matches/(?P<fixture>[2-9a-z]{10})",
            "floor/tables/(?P<table>[2-9a-z]{10})",
            "status",
            "corrections",
            "next-season",
            "fixtures/(?P<fixture>[2-9a-z]{10})",
            "fixtures/(?P<fixture>[2-9a-z]{10})/correct",
            "fixtures/(?P<fixture>[2-9a-z]{10})/correct/undo/(?P<correction>[2-9a-z]{10})",
            "(?P<division>[2-9a-z]{10})/settings",
            "(?P<division>[2-9a-z]{10})/prizes",
            "(?P<division>[2-9a-z]{10})/format",
            "(?P<division>[2-9a-z]{10})/entries",
            "(?P<division>[2-9a-z]{10})/entries/search",
            "(?P<division>[2-9a-z]{10})/draw",
            "(?P<division>[2-9a-z]{10})/rounds",
            "entries/(?P<entry>[2-9a-z]{10})/back-in",
            "entries/(?P<entry>[2-9a-z]{10})/undo-late",
            "entries/(?P<entry>[2-9a-z]{10})/re-enter",
            "entries/(?P<entry>[2-9a-z]{10})/substitute",
            "entries/(?P<entry>[2-9a-z]{10})/link",
        )
    },
    **{
        rf"{EVENT}{form}/$": ONLY_POST_WITH_ACCOUNT
        for form in (
            "publish",
            "copy",
            "helpers/add",
            "helpers/remove",
            "leave",
            "console/quick",
            "console/confirm-all",
            *(
                f"cash/{form}"
                for form in (
                    "pay",
                    "move",
                    "take-back",
                    "payout",
                    "close",
                    "reopen",
                    "settings",
                    "pool-member",
                    "split-back",
                )
            ),
            *(f"check-in/{form}" for form in ("mark", "all", "undo", "kiosks/add", "kiosks/revoke")),
            "arrive/mark",
            "arrive/revoke-link",
            "floor/line",
            "floor/close",
            f"floor/do/(?P<action>{'|'.join(ACTIONS)})",
            "entries/(?P<entry>[2-9a-z]{10})/check-in",
            "entries/(?P<entry>[2-9a-z]{10})/withdraw",
            "entries/(?P<entry>[2-9a-z]{10})/substitute/undo",
            "entries/(?P<entry>[2-9a-z]{10})/link/revoke",
            *(
                f"fixtures/(?P<fixture>[2-9a-z]{{10}})/{form}"
                for form in ("result", "forfeit", "rule", "accept", "objection", "extend", "withdraw")
            ),
            *(
                f"(?P<division>[2-9a-z]{{10}})/{form}"
                for form in (
                    "register",
                    "withdraw",
                    "entries/add",
                    "entries/paste",
                    "entries/enter",
                    "draw/request",
                    "draw/publish",
                    "draw/take-back",
                    "rounds/take-back",
                    "rounds/stop",
                    "format/show",
                    "rounds/pair",
                    "rounds/publish",
                    "rounds/change",
                    "rounds/bye",
                    "keep-apart",
                    "prizes/pool",
                    "prizes/split",
                )
            ),
        )
    },
    # tests/tournaments/events/test_helpers.py
    r"^helping/(?P<secret>[\w-]{20,64})/$": EVERYBODY,
    r"^helping/(?P<secret>[\w-]{20,64})/accept/$": ONLY_POST_WITH_ACCOUNT,
    # Whoever is signed in, only a paired device sees anything: tests/tournaments/entries/test_kiosks.py.
    "kiosk/": Access(404, 404, 404),
    "kiosk/check-in/": ONLY_POST,
    "kiosk/undo/": ONLY_POST,
    r"^kiosk/pair/(?P<pairing_token>[2-9a-z]{10}\.[\w-]{43})/$": EVERYBODY,
    # tests/tournaments/pages/test_roles.py and tests/api/test_tournaments.py
    "api/v1/tournaments/": EVERYBODY,
    **{
        f"^api/v1/{read}/$": EVERYBODY
        for read in (
            "clubs/(?P<slug>[a-z0-9-]+)/commitments",
            "tournaments/(?P<tournament>[2-9a-z]{10})",
            "tournaments/(?P<tournament>[2-9a-z]{10})/divisions",
            "tournaments/(?P<tournament>[2-9a-z]{10})/report",
            "tournaments/(?P<tournament>[2-9a-z]{10})/analysis",
            "tournaments/(?P<tournament>[2-9a-z]{10})/prizes",
            "tournaments/(?P<tournament>[2-9a-z]{10})/floor",
            "divisions/(?P<division>[2-9a-z]{10})",
            "divisions/(?P<division>[2-9a-z]{10})/stages",
            "divisions/(?P<division>[2-9a-z]{10})/entries",
            "divisions/(?P<division>[2-9a-z]{10})/draws",
            "divisions/(?P<division>[2-9a-z]{10})/draws/(?P<number>[0-9]{1,4})",
            "divisions/(?P<division>[2-9a-z]{10})/rounds",
            "divisions/(?P<division>[2-9a-z]{10})/bracket",
            "divisions/(?P<division>[2-9a-z]{10})/fixtures",
            "divisions/(?P<division>[2-9a-z]{10})/standings",
            "divisions/(?P<division>[2-9a-z]{10})/pairings",
            "entries/(?P<entry>[2-9a-z]{10})",
            "fixtures/(?P<fixture>[2-9a-z]{10})",
        )
    },
    "^api/v1/tournaments/(?P<tournament>[2-9a-z]{10})/log/$": Access(403, 403, 403),
    "^api/v1/tournaments/(?P<tournament>[2-9a-z]{10})/cash/$": Access(403, 403, 403),
    "^api/v1/tournaments/(?P<tournament>[2-9a-z]{10})/helpers/$": Access(403, 403, 403),
    **{
        f"^api/v1/divisions/(?P<division>[2-9a-z]{{10}})/{read}/$": Access(403, 403, 403)
        for read in ("prizes", "pools", "splits")
    },
    "^api/v1/tournaments/(?P<tournament>[2-9a-z]{10})/next-season/$": Access(403, 403, 403),
    "^api/v1/divisions/(?P<division>[2-9a-z]{10})/outline/$": Access(403, 403, 403),
    "^api/v1/tournaments/(?P<tournament>[2-9a-z]{10})/reports/$": Access(401, 403, 403),
    "^api/v1/divisions/(?P<division>[2-9a-z]{10})/kept-apart/$": Access(403, 403, 403),
    "^api/v1/entries/(?P<entry>[2-9a-z]{10})/link/$": Access(401, 403, 403),
    "^api/v1/entries/(?P<entry>[2-9a-z]{10})/return/$": Access(401, 403, 403),
    "^api/v1/entries/(?P<entry>[2-9a-z]{10})/undo-late/$": Access(401, 403, 403),
    "^api/v1/entries/(?P<entry>[2-9a-z]{10})/re-enter/$": Access(401, 403, 403),
    "^api/v1/fixtures/(?P<fixture>[2-9a-z]{10})/corrections/$": Access(403, 403, 403),
    "^api/v1/corrections/(?P<correction>[2-9a-z]{10})/$": Access(403, 403, 403),
    "^api/v1/fixtures/(?P<fixture>[2-9a-z]{10})/corrections/preview/$": ONLY_POST,
    "^api/v1/corrections/(?P<correction>[2-9a-z]{10})/undo/$": ONLY_POST,
    "^api/v1/corrections/(?P<correction>[2-9a-z]{10})/undo/preview/$": ONLY_POST,
    **{
        f"^api/v1/{write}/$": ONLY_POST
        for write in (
            *(
                f"tournaments/(?P<tournament>[2-9a-z]{{10}})/{verb}"
                for verb in (
                    "publish",
                    "cancel",
                    "leave",
                    "line",
                    "lines",
                    "floor/close",
                    "helpers/(?P<helper>[2-9a-z]{10})",
                    "cash/payments",
                    "cash/payments/(?P<payment>[2-9a-z]{10})/take-back",
                    "cash/close",
                    "cash/reopen",
                )
            ),
            *(
                f"divisions/(?P<division>[2-9a-z]{{10}})/{verb}"
                for verb in (
                    "deadlines",
                    "entries/paste",
                    "pools/(?P<pool>[2-9a-z]{10})/members",
                    "pools/(?P<pool>[2-9a-z]{10})/members/(?P<entry>[2-9a-z]{10})",
                    "register",
                    "splits/(?P<split>[2-9a-z]{10})",
                    "draws/publish",
                    "draws/take-back",
                    "draws/stop-countdown",
                    "rounds/take-back",
                    "rounds/change",
                    "rounds/byes",
                    "rounds/byes/take-back",
                    "kept-apart/take-back",
                )
            ),
            *(f"entries/(?P<entry>[2-9a-z]{{10}})/{verb}" for verb in ("withdraw", "check-in")),
            *(
                f"fixtures/(?P<fixture>[2-9a-z]{{10}})/{verb}"
                for verb in (
                    "result",
                    "forfeit",
                    "rule",
                    "accept",
                    "objection",
                    "deadline",
                    "withdraw",
                    "shorten",
                    "shorten/undo",
                    "propose-length",
                    "withdraw-length",
                )
            ),
        )
    },
    # Django's own pages, which share one check.
    ".well-known/security.txt": EVERYBODY,
    # The staff is signed in already.
    "admin/login/": Access(SIGN_IN, 403, 403),
    "admin/": Access(SIGN_IN, SIGN_IN, 200),
}


def routes(resolver: URLResolver | None = None, prefix: str = "") -> Iterator[str]:
    """Yield every route as it is written in the URL configuration; the admin site counts as one."""
    for entry in (resolver or get_resolver()).url_patterns:
        route = prefix + str(entry.pattern)
        if route == "admin/" or isinstance(entry, URLPattern):
            yield route
        else:
            yield from routes(entry, route)


def test_every_route_is_in_the_table() -> None:
    paths = list(routes())
    assert "healthz" in paths
    assert sorted(set(paths) - set(ROUTES)) == [], "routes that nobody has decided about"
    assert sorted(set(ROUTES) - set(paths)) == [], "routes that are gone"


@pytest.fixture
def visitors(dave: User, password: str) -> dict[str, Client]:
    staff = User.objects.create_superuser("staff@example.org", password, display_name="Staff")
    clients = {name: Client() for name in Access._fields}
    clients["dave"].force_login(dave)
    clients["staff"].force_login(staff)
    return clients


@pytest.mark.parametrize("route", [route for route in ROUTES if "<" not in route])
def test_a_route_without_parameters_answers_as_the_table_says(route: str, visitors: dict[str, Client]) -> None:
    answers = Access(**{name: client.get(f"/{route}").status_code for name, client in visitors.items()})
    assert answers == ROUTES[route]
