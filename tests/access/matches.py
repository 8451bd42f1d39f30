"""The routes of rankings, matches, live play and the lobby."""

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

ROUTES: dict[str, Access] = {
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
    "my/next-board/": Access(302, 302, 302),
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
    r"^clubs/(?P<slug>[a-z0-9-]+)/classes/$": EVERYBODY,
    r"^api/v1/clubs/(?P<slug>[a-z0-9-]+)/classes/$": EVERYBODY,
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
            "play/ahead",
            "here",
            "no-show",
        )
    },
    r"^matches/(?P<public_id>[2-9a-z]{10})/rematch/$": ONLY_POST_WITH_ACCOUNT,
    # Only matches that are played here have a board, dice and a replay: tests/matches/play/.
    **{
        f"{prefix}{page}$": Access(404, 404, 404)
        for prefix in (r"^matches/(?P<public_id>[2-9a-z]{10})/", r"^m/(?P<token>[2-9a-z]{10}\.[01s]\.[\w-]{43})/")
        for page in (
            "play/",
            "dice/",
            "end/",
            "again/",
            r"dice\.json",
            "replay/",
            r"record\.(?P<extension>mat|sgf|json)",
        )
    },
    r"^matches/(?P<public_id>[2-9a-z]{10})/replay/picture\.png$": Access(404, 404, 404),
    "my/calendar/": ONLY_POST_WITH_ACCOUNT,
    "my/calendar/revoke/": ONLY_POST_WITH_ACCOUNT,
    r"^calendar/(?P<feed_token>[2-9a-z]{10}\.[\w-]{43})\.ics$": EVERYBODY,
    "api/v1/me/notifications/": Access(401, 200, 200),
    "api/v1/me/notification-choices/": Access(401, 200, 200),
    "api/v1/me/calendar/": Access(401, 200, 200),
    **{
        rf"^api/v1/matches/(?P<public_id>[2-9a-z]{{10}})/{action}/$": ONLY_POST
        for action in ("here", "no-show", "live/ahead")
    },
    # The lobby: tests/matches/play/lobby/test_lobby_pages.py.
    "lobby/": EVERYBODY,
    "lobby/practice/": WITH_ACCOUNT,
    # tests/matches/play/lobby/test_guests.py; whoever has an account is led to practice.
    "play/guest/": Access(200, 302, 302),
    "play/guest/keep/": WITH_ACCOUNT,
    "api/v1/practice/guest/": ONLY_POST,
    "api/v1/practice/guest/actions/": ONLY_POST,
    "api/v1/practice/guest/hint/": ONLY_POST,
    "api/v1/practice/guest/keep/": Access(401, NOT_GET, NOT_GET),
    "lobby/opponents/": WITH_ACCOUNT,
    "api/v1/opponents/": Access(401, 200, 200),
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
    r"^api/v1/matches/(?P<public_id>[2-9a-z]{10})/live/hint/$": ONLY_POST,
    r"^api/v1/matches/(?P<public_id>[2-9a-z]{10})/live/goodbye/$": ONLY_POST,
    r"^api/v1/matches/(?P<public_id>[2-9a-z]{10})/live/chat/$": EVERYBODY,
    r"^api/v1/matches/(?P<public_id>[2-9a-z]{10})/live/chat/mute/$": ONLY_POST,
    r"^api/v1/matches/(?P<public_id>[2-9a-z]{10})/live/chat/(?P<message>[2-9a-z]{10})/report/$": ONLY_POST,
    r"^api/v1/matches/(?P<public_id>[2-9a-z]{10})/live/chat/(?P<message>[2-9a-z]{10})/decision/$": Access(
        401, NOT_GET, NOT_GET
    ),
    r"^matches/(?P<public_id>[2-9a-z]{10})/chat/(?P<message>[2-9a-z]{10})/$": ONLY_POST_WITH_ACCOUNT,
    r"^clubs/(?P<slug>[a-z0-9-]+)/messages/$": ONLY_OFFICERS,
    # tests/matches/play/lobby/test_reviews.py
    r"^clubs/(?P<slug>[a-z0-9-]+)/friendlies/$": ONLY_OFFICERS,
    r"^api/v1/clubs/(?P<slug>[a-z0-9-]+)/friendlies/$": Access(401, 403, 403),
    "lobby/friendlies/": Access(SIGN_IN, 403, 200),
    "api/v1/friendlies/": Access(401, 403, 200),
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
}
