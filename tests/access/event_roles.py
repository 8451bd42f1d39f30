"""Who may read and write each route of events."""

from typing import Any, NamedTuple

ROLES = ("anonymous", "stranger", "player", "opponent", "director", "assistant", "other_director")
OK, SIGN_IN, MAY_NOT, NOT_THERE, NOT_GET, NEEDS_TOKEN = "ok", 302, 403, 404, 405, 401


class Row(NamedTuple):
    """What each role gets; `ok` is any answer of a page that took the request up."""

    anonymous: Any
    stranger: Any
    player: Any
    opponent: Any
    director: Any
    assistant: Any
    other_director: Any


OF_SEASON_DIRECTORS = (
    "count", "leave-out", "points", "points-back", "view", "remove-view", "pool", "plan", "close", "reopen", "final",
    "offer", "take-back", "pay-pool", "details", "remove",
)  # fmt: skip
"""What directors do to a season."""
PUBLIC = Row(*(OK,) * 7)
DIRECTORS = Row(SIGN_IN, MAY_NOT, MAY_NOT, MAY_NOT, OK, MAY_NOT, MAY_NOT)
STAFF = Row(SIGN_IN, MAY_NOT, MAY_NOT, MAY_NOT, OK, OK, MAY_NOT)
ACCOUNT = Row(SIGN_IN, *(OK,) * 6)
NO_FORM = Row(SIGN_IN, *(NOT_GET,) * 6)
NO_POST = Row(*(NOT_GET,) * 7)
# A page behind an account sends whoever has none to sign in, whatever the method.
NO_POST_SIGNED_IN = NO_FORM
NOT_PAIRED = Row(*(NOT_THERE,) * 7)
# One's own entry in an event: who has no player has none.
PLAYERS = Row(SIGN_IN, MAY_NOT, OK, OK, OK, OK, OK)
# Bob's entry: he himself may withdraw it by API, but the directors' form is theirs.
API_READ = PUBLIC
API_DIRECTORS = Row(NEEDS_TOKEN, MAY_NOT, MAY_NOT, MAY_NOT, OK, MAY_NOT, MAY_NOT)
API_STAFF = Row(NEEDS_TOKEN, MAY_NOT, MAY_NOT, MAY_NOT, OK, OK, MAY_NOT)
API_STAFF_READ = Row(MAY_NOT, MAY_NOT, MAY_NOT, MAY_NOT, OK, OK, MAY_NOT)
API_ONLY_DIRECTORS_READ = Row(MAY_NOT, MAY_NOT, MAY_NOT, MAY_NOT, OK, MAY_NOT, MAY_NOT)
API_ACCOUNT = Row(NEEDS_TOKEN, *(OK,) * 6)
API_PLAYERS = Row(NEEDS_TOKEN, MAY_NOT, OK, OK, OK, OK, OK)
API_HIS_OWN = Row(NEEDS_TOKEN, MAY_NOT, OK, MAY_NOT, OK, MAY_NOT, MAY_NOT)
# Bob's own personal link, which assistants hand out as well.
API_LINK = Row(NEEDS_TOKEN, MAY_NOT, OK, MAY_NOT, OK, OK, MAY_NOT)
API_HIS_OWN_READ = Row(MAY_NOT, MAY_NOT, OK, MAY_NOT, OK, MAY_NOT, MAY_NOT)
API_NO_GET = Row(*(NOT_GET,) * 7)
API_NO_WRITE = Row(NEEDS_TOKEN, *(NOT_GET,) * 6)

