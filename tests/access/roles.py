"""Who may use each route that is not of an event, and with which methods."""

ROLES = ("anonymous", "stranger", "player", "opponent", "assistant", "director", "owner", "other_director")
METHODS = ("get", "post", "put", "patch", "delete")
ACCEPTED, SIGN_IN, NEEDS_TOKEN, MAY_NOT, NOT_THERE, NOT_SO = "accepted", "sign in", 401, 403, 404, 405
"""ACCEPTED: the user may make the request, whatever its outcome."""
Row = dict[str, str | int]


def only(*roles: str, others: str | int = MAY_NOT, anonymous: str | int = SIGN_IN) -> Row:
    """These may; the status that the others get."""
    return {"anonymous": anonymous, **{role: ACCEPTED if role in roles else others for role in ROLES[1:]}}


def by_api(row: Row) -> Row:
    """The same for routes that do not redirect to the sign-in page."""
    return row | {"anonymous": NEEDS_TOKEN}


PUBLIC = only(*ROLES, anonymous=ACCEPTED)
SIGNED_IN = only(*ROLES)
MEMBERS = only("player", "opponent", "assistant", "director", "owner")
ASSISTANTS = only("assistant", "director", "owner")
DIRECTORS = only("director", "owner")
OWNERS = only("owner")
PLAYERS = only("player", "opponent", others=NOT_THERE)
PROPOSER = PLAYERS | {"opponent": MAY_NOT}

