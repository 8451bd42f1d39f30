"""The routes of events."""

from tests.access.answers import EVERYBODY, ONLY_OFFICERS, ONLY_POST, ONLY_POST_WITH_ACCOUNT, SIGN_IN, Access
from tournaments.floor.page.actions import ACTIONS

EVENT = r"^events/(?P<club>[a-z0-9_-]+)/(?P<slug>[a-z0-9_-]+)/"

SHARE = r"^share/(?P<version>[0-9a-f]{10})/"

ROUTES: dict[str, Access] = {
    # Pictures of pages, of those that everybody may see: tests/display/sharing/.
    rf"{SHARE}clubs/(?P<slug>[a-z0-9-]+)\.png$": EVERYBODY,
    rf"{SHARE}clubs/(?P<slug>[a-z0-9-]+)/seasons/(?P<series>[a-z0-9_-]+)\.png$": EVERYBODY,
    rf"{SHARE}events/(?P<club>[a-z0-9_-]+)/(?P<slug>[a-z0-9_-]+)\.png$": EVERYBODY,
    rf"{SHARE}events/(?P<club>[a-z0-9_-]+)/(?P<slug>[a-z0-9_-]+)/(?P<division>[2-9a-z]{{10}})\.png$": EVERYBODY,
    rf"{SHARE}matches/(?P<public_id>[2-9a-z]{{10}})\.png$": EVERYBODY,
    rf"{SHARE}replays/(?P<public_id>[2-9a-z]{{10}})\.png$": Access(404, 404, 404),
    rf"{SHARE}players/(?P<public_id>[2-9a-z]{{10}})\.png$": EVERYBODY,
    # Events, for each role: tests/clubhouse/test_roles.py. Drafts are 404 except for the officers of the club.
    "events/": EVERYBODY,
    # Only for those who run the site: tests/clubhouse/test_acceptance.py
    "waiting-clubs/": Access(SIGN_IN, 403, 200),
    r"^events/new/(?P<club>[a-z0-9_-]+)/$": ONLY_OFFICERS,
    rf"{EVENT}$": EVERYBODY,
    rf"{EVENT}tv/$": EVERYBODY,
    rf"{EVENT}prizes/$": EVERYBODY,
    r"^matches/(?P<match>[2-9a-z]{10})/correct/$": ONLY_OFFICERS,
    rf"{EVENT}report/$": EVERYBODY,
    # tests/prizes/test_summary.py
    rf"{EVENT}analysis\.csv$": EVERYBODY,
    rf"{EVENT}calendar\.ics$": EVERYBODY,
    rf"{EVENT}cash\.csv$": ONLY_OFFICERS,
    rf"{EVENT}paper/$": ONLY_OFFICERS,
    rf"{EVENT}paper/score-sheets/$": ONLY_OFFICERS,
    rf"{EVENT}wall/$": EVERYBODY,
    rf"{EVENT}wall/settings/$": ONLY_OFFICERS,
    rf"{EVENT}paper/draws/$": EVERYBODY,
    rf"{EVENT}share/$": EVERYBODY,
    rf"{EVENT}embed/calls/$": EVERYBODY,
    rf"{EVENT}(?P<division>[2-9a-z]{{10}})/embed/bracket/$": EVERYBODY,
    rf"{EVENT}(?P<division>[2-9a-z]{{10}})/embed/standings/$": EVERYBODY,
    rf"{EVENT}paper/snapshot/$": ONLY_OFFICERS,
    rf"{EVENT}paper/(?P<kind>pairings|names|entries|standings|prizes|cross-tables)/$": EVERYBODY,
    rf"{EVENT}paper/tables/$": ONLY_OFFICERS,
    rf"{EVENT}paper/cash/$": ONLY_OFFICERS,
    rf"{EVENT}paper/personal-links/$": ONLY_OFFICERS,
    rf"{EVENT}tables/$": EVERYBODY,
    rf"{EVENT}arrive/$": EVERYBODY,
    # tests/tournaments/entries/test_event_links.py
    r"^e/(?P<event_token>[2-9a-z]{10}\.[2-9a-z]{10}\.[\w-]{43})/$": EVERYBODY,
    r"^e/(?P<event_token>[2-9a-z]{10}\.[2-9a-z]{10}\.[\w-]{43})/check-in/$": ONLY_POST,
    rf"{EVENT}(?P<division>[2-9a-z]{{10}})/$": EVERYBODY,
    **{
        rf"{EVENT}(?P<division>[2-9a-z]{{10}})/{page}": EVERYBODY
        for page in (
            "standings/$",
            "standings/(?P<entry>[2-9a-z]{10})/$",
            r"standings\.(?P<extension>csv|json)$",
            "pairings/$",
            "pairings/(?P<number>[0-9]{1,9})/$",
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
            "console/close",
            "cash",
            "check-in",
            "check-in/poster",
            "check-in/kiosks",
            "floor",
            "floor/forecast",
            "floor/preview",
            "floor/pair",
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
            "undo-start",
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
            *(f"check-in/{form}" for form in ("mark", "all", "arrive", "undo", "kiosks/add", "kiosks/revoke")),
            "arrive/mark",
            "arrive/revoke-link",
            "floor/line",
            "floor/close",
            f"floor/do/(?P<action>{'|'.join(ACTIONS)})",
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
    # tests/clubhouse/test_roles.py and tests/api/test_tournaments.py
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
    "^api/v1/divisions/(?P<division>[2-9a-z]{10})/batches/$": Access(404, 404, 404),
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
                    "start/undo",
                    "cancel",
                    "leave",
                    "line",
                    "lines",
                    "floor/close",
                    "floor/undo",
                    "floor/pair-now",
                    "floor/pair-by-hand",
                    "floor/hold-pairing",
                    "floor/flow",
                    "floor/take-back-missed",
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
                    "take-back-pairing",
                    "waive-lead",
                    "stop-match",
                    "ask-over",
                    "shorten",
                    "shorten/undo",
                    "propose-length",
                    "withdraw-length",
                )
            ),
        )
    },
}