# name -> (GET, POST)
PAGES: dict[str, tuple[Row, Row]] = {
    "club": (PUBLIC, NO_POST),
    "club-calendar": (PUBLIC, NO_POST),
    "commitments": (PUBLIC, NO_POST),
    "hall-of-fame": (PUBLIC, NO_POST),
    "title-award": (NO_FORM, DIRECTORS),
    "title-withdraw": (NO_FORM, DIRECTORS),
    "series-list": (PUBLIC, NO_POST),
    "series-new": (DIRECTORS, NO_POST_SIGNED_IN),
    "series-create": (NO_FORM, DIRECTORS),
    "series": (PUBLIC, NO_POST),
    "series-edit": (DIRECTORS, NO_POST_SIGNED_IN),
    "series-file": (PUBLIC, NO_POST),
    "series-share": (PUBLIC, NO_POST),
    "embed-series": (PUBLIC, NO_POST),
    "series-card": (PUBLIC, NO_POST),
    **{f"series-{name}": (NO_FORM, DIRECTORS) for name in OF_SEASON_DIRECTORS},
    "series-answer": (NO_FORM, ACCOUNT),
    "series-entry": (NO_FORM, ACCOUNT),
    "club-card": (PUBLIC, NO_POST),
    "event-card": (PUBLIC, NO_POST),
    "division-card": (PUBLIC, NO_POST),
    "match-card": (PUBLIC, NO_POST),
    # The match is not played here.
    "replay-card": (NOT_PAIRED, NO_POST),
    "player-card": (PUBLIC, NO_POST),
    "venue": (DIRECTORS, DIRECTORS),
    "club-poster": (DIRECTORS, NO_POST_SIGNED_IN),
    "tonight": (DIRECTORS, DIRECTORS),
    "tonight-show": (NO_FORM, DIRECTORS),
    "events": (PUBLIC, NO_POST),
    "event-create": (DIRECTORS, DIRECTORS),
    "event": (PUBLIC, NO_POST),
    "event-edit": (DIRECTORS, DIRECTORS),
    "event-publish": (NO_FORM, DIRECTORS),
    "event-cancel": (DIRECTORS, DIRECTORS),
    "start-undo": (NO_FORM, DIRECTORS),
    "event-leave": (NO_FORM, PLAYERS),
    # As a helper: tests/tournaments/events/test_helpers.py.
    "helpers": (DIRECTORS, NO_POST_SIGNED_IN),
    "helper-add": (NO_FORM, DIRECTORS),
    "helper-remove": (NO_FORM, DIRECTORS),
    # Anybody with the link; only the account that it is for can accept it.
    "helping": (PUBLIC, NO_POST),
    "helping-accept": (NO_FORM, ACCOUNT),
    "next-season": (DIRECTORS, DIRECTORS),
    "event-copy": (NO_FORM, DIRECTORS),
    "division-create": (DIRECTORS, DIRECTORS),
    "console": (STAFF, NO_POST_SIGNED_IN),
    "console-quick": (NO_FORM, STAFF),
    "console-confirm-all": (NO_FORM, STAFF),
    "console-close": (DIRECTORS, DIRECTORS),
    "check-in": (STAFF, NO_POST_SIGNED_IN),
    "check-in-mark": (NO_FORM, STAFF),
    "check-in-all": (NO_FORM, STAFF),
    "check-in-arrive": (NO_FORM, DIRECTORS),
    "check-in-undo": (NO_FORM, STAFF),
    "check-in-poster": (STAFF, NO_POST_SIGNED_IN),
    "kiosks": (DIRECTORS, NO_POST_SIGNED_IN),
    "kiosk-add": (NO_FORM, DIRECTORS),
    "kiosk-revoke": (NO_FORM, DIRECTORS),
    # Only a paired device sees anything.
    "kiosk": (NOT_PAIRED, NO_POST),
    "kiosk-check-in": (NO_POST, NOT_PAIRED),
    "kiosk-undo": (NO_POST, NOT_PAIRED),
    "kiosk-pair": (PUBLIC, PUBLIC),
    "arrive": (PUBLIC, NO_POST),
    "arrive-mark": (NO_FORM, PLAYERS),
    "arrive-revoke-link": (NO_FORM, PLAYERS),
    "event-link": (PUBLIC, NO_POST),
    "event-link-check-in": (NO_POST, PUBLIC),
    "entry-link": (STAFF, NO_POST_SIGNED_IN),
    "entry-revoke-link": (NO_FORM, STAFF),
    "floor": (STAFF, NO_POST_SIGNED_IN),
    "floor-forecast": (STAFF, NO_POST_SIGNED_IN),
    "floor-preview": (STAFF, NO_POST_SIGNED_IN),
    "floor-chosen-pair": (DIRECTORS, NO_POST_SIGNED_IN),
    "floor-settings": (DIRECTORS, DIRECTORS),
    "floor-line": (NO_FORM, STAFF),
    "floor-close": (NO_FORM, DIRECTORS),
    # What only directors do: tests/clubhouse/test_floor_page.py.
    "floor-action": (NO_FORM, STAFF),
    "floor-match": (STAFF, NO_POST_SIGNED_IN),
    "floor-table": (STAFF, NO_POST_SIGNED_IN),
    "event-log": (STAFF, NO_POST_SIGNED_IN),
    "event-status": (STAFF, NO_POST_SIGNED_IN),
    "event-report": (PUBLIC, NO_POST),
    "event-analysis-file": (PUBLIC, NO_POST),
    "event-calendar": (PUBLIC, NO_POST),
    "prizes": (PUBLIC, NO_POST),
    "cash": (DIRECTORS, NO_POST_SIGNED_IN),
    "cash-file": (DIRECTORS, NO_POST_SIGNED_IN),
    "cash-pay": (NO_FORM, DIRECTORS),
    "cash-move": (NO_FORM, DIRECTORS),
    "cash-take-back": (NO_FORM, DIRECTORS),
    "cash-payout": (NO_FORM, DIRECTORS),
    "cash-close": (NO_FORM, DIRECTORS),
    "cash-reopen": (NO_FORM, DIRECTORS),
    "cash-settings": (NO_FORM, DIRECTORS),
    "cash-pool-member": (NO_FORM, DIRECTORS),
    "cash-split-back": (NO_FORM, DIRECTORS),
    "event-tv": (PUBLIC, NO_POST),
    "paper": (STAFF, NO_POST_SIGNED_IN),
    "paper-sheets": (STAFF, NO_POST_SIGNED_IN),
    "event-wall": (PUBLIC, NO_POST),
    "wall-settings": (STAFF, STAFF),
    "paper-draws": (PUBLIC, NO_POST),
    "event-share": (PUBLIC, NO_POST),
    "embed-calls": (PUBLIC, NO_POST),
    "embed-bracket": (PUBLIC, NO_POST),
    "embed-standings": (PUBLIC, NO_POST),
    "paper-snapshot": (STAFF, NO_POST_SIGNED_IN),
    "paper-lists": (PUBLIC, NO_POST),
    "paper-personal-links": (STAFF, NO_POST_SIGNED_IN),
    "paper-cards": (STAFF, NO_POST_SIGNED_IN),
    "paper-cash": (DIRECTORS, NO_POST_SIGNED_IN),
    "table-now": (PUBLIC, NO_POST),
    "division": (PUBLIC, NO_POST),
    "standings": (PUBLIC, NO_POST),
    "standing": (PUBLIC, NO_POST),
    "standings-file": (PUBLIC, NO_POST),
    "pairings": (PUBLIC, NO_POST),
    "pairing": (PUBLIC, NO_POST),
    "pairings-file": (PUBLIC, NO_POST),
    "division-register": (NO_FORM, ACCOUNT),
    "division-withdraw": (ACCOUNT, ACCOUNT),
    "division-settings": (DIRECTORS, DIRECTORS),
    "prize-plan": (DIRECTORS, DIRECTORS),
    "pool-create": (NO_FORM, DIRECTORS),
    "prize-split": (NO_FORM, DIRECTORS),
    "design": (DIRECTORS, DIRECTORS),
    "design-show": (NO_FORM, DIRECTORS),
    "entries": (STAFF, NO_POST_SIGNED_IN),
    "entries-add": (NO_FORM, DIRECTORS),
    "entries-paste": (NO_FORM, DIRECTORS),
    "entries-enter": (NO_FORM, DIRECTORS),
    "draw": (DIRECTORS, NO_POST_SIGNED_IN),
    "draw-request": (NO_FORM, DIRECTORS),
    "draw-publish": (NO_FORM, DIRECTORS),
    "draw-take-back": (NO_FORM, DIRECTORS),
    # A knockout has no rounds to be paired: a director is sent to its page with the reason.
    "rounds": (DIRECTORS, NO_POST_SIGNED_IN),
    "rounds-pair": (NO_FORM, DIRECTORS),
    "rounds-publish": (NO_FORM, DIRECTORS),
    "countdown-stop": (NO_FORM, DIRECTORS),
    "round-take-back": (NO_FORM, DIRECTORS),
    "rounds-change": (NO_FORM, DIRECTORS),
    "rounds-bye": (NO_FORM, DIRECTORS),
    "keep-apart": (NO_FORM, DIRECTORS),
    "entry-return": (DIRECTORS, DIRECTORS),
    "entry-undo-late": (DIRECTORS, DIRECTORS),
    "entry-re-enter": (DIRECTORS, DIRECTORS),
    "entry-substitute": (DIRECTORS, DIRECTORS),
    "entry-substitute-undo": (NO_FORM, DIRECTORS),
    "entry-withdraw": (DIRECTORS, DIRECTORS),
    "fixture": (STAFF, NO_POST_SIGNED_IN),
    "fixture-result": (NO_FORM, STAFF),
    "fixture-forfeit": (NO_FORM, STAFF),
    "fixture-rule": (NO_FORM, DIRECTORS),
    "fixture-accept": (NO_FORM, DIRECTORS),
    "fixture-extend": (NO_FORM, DIRECTORS),
    "fixture-objection": (NO_FORM, DIRECTORS),
    "fixture-withdraw": (NO_FORM, DIRECTORS),
    # Assistants may look at what would follow, and not correct.
    "fixture-correct": (STAFF, DIRECTORS),
    "fixture-correct-undo": (STAFF, DIRECTORS),
    "match-correct": (DIRECTORS, NO_POST_SIGNED_IN),
    "corrections": (STAFF, NO_POST_SIGNED_IN),
}
API: dict[str, tuple[Row, Row]] = {
    # Creating takes the club from the body; tests/api/test_tournaments.py asks for each role.
    "api-commitments": (API_READ, API_NO_WRITE),
    "api-tournaments": (API_READ, API_ACCOUNT),
    "api-tournament": (API_READ, API_NO_WRITE),
    "api-tournament-publish": (API_NO_GET, API_DIRECTORS),
    "api-tournament-cancel": (API_NO_GET, API_DIRECTORS),
    "api-start-undo": (API_NO_GET, API_DIRECTORS),
    "api-tonight": (API_NO_GET, API_DIRECTORS),
    "api-helpers": (API_DIRECTORS._replace(anonymous=MAY_NOT), API_DIRECTORS),
    "api-helper": (API_NO_GET, API_NO_WRITE),
    "api-tournament-leave": (API_NO_GET, API_PLAYERS),
    "api-next-season": (API_DIRECTORS._replace(anonymous=MAY_NOT), API_DIRECTORS),
    "api-tournament-log": (API_STAFF_READ, API_NO_WRITE),
    "api-report": (API_READ, API_NO_WRITE),
    "api-tournament-analysis": (API_READ, API_NO_WRITE),
    "api-prizes": (API_READ, API_NO_WRITE),
    "api-cash": (API_DIRECTORS._replace(anonymous=MAY_NOT), API_NO_WRITE),
    "api-cash-payments": (API_NO_GET, API_DIRECTORS),
    "api-cash-take-back": (API_NO_GET, API_DIRECTORS),
    "api-cash-close": (API_NO_GET, API_DIRECTORS),
    "api-cash-reopen": (API_NO_GET, API_DIRECTORS),
    "api-prize-plans": (API_DIRECTORS._replace(anonymous=MAY_NOT), API_DIRECTORS),
    "api-splits": (API_DIRECTORS._replace(anonymous=MAY_NOT), API_DIRECTORS),
    "api-split": (API_NO_GET, API_NO_WRITE),
    "api-side-pools": (API_DIRECTORS._replace(anonymous=MAY_NOT), API_DIRECTORS),
    "api-side-pool-members": (API_NO_GET, API_DIRECTORS),
    "api-side-pool-member": (API_NO_GET, API_NO_WRITE),
    "api-tournament-floor": (API_READ, API_NO_WRITE),
    "api-tournament-floor-close": (API_NO_GET, API_DIRECTORS),
    "api-tournament-floor-undo": (API_NO_GET, API_STAFF),
    "api-tournament-floor-pair-now": (API_NO_GET, API_STAFF),
    "api-tournament-floor-pair-by-hand": (API_NO_GET, API_DIRECTORS),
    "api-tournament-floor-hold-pairing": (API_NO_GET, API_STAFF),
    "api-tournament-floor-flow": (API_NO_GET, API_DIRECTORS),
    "api-tournament-floor-take-back-missed": (API_NO_GET, API_DIRECTORS),
    "api-tournament-lines": (API_NO_GET, API_STAFF),
    "api-tournament-reports": (API_STAFF_READ, API_STAFF),
    "api-tournament-line": (API_NO_GET, API_STAFF),
    "api-divisions": (API_READ, API_DIRECTORS),
    "api-division": (API_READ, API_NO_WRITE),
    "api-deadlines": (API_NO_GET, API_NO_WRITE),
    "api-stages": (API_READ, API_NO_WRITE),
    "api-outline": (API_DIRECTORS._replace(anonymous=MAY_NOT), API_DIRECTORS),
    "api-entries": (API_READ, API_DIRECTORS),
    "api-entries-paste": (API_NO_GET, API_DIRECTORS),
    "api-register": (API_NO_GET, API_ACCOUNT),
    "api-draws": (API_READ, API_DIRECTORS),
    "api-batches": (NOT_PAIRED, API_NO_WRITE),
    "api-draw-publish": (API_NO_GET, API_DIRECTORS),
    "api-countdown-stop": (API_NO_GET, API_DIRECTORS),
    "api-draw-take-back": (API_NO_GET, API_DIRECTORS),
    "api-draw": (API_READ, API_NO_WRITE),
    "api-kept-apart": (API_DIRECTORS._replace(anonymous=MAY_NOT), API_DIRECTORS),
    "api-let-meet": (API_NO_GET, API_DIRECTORS),
    "api-rounds": (API_READ, API_DIRECTORS),
    "api-round-take-back": (API_NO_GET, API_DIRECTORS),
    "api-rounds-change": (API_NO_GET, API_DIRECTORS),
    "api-rounds-bye": (API_NO_GET, API_DIRECTORS),
    "api-rounds-take-back": (API_NO_GET, API_DIRECTORS),
    "api-bracket": (API_READ, API_NO_WRITE),
    "api-fixtures": (API_READ, API_NO_WRITE),
    "api-standings": (API_READ, API_NO_WRITE),
    "api-pairings": (API_READ, API_NO_WRITE),
    "api-entry": (API_READ, API_NO_WRITE),
    "api-entry-withdraw": (API_HIS_OWN_READ, API_HIS_OWN),
    # Bob may see that his entry is there, and still not check himself in.
    "api-entry-check-in": (API_NO_GET, API_STAFF),
    "api-entry-link": (API_LINK, API_NO_WRITE),
    "api-entry-return": (API_DIRECTORS, API_DIRECTORS),
    "api-entry-undo-late": (API_DIRECTORS, API_DIRECTORS),
    "api-entry-re-enter": (API_DIRECTORS, API_DIRECTORS),
    "api-fixture": (API_READ, API_NO_WRITE),
    "api-fixture-result": (API_NO_GET, API_STAFF),
    "api-fixture-forfeit": (API_NO_GET, API_STAFF),
    "api-fixture-rule": (API_NO_GET, API_DIRECTORS),
    "api-fixture-accept": (API_NO_GET, API_DIRECTORS),
    "api-fixture-objection": (API_NO_GET, API_DIRECTORS),
    "api-fixture-deadline": (API_NO_GET, API_NO_WRITE),
    "api-fixture-withdraw": (API_NO_GET, API_DIRECTORS),
    "api-fixture-take-back-pairing": (API_NO_GET, API_DIRECTORS),
    "api-fixture-waive-lead": (API_NO_GET, API_DIRECTORS),
    "api-fixture-stop-match": (API_NO_GET, API_DIRECTORS),
    "api-fixture-ask-over": (API_NO_GET, API_STAFF),
    "api-fixture-shorten": (API_NO_GET, API_DIRECTORS),
    "api-fixture-take-back-length": (API_NO_GET, API_DIRECTORS),
    "api-fixture-propose-length": (API_NO_GET, API_DIRECTORS),
    "api-fixture-withdraw-length": (API_NO_GET, API_DIRECTORS),
    "api-fixture-corrections": (API_STAFF_READ, API_DIRECTORS),
    "api-fixture-corrections-preview": (API_NO_GET, API_STAFF),
    "api-correction": (API_STAFF_READ, API_NO_WRITE),
    "api-correction-undo": (API_NO_GET, API_DIRECTORS),
    "api-series-list": (API_READ, API_NO_WRITE),
    "api-series-create": (API_NO_GET, API_DIRECTORS),
    "api-series": (API_READ, API_NO_WRITE),
    "api-series-race": (API_READ, API_NO_WRITE),
    "api-series-race-player": (API_READ, API_NO_WRITE),
    "api-honours": (API_READ, API_NO_WRITE),
    "api-records": (API_READ, API_NO_WRITE),
    "api-titles": (API_READ, API_NO_WRITE),
    "api-titles-proposed": (API_ONLY_DIRECTORS_READ, API_NO_WRITE),
    "api-title-award": (API_NO_GET, API_DIRECTORS),
    "api-title-withdraw": (API_NO_GET, API_DIRECTORS),
    **{f"api-series-{name}": (API_NO_GET, API_DIRECTORS) for name in OF_SEASON_DIRECTORS},
    "api-series-answer": (API_NO_GET, API_ACCOUNT),
    "api-series-entry": (API_NO_GET, API_ACCOUNT),
    "api-correction-undo-preview": (API_NO_GET, API_STAFF),
}
WRITES_BY_OTHER_METHODS = {
    "api-helper": ("delete", API_DIRECTORS),
    "api-cash": ("patch", API_DIRECTORS),
    "api-split": ("delete", API_DIRECTORS),
    "api-side-pool-member": ("delete", API_DIRECTORS),
    "api-tournament": ("patch", API_DIRECTORS),
    "api-division": ("patch", API_DIRECTORS),
    "api-deadlines": ("put", API_DIRECTORS),
    "api-stages": ("put", API_DIRECTORS),
    "api-fixture-deadline": ("put", API_DIRECTORS),
    "api-entry-link": ("delete", API_LINK),
}
TABLE = PAGES | API
OF_CLUBS = (
    "series-points", "series-points-back", "series-final", "series-offer", "series-answer",
    "api-series-points", "api-series-points-back", "api-series-final",
    "api-series-offer", "api-series-answer", "series-take-back", "api-series-take-back",
    "series-pool", "api-series-pool", "series-pay-pool", "api-series-pay-pool",
    "series-entry", "api-series-entry",
    "series-view", "series-remove-view", "api-series-view", "api-series-remove-view",
    "club", "club-calendar", "club-card", "club-poster", "commitments", "venue", "tonight", "tonight-show",
    "api-commitments", "api-tonight",
    "series-list", "series-new", "series-create", "series", "series-edit",
    "series-share", "embed-series", "series-card",
    "series-details", "series-remove", "api-series-details", "api-series-remove",
    "series-file", "series-count", "series-leave-out", "series-plan", "series-close", "series-reopen",
    "api-series-list", "api-series-create", "api-series", "api-series-count", "api-series-leave-out",
    "api-series-plan", "api-series-close", "api-series-reopen", "api-series-race", "api-series-race-player",
    "hall-of-fame", "title-award", "title-withdraw", "api-titles", "api-titles-proposed", "api-title-award",
    "api-title-withdraw", "api-honours", "api-records",
)  # fmt: skip
"""Routes about a club, whatever its events are."""
SHARED = ("event-card", "division-card", "match-card", "replay-card", "player-card")
"""Pictures of pages as everybody sees them, whoever requests them (tests/display/sharing/)."""
BY_SECRET = ("helping", "helping-accept")
"""Routes for whoever has a secret link, whatever else they may see."""