# Methods missing here are allowed to nobody.
GROUPS: list[tuple[str, Row, str]] = [
    # The site
    ("get", PUBLIC, "home help-players help-directors robots healthz readyz live-stream"),
    ("get", PUBLIC, "api-schema api-docs api-reference"),
    ("get", PUBLIC, "security-txt"),
    ("get", SIGNED_IN, "start-club-night"),
    ("get", only(others=NOT_THERE, anonymous=NOT_THERE), "metrics"),
    ("post", PUBLIC, "set-theme"),
    ("get post put patch delete", PUBLIC, "set-language"),
    # Accounts
    ("get post", PUBLIC, "sign-up sign-in password-forgotten password-choose"),
    # Django's own forms treat PUT as POST; the page of an invalid link answers any method.
    ("put", PUBLIC, "sign-in password-forgotten"),
    ("put patch delete", PUBLIC, "password-choose"),
    # Signed-in users are redirected with any method.
    ("patch delete", only(*ROLES, anonymous=NOT_SO), "sign-in"),
    ("get post", PUBLIC, "confirm-email"),
    ("get", PUBLIC, "password-sent password-done"),
    ("post", PUBLIC, "sign-out"),
    # The user is checked before the method.
    ("get", SIGNED_IN, "send-kept-input"),
    ("get post", SIGNED_IN, "preferences play-preferences delete-account make-token"),
    # Copies of data; the one in the URL is Bob's. Jens has no account.
    ("get", SIGNED_IN, "my-data"),
    ("post", SIGNED_IN, "export-my-data"),
    ("get", only("player", others=NOT_THERE), "data-export"),
    ("get", DIRECTORS, "member-data"),
    ("post", DIRECTORS, "export-member-data erase-member"),
    ("post", PUBLIC, "api-accounts"),
    ("get post", by_api(SIGNED_IN), "api-my-exports"),
    ("post", by_api(SIGNED_IN), "api-erase-me"),
    ("get", by_api(only("player", others=NOT_THERE)), "api-export api-export-archive"),
    ("get post", by_api(DIRECTORS), "api-member-exports"),
    ("post", by_api(DIRECTORS), "api-erase-member"),
    ("post", SIGNED_IN, "change-email change-password revoke-token resend-confirmation"),
    # Without the first step there is nothing to confirm.
    ("get post", only(others=SIGN_IN), "sign-in-code"),
    ("get", SIGNED_IN, "second-factor sessions"),
    ("post", SIGNED_IN, "end-session end-other-sessions"),
    ("post", SIGNED_IN, "start-second-factor second-factor-on second-factor-off renew-recovery-codes"),
    ("get", only(*ROLES[:0], others=MAY_NOT), "admin-sign-in"),
    # Notifications; the one in the URL is Bob's.
    ("get", SIGNED_IN, "notifications notification-bell"),
    ("get post", SIGNED_IN, "notification-settings"),
    ("post", SIGNED_IN, "notifications-read push-bind push-subscribe"),
    # Removing somebody else's browser changes nothing.
    ("post", SIGNED_IN, "push-remove"),
    ("get", PUBLIC, "service-worker"),
    ("post", only("player", others=NOT_THERE), "notification-open notification-unread"),
    ("get post", PUBLIC, "unsubscribe"),
    ("get post", by_api(SIGNED_IN), "api-my-notifications"),
    ("get patch", by_api(SIGNED_IN), "api-my-notification-choices"),
    ("post", PUBLIC, "api-tokens"),
    ("get patch", by_api(SIGNED_IN), "api-me api-play-preferences"),
    ("get", by_api(SIGNED_IN), "api-my-tokens"),
    # Revoking somebody else's token changes nothing.
    ("delete", by_api(SIGNED_IN), "api-current-token api-my-token"),
    # Clubs
    ("get", PUBLIC, "club-list api-clubs api-club api-members api-member"),
    ("get post", SIGNED_IN, "create-club"),
    ("post", by_api(SIGNED_IN), "api-clubs"),
    ("post", MEMBERS, "leave-club"),
    ("get post", DIRECTORS, "edit-club"),
    ("post", DIRECTORS, "club-change-emblem club-clear-emblem"),
    ("get", PUBLIC, "club-emblem"),
    ("put delete", by_api(DIRECTORS), "api-club-emblem"),
    ("get", DIRECTORS, "club-members club-member"),
    ("post", DIRECTORS, "add-member add-player add-list paste-members withdraw-invitation undo-merge"),
    ("post", DIRECTORS, "invite merge-member add-alias edit-name remove-member"),
    ("post", OWNERS, "set-role club-second-factor"),
    ("patch", by_api(DIRECTORS), "api-club"),
    ("post", by_api(DIRECTORS), "api-members api-member-list api-member-invitation api-member-merge"),
    ("patch", by_api(OWNERS), "api-member"),
    ("put", by_api(DIRECTORS), "api-member-name"),
    ("delete", by_api(DIRECTORS), "api-member api-member-invitation api-undo-merge"),
    # Requests to join a club; the one in the URL is Dave's.
    ("get", PUBLIC, "join-club"),
    ("post", SIGNED_IN, "join-ask join-withdraw"),
    ("get", DIRECTORS, "join-requests"),
    ("post", DIRECTORS, "join-request-accept join-request-refuse"),
    ("get", by_api(SIGNED_IN), "api-my-join-requests api-claimable-players"),
    ("post", by_api(SIGNED_IN), "api-join-ask api-join-withdraw"),
    ("get", by_api(DIRECTORS), "api-join-requests api-merges"),
    # The claim in the URL is Bob's.
    ("post", only("player", others=NOT_THERE), "claim-undo"),
    ("get", by_api(SIGNED_IN), "api-my-claims"),
    ("post", by_api(only("player", others=NOT_THERE)), "api-claim-undo"),
    ("post", by_api(DIRECTORS), "api-join-request-accept api-join-request-refuse"),
    # Imported seasons of a club
    ("get", PUBLIC, "past-seasons past-season api-past-seasons api-past-season"),
    ("post", DIRECTORS, "past-season-import past-season-undo past-season-count past-season-leave-out"),
    ("post", DIRECTORS, "past-matches-import past-matches-undo"),
    ("get post", by_api(DIRECTORS), "api-past-matches"),
    ("post", by_api(DIRECTORS), "api-past-matches-undo"),
    (
        "post",
        by_api(DIRECTORS),
        "api-past-seasons api-past-season-undo api-past-season-count api-past-season-leave-out",
    ),
    # Rating pools of a club
    ("get", PUBLIC, "club-ratings pool-ranking pool-ranking-csv api-pool-ranking"),
    ("get post", DIRECTORS, "club-pools club-pool"),
    ("get", DIRECTORS, "club-pool-formulas"),
    ("post", DIRECTORS, "club-pool-import club-pool-undo club-pool-restore club-pool-compare"),
    ("get post", by_api(DIRECTORS), "api-pools api-pool-imports api-pool-formulas"),
    ("get", by_api(DIRECTORS), "api-pool-versions"),
    ("put", by_api(DIRECTORS), "api-pool"),
    ("post", by_api(DIRECTORS), "api-pool-undo api-pool-preview api-pool-restore"),
    # Friendly matches of members
    ("get post", DIRECTORS, "club-friendlies"),
    ("get post", by_api(DIRECTORS), "api-club-friendlies"),
    # Whoever runs the site accepts clubs and looks at friendlies of players without one; none of these does.
    ("get post", only(others=MAY_NOT), "waiting-clubs friendlies-without-club"),
    ("get post", by_api(only(others=MAY_NOT)), "api-friendlies-without-club"),
    # Invitations: anybody with the link
    ("get", PUBLIC, "invitation"),
    ("post", PUBLIC, "invitation-sign-up"),
    ("post", SIGNED_IN, "accept-invitation"),
    ("post", by_api(SIGNED_IN), "api-accept-invitation"),
    # The link of the installation's owner: whoever has it
    ("get post", PUBLIC, "owner-link owner-club"),
    # Records: anybody with the link
    ("get post", PUBLIC, "check"),
    ("get", PUBLIC, "submission replay replay-picture record record-analysis api-submission api-record"),
    ("get", PUBLIC, "api-record-analysis"),
    ("post", PUBLIC, "api-submissions"),
    # Rankings and players
    ("get", PUBLIC, "rankings ranking-csv rated-matches-csv players player player-matches choose-opponent versus"),
    ("get", PUBLIC, "player-analysis club-analysis club-analysis-file api-club-analysis club-classes api-club-classes"),
    # The match is not over, and a player without an account shares nothing.
    ("get", only(others=NOT_THERE, anonymous=NOT_THERE), "api-match-analysis api-player-analysis"),
    ("get", PUBLIC, "api-rankings api-players api-player api-player-changes api-player-matches api-versus"),
    # Matches
    ("get", SIGNED_IN, "my-matches next-board"),
    ("get", PUBLIC, "match match-analysis match-analysis-file api-matches api-match"),
    # Matches played here
    (
        "get",
        PUBLIC,
        "api-live api-live-dice match-dice match-dice-file match-play match-replay match-record",
    ),
    ("post", by_api(ASSISTANTS), "api-live api-live-rulings"),
    ("post", by_api(PLAYERS), "api-match-decide-ahead"),
    ("post", by_api(PLAYERS), "api-live-actions api-live-chains api-live-goodbye api-live-hint api-live-ping"),
    # The message is one of the players, whom spectators do not read.
    ("get", PUBLIC, "api-live-chat"),
    ("post", by_api(SIGNED_IN), "api-live-chat"),
    ("post", by_api(SIGNED_IN), "api-live-chat-mute"),
    (
        "post",
        by_api(only("player", "opponent", "assistant", "director", "owner", others=NOT_THERE)),
        "api-live-chat-report",
    ),
    ("post", ASSISTANTS, "chat-decision"),
    ("post", by_api(ASSISTANTS), "api-live-chat-decision"),
    ("get", DIRECTORS, "reported-messages"),
    ("post", PLAYERS, "match-play-here match-decide-ahead"),
    ("post", PLAYERS, "match-rematch match-here match-no-show"),
    ("post", PUBLIC, "link-here link-no-show"),
    ("post", by_api(PLAYERS), "api-match-here api-match-no-show"),
    ("get", PUBLIC, "calendar-feed"),
    ("post", SIGNED_IN, "renew-calendar-feed revoke-calendar-feed"),
    ("get post delete", by_api(SIGNED_IN), "api-my-calendar"),
    ("post", by_api(PLAYERS), "api-match-rematch"),
    # The lobby; the challenge is Bob's and made to Carol.
    ("get", PUBLIC, "lobby"),
    ("get post", SIGNED_IN, "practice"),
    ("get", PUBLIC, "guest-board"),
    ("get", SIGNED_IN, "guest-keep"),
    ("post", PUBLIC, "api-guest-matches api-guest-actions api-guest-hint"),
    ("post", by_api(SIGNED_IN), "api-guest-keep"),
    ("get", SIGNED_IN, "find-opponents"),
    ("get", by_api(SIGNED_IN), "api-opponents"),
    ("post", SIGNED_IN, "make-challenge"),
    ("post", SIGNED_IN, "block-player unblock-player"),
    ("post", PLAYERS, "accept-challenge decline-challenge withdraw-challenge"),
    ("get post", by_api(SIGNED_IN), "api-challenges api-blocks"),
    ("post", by_api(SIGNED_IN), "api-practice"),
    ("delete", by_api(SIGNED_IN), "api-block"),
    ("post", by_api(PLAYERS | {"player": MAY_NOT}), "api-challenge-accept api-challenge-decline"),
    ("post", by_api(PROPOSER), "api-challenge-withdraw"),
    ("post", by_api(PLAYERS), "api-live-open"),
    ("get", ASSISTANTS, "match-links"),
    ("get", by_api(ASSISTANTS), "api-match-links"),
    # The side is Bob's.
    ("post", only("player", "assistant", "director", "owner"), "match-revoke-link"),
    ("delete", by_api(only("player", "assistant", "director", "owner")), "api-match-link"),
    ("get", PLAYERS, "match-appointment"),
    ("post", PLAYERS, "match-claim match-confirm match-contest match-withdraw match-records match-names"),
    ("post", PLAYERS, "match-concede match-seen match-object match-running-score"),
    ("post", PLAYERS, "match-offer-length match-accept-length match-decline-length"),
    ("get", PLAYERS, "match-report"),
    ("post", PLAYERS, "match-times match-accept-time"),
    ("post", PROPOSER, "match-withdraw-times"),
    ("post", by_api(PLAYERS), "api-match-claims api-match-confirm api-match-contest api-match-withdraw"),
    ("post", by_api(PLAYERS), "api-match-preview api-match-concede api-match-seen api-match-objections"),
    ("post", by_api(PLAYERS), "api-match-running-score"),
    ("get post", by_api(PLAYERS), "api-match-length-offers"),
    ("post", by_api(PLAYERS), "api-match-accept-length api-match-decline-length"),
    ("post", by_api(PLAYERS), "api-match-records api-match-names api-match-proposals api-match-accept"),
    ("post", by_api(PROPOSER), "api-match-withdraw-times"),
    # The same with a player's personal link
    ("get", PUBLIC, "match-link link-report link-appointment"),
    # The match has not begun: there is no position to picture, and no end.
    ("get", only(others=NOT_THERE, anonymous=NOT_THERE), "match-replay-picture match-end match-again"),
    # Its match is not played here.
    ("get", only(others=NOT_THERE, anonymous=NOT_THERE), "link-dice link-dice-file link-end link-again"),
    ("get", only(others=NOT_THERE, anonymous=NOT_THERE), "link-play link-replay link-record"),
    ("post", PUBLIC, "link-claim link-confirm link-contest link-withdraw link-records link-names"),
    ("post", PUBLIC, "link-concede link-seen link-object link-play-here link-decide-ahead link-running-score"),
    ("post", PUBLIC, "link-offer-length link-accept-length link-decline-length"),
    ("post", PUBLIC, "link-times link-accept-time link-withdraw-times"),
]
TABLE: dict[str, dict[str, Row]] = {}
for methods, row, names in GROUPS:
    for name in names.split():
        TABLE.setdefault(name, {}).update(dict.fromkeys(methods.split(), row))
