"""The routes of accounts, notifications, privacy and clubs."""

from tests.access.answers import (
    EVERYBODY,
    NOT_GET,
    ONLY_OFFICERS,
    ONLY_POST,
    ONLY_POST_WITH_ACCOUNT,
    SIGN_IN,
    WITH_ACCOUNT,
    Access,
)
from tests.access.event_roles import OF_SEASON_DIRECTORS

CLUB = r"^clubs/(?P<slug>[a-z0-9-]+)/"

ROUTES: dict[str, Access] = {
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
    "account/notifications/push/session/": ONLY_POST_WITH_ACCOUNT,
    r"^account/notifications/push/(?P<browser>\d{1,18})/remove/$": ONLY_POST_WITH_ACCOUNT,
    "service-worker.js": EVERYBODY,
    r"^unsubscribe/(?P<unsubscribe_token>\d{1,18}\.[a-z_-]{1,400}\.[\w-]{43})/$": EVERYBODY,
    # Clubs, for each role: tests/players/clubs/test_club_pages.py.
    "clubs/": EVERYBODY,
    "clubs/new/": WITH_ACCOUNT,
    r"^clubs/(?P<slug>[a-z0-9-]+)/$": EVERYBODY,
    r"^clubs/(?P<slug>[a-z0-9-]+)/commitments/$": EVERYBODY,
    r"^clubs/(?P<slug>[a-z0-9-]+)/poster/$": ONLY_OFFICERS,
    # Titles and seasons, for each role: tests/tournaments/pages/test_roles.py.
    rf"{CLUB}hall-of-fame/$": EVERYBODY,
    rf"{CLUB}titles/award/$": ONLY_POST_WITH_ACCOUNT,
    rf"{CLUB}titles/(?P<title>[2-9a-z]{{10}})/withdraw/$": ONLY_POST_WITH_ACCOUNT,
    r"^api/v1/clubs/(?P<slug>[a-z0-9-]+)/honours/$": EVERYBODY,
    r"^api/v1/clubs/(?P<slug>[a-z0-9-]+)/records/$": EVERYBODY,
    r"^api/v1/clubs/(?P<slug>[a-z0-9-]+)/titles/$": EVERYBODY,
    r"^api/v1/clubs/(?P<slug>[a-z0-9-]+)/titles/proposed/$": Access(403, 403, 403),
    r"^api/v1/clubs/(?P<slug>[a-z0-9-]+)/titles/award/$": Access(401, NOT_GET, NOT_GET),
    "^api/v1/titles/(?P<title>[2-9a-z]{10})/withdraw/$": Access(401, NOT_GET, NOT_GET),
    "^api/v1/seasons/(?P<series>[2-9a-z]{10})/race/$": EVERYBODY,
    "^api/v1/seasons/(?P<series>[2-9a-z]{10})/race/(?P<player>[2-9a-z]{10})/$": EVERYBODY,
    rf"{CLUB}seasons/$": EVERYBODY,
    rf"{CLUB}seasons/new/$": ONLY_OFFICERS,
    rf"{CLUB}seasons/create/$": ONLY_POST_WITH_ACCOUNT,
    rf"{CLUB}seasons/(?P<series>[a-z0-9_-]+)/$": EVERYBODY,
    rf"{CLUB}seasons/(?P<series>[a-z0-9_-]+)/share/$": EVERYBODY,
    rf"{CLUB}seasons/(?P<series>[a-z0-9_-]+)/embed/$": EVERYBODY,
    rf"{CLUB}seasons/(?P<series>[a-z0-9_-]+)/edit/$": ONLY_OFFICERS,
    rf"{CLUB}seasons/(?P<series>[a-z0-9_-]+)/table\.(?P<extension>csv|json)$": EVERYBODY,
    **{
        rf"{CLUB}seasons/(?P<series>[a-z0-9_-]+)/{name}/$": ONLY_POST_WITH_ACCOUNT
        for name in (*OF_SEASON_DIRECTORS, "answer", "entry")
    },
    r"^api/v1/clubs/(?P<slug>[a-z0-9-]+)/seasons/$": EVERYBODY,
    r"^api/v1/clubs/(?P<slug>[a-z0-9-]+)/seasons/create/$": Access(401, NOT_GET, NOT_GET),
    "^api/v1/seasons/(?P<series>[2-9a-z]{10})/$": EVERYBODY,
    **{
        f"^api/v1/seasons/(?P<series>[2-9a-z]{{10}})/{name}/$": Access(401, NOT_GET, NOT_GET)
        for name in (*OF_SEASON_DIRECTORS, "answer", "entry")
    },
    r"^clubs/(?P<slug>[a-z0-9-]+)/venue/$": ONLY_OFFICERS,
    r"^clubs/(?P<slug>[a-z0-9-]+)/tonight/$": ONLY_OFFICERS,
    r"^clubs/(?P<slug>[a-z0-9-]+)/tonight/show/$": ONLY_POST_WITH_ACCOUNT,
    r"^api/v1/clubs/(?P<slug>[a-z0-9-]+)/tonight/$": Access(401, NOT_GET, NOT_GET),
    r"^clubs/(?P<slug>[a-z0-9-]+)/edit/$": ONLY_OFFICERS,
    r"^clubs/(?P<slug>[a-z0-9-]+)/emblem/$": ONLY_POST_WITH_ACCOUNT,
    r"^clubs/(?P<slug>[a-z0-9-]+)/emblem/remove/$": ONLY_POST_WITH_ACCOUNT,
    r"^clubs/(?P<slug>[a-z0-9-]+)/emblem/(?P<version>[0-9a-f]{16})\.webp$": EVERYBODY,
    r"^clubs/(?P<slug>[a-z0-9-]+)/calendar\.ics$": EVERYBODY,
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
    r"^clubs/(?P<slug>[a-z0-9-]+)/ratings/$": EVERYBODY,
    r"^clubs/(?P<slug>[a-z0-9-]+)/ratings/(?P<pk>\d{1,18})/$": EVERYBODY,
    r"^clubs/(?P<slug>[a-z0-9-]+)/ratings/(?P<pk>\d{1,18})/ratings.csv$": EVERYBODY,
    r"^api/v1/clubs/(?P<slug>[a-z0-9-]+)/pools/(?P<pk>\d{1,18})/ranking/$": EVERYBODY,
    r"^clubs/(?P<slug>[a-z0-9-]+)/pools/(?P<pk>\d{1,18})/restore/$": ONLY_POST_WITH_ACCOUNT,
    r"^clubs/(?P<slug>[a-z0-9-]+)/pools/(?P<pk>\d{1,18})/compare/$": ONLY_POST_WITH_ACCOUNT,
    r"^clubs/(?P<slug>[a-z0-9-]+)/pools/(?P<pk>\d{1,18})/formulas/$": ONLY_OFFICERS,
    r"^api/v1/clubs/(?P<slug>[a-z0-9-]+)/pools/(?P<pk>\d{1,18})/preview/$": Access(401, NOT_GET, NOT_GET),
    r"^api/v1/clubs/(?P<slug>[a-z0-9-]+)/pools/(?P<pk>\d{1,18})/restore/$": Access(401, NOT_GET, NOT_GET),
    r"^api/v1/clubs/(?P<slug>[a-z0-9-]+)/pools/(?P<pk>\d{1,18})/versions/$": Access(401, 403, 403),
    r"^api/v1/clubs/(?P<slug>[a-z0-9-]+)/pools/(?P<pk>\d{1,18})/formulas/$": Access(401, 403, 403),
    r"^api/v1/clubs/(?P<slug>[a-z0-9-]+)/pools/$": Access(401, 403, 403),
    r"^api/v1/clubs/(?P<slug>[a-z0-9-]+)/pools/(?P<pk>\d{1,18})/$": Access(401, NOT_GET, NOT_GET),
    r"^api/v1/clubs/(?P<slug>[a-z0-9-]+)/pools/(?P<pk>\d{1,18})/imports/$": Access(401, 403, 403),
    r"^api/v1/clubs/(?P<slug>[a-z0-9-]+)/pools/(?P<pk>\d{1,18})/imports/(?P<source>\d{1,18})/undo/$": Access(
        401, NOT_GET, NOT_GET
    ),
    # tests/tournaments/seasons/test_past.py
    r"^clubs/(?P<slug>[a-z0-9-]+)/past-seasons/$": EVERYBODY,
    r"^clubs/(?P<slug>[a-z0-9-]+)/past-seasons/import/$": ONLY_POST_WITH_ACCOUNT,
    r"^clubs/(?P<slug>[a-z0-9-]+)/past-seasons/(?P<public_id>[2-9a-z]{10})/$": EVERYBODY,
    r"^clubs/(?P<slug>[a-z0-9-]+)/past-seasons/(?P<public_id>[2-9a-z]{10})/undo/$": ONLY_POST_WITH_ACCOUNT,
    r"^clubs/(?P<slug>[a-z0-9-]+)/past-seasons/(?P<public_id>[2-9a-z]{10})/count/$": ONLY_POST_WITH_ACCOUNT,
    r"^clubs/(?P<slug>[a-z0-9-]+)/past-seasons/(?P<public_id>[2-9a-z]{10})/leave-out/$": ONLY_POST_WITH_ACCOUNT,
    # tests/tournaments/seasons/test_match_imports.py
    r"^clubs/(?P<slug>[a-z0-9-]+)/past-matches/import/$": ONLY_POST_WITH_ACCOUNT,
    r"^clubs/(?P<slug>[a-z0-9-]+)/past-matches/(?P<public_id>[2-9a-z]{10})/undo/$": ONLY_POST_WITH_ACCOUNT,
    r"^api/v1/clubs/(?P<slug>[a-z0-9-]+)/past-matches/$": Access(401, 403, 403),
    r"^api/v1/clubs/(?P<slug>[a-z0-9-]+)/past-matches/(?P<public_id>[2-9a-z]{10})/undo/$": Access(
        401, NOT_GET, NOT_GET
    ),
    r"^api/v1/clubs/(?P<slug>[a-z0-9-]+)/past-seasons/$": EVERYBODY,
    r"^api/v1/clubs/(?P<slug>[a-z0-9-]+)/past-seasons/(?P<public_id>[2-9a-z]{10})/$": EVERYBODY,
    r"^api/v1/clubs/(?P<slug>[a-z0-9-]+)/past-seasons/(?P<public_id>[2-9a-z]{10})/undo/$": Access(
        401, NOT_GET, NOT_GET
    ),
    r"^api/v1/clubs/(?P<slug>[a-z0-9-]+)/past-seasons/(?P<public_id>[2-9a-z]{10})/count/$": Access(
        401, NOT_GET, NOT_GET
    ),
    r"^api/v1/clubs/(?P<slug>[a-z0-9-]+)/past-seasons/(?P<public_id>[2-9a-z]{10})/leave-out/$": Access(
        401, NOT_GET, NOT_GET
    ),
    # tests/players/joining
    r"^account/claims/(?P<pk>\d{1,18})/undo/$": ONLY_POST_WITH_ACCOUNT,
    "api/v1/me/claims/": Access(401, 200, 200),
    r"^api/v1/me/claims/(?P<pk>\d{1,18})/undo/$": Access(401, NOT_GET, NOT_GET),
    r"^clubs/(?P<slug>[a-z0-9-]+)/join/$": EVERYBODY,
    r"^clubs/(?P<slug>[a-z0-9-]+)/join/ask/$": ONLY_POST_WITH_ACCOUNT,
    r"^clubs/(?P<slug>[a-z0-9-]+)/join/withdraw/$": ONLY_POST_WITH_ACCOUNT,
    r"^clubs/(?P<slug>[a-z0-9-]+)/join-requests/$": ONLY_OFFICERS,
    r"^clubs/(?P<slug>[a-z0-9-]+)/join-requests/(?P<public_id>[2-9a-z]{10})/accept/$": ONLY_POST_WITH_ACCOUNT,
    r"^clubs/(?P<slug>[a-z0-9-]+)/join-requests/(?P<public_id>[2-9a-z]{10})/refuse/$": ONLY_POST_WITH_ACCOUNT,
    "api/v1/me/join-requests/": Access(401, 200, 200),
    r"^api/v1/clubs/(?P<slug>[a-z0-9-]+)/claimable-players/$": Access(401, 200, 200),
    r"^api/v1/clubs/(?P<slug>[a-z0-9-]+)/join-requests/$": Access(401, 403, 403),
    r"^api/v1/clubs/(?P<slug>[a-z0-9-]+)/join/ask/$": Access(401, NOT_GET, NOT_GET),
    r"^api/v1/clubs/(?P<slug>[a-z0-9-]+)/join/withdraw/$": Access(401, NOT_GET, NOT_GET),
    r"^api/v1/clubs/(?P<slug>[a-z0-9-]+)/join-requests/(?P<public_id>[2-9a-z]{10})/accept/$": Access(
        401, NOT_GET, NOT_GET
    ),
    r"^api/v1/clubs/(?P<slug>[a-z0-9-]+)/join-requests/(?P<public_id>[2-9a-z]{10})/refuse/$": Access(
        401, NOT_GET, NOT_GET
    ),
    # Invitations are visible to anybody with the link.
    r"^invitations/(?P<secret>[\w-]{20,64})/$": EVERYBODY,
    r"^invitations/(?P<secret>[\w-]{20,64})/accept/$": ONLY_POST_WITH_ACCOUNT,
    r"^invitations/(?P<secret>[\w-]{20,64})/sign-up/$": ONLY_POST,
    # Anybody with the link of the installation's owner: tests/tournaments/test_owner_link.py.
    r"^owner-link/(?P<owner_token>[\w-]{43})/$": EVERYBODY,
    r"^owner-link/(?P<owner_token>[\w-]{43})/club/$": EVERYBODY,
    # tests/api/test_people.py
    "api/v1/me/": Access(401, 200, 200),
    "api/v1/me/tokens/": Access(401, 200, 200),
    r"^api/v1/me/tokens/(?P<token_id>\d{1,18})/$": Access(401, NOT_GET, NOT_GET),
    "api/v1/tokens/": ONLY_POST,
    "api/v1/tokens/current/": Access(401, NOT_GET, NOT_GET),
    "api/v1/invitations/accept/": Access(401, NOT_GET, NOT_GET),
    "api/v1/clubs/": EVERYBODY,
    r"^api/v1/clubs/(?P<slug>[a-z0-9-]+)/$": EVERYBODY,
    r"^api/v1/clubs/(?P<slug>[a-z0-9-]+)/emblem/$": Access(401, NOT_GET, NOT_GET),
    r"^api/v1/clubs/(?P<slug>[a-z0-9-]+)/members/$": EVERYBODY,
    r"^api/v1/clubs/(?P<slug>[a-z0-9-]+)/members/list/$": Access(401, NOT_GET, NOT_GET),
    r"^api/v1/clubs/(?P<slug>[a-z0-9-]+)/merges/$": Access(401, 403, 403),
    r"^api/v1/clubs/(?P<slug>[a-z0-9-]+)/merges/(?P<pk>\d{1,18})/$": Access(401, NOT_GET, NOT_GET),
    r"^api/v1/clubs/(?P<slug>[a-z0-9-]+)/members/(?P<public_id>[2-9a-z]{10})/$": EVERYBODY,
    r"^api/v1/clubs/(?P<slug>[a-z0-9-]+)/members/(?P<public_id>[2-9a-z]{10})/name/$": Access(401, NOT_GET, NOT_GET),
    r"^api/v1/clubs/(?P<slug>[a-z0-9-]+)/members/(?P<public_id>[2-9a-z]{10})/invitation/$": Access(
        401, NOT_GET, NOT_GET
    ),
    r"^api/v1/clubs/(?P<slug>[a-z0-9-]+)/members/(?P<public_id>[2-9a-z]{10})/merge/$": Access(401, NOT_GET, NOT_GET),
}
