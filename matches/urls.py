"""URLs of matches, records, rankings and players."""

from collections.abc import Callable, Iterator

from django.urls import URLPattern, path, re_path

from core.links import View, by_personal_link
from matches.analysis import api as analysis_api
from matches.analysis import page as analysis_views
from matches.lifecycle.links import TOKEN
from matches.play import api as play_api
from matches.play import dice_page as dice
from matches.play import page as page_views
from matches.play import preferences as preferences_api
from matches.play import replay as replay_views
from matches.play.again import match_again
from matches.play.chat import api as chat
from matches.play.chat import views as chat_views
from matches.play.correspondence import next_board
from matches.play.ending import match_end
from matches.play.lobby import api as lobby_api
from matches.play.lobby import guests
from matches.play.lobby import views as lobby_views
from matches.play.preferences import play_preferences
from matches.play.replay import record_picture, record_replay
from matches.rankings import api as ranking_api
from matches.rankings import pools, pools_api
from matches.rankings import views as ranking_views
from matches.records import api as record_api
from matches.records import views as record_views
from matches.records.intake import checks_length_first
from matches.reporting import actions as match_actions
from matches.reporting import api as reporting_api
from matches.reporting import views as match_views
from matches.reporting.calendars import TOKEN as FEED_TOKEN

# URLs of the lobby and of practice.


ID = r"(?P<public_id>[2-9a-z]{10})"
FRIENDLIES = r"clubs/(?P<slug>[a-z0-9-]+)/friendlies/"

lobby_patterns = [
    re_path(rf"^matches/{ID}/rematch/$", lobby_views.rematch, name="match-rematch"),
    path("lobby/", lobby_views.lobby, name="lobby"),
    path("lobby/practice/", lobby_views.practice, name="practice"),
    path("play/guest/", guests.board, name="guest-board"),
    path("play/guest/keep/", guests.keep_page, name="guest-keep"),
    path("lobby/opponents/", lobby_views.find_opponents, name="find-opponents"),
    path("lobby/challenges/", lobby_views.make_challenge, name="make-challenge"),
    re_path(rf"^lobby/challenges/{ID}/accept/$", lobby_views.accept_challenge, name="accept-challenge"),
    re_path(rf"^lobby/challenges/{ID}/decline/$", lobby_views.decline_challenge, name="decline-challenge"),
    re_path(rf"^lobby/challenges/{ID}/withdraw/$", lobby_views.withdraw_challenge, name="withdraw-challenge"),
    path("lobby/blocks/", lobby_views.block_player, name="block-player"),
    re_path(rf"^lobby/blocks/{ID}/remove/$", lobby_views.unblock_player, name="unblock-player"),
    re_path(rf"^{FRIENDLIES}$", lobby_views.friendlies, name="club-friendlies"),
    path("lobby/friendlies/", lobby_views.friendlies, name="friendlies-without-club"),
    path("api/v1/friendlies/", lobby_api.FriendliesOfNoClub.as_view(), name="api-friendlies-without-club"),
    re_path(rf"^api/v1/{FRIENDLIES}$", lobby_api.Friendlies.as_view(), name="api-club-friendlies"),
    path("api/v1/practice/guest/", guests.GuestMatches.as_view(), name="api-guest-matches"),
    path("api/v1/practice/guest/actions/", guests.GuestActions.as_view(), name="api-guest-actions"),
    path("api/v1/practice/guest/hint/", guests.GuestHints.as_view(), name="api-guest-hint"),
    path("api/v1/practice/guest/keep/", guests.GuestKeeping.as_view(), name="api-guest-keep"),
    path("api/v1/practice/", lobby_api.Practice.as_view(), name="api-practice"),
    path("api/v1/opponents/", lobby_api.Opponents.as_view(), name="api-opponents"),
    path("api/v1/challenges/", lobby_api.Challenges.as_view(), name="api-challenges"),
    re_path(rf"^api/v1/challenges/{ID}/accept/$", lobby_api.AcceptChallenge.as_view(), name="api-challenge-accept"),
    re_path(rf"^api/v1/challenges/{ID}/decline/$", lobby_api.DeclineChallenge.as_view(), name="api-challenge-decline"),
    re_path(
        rf"^api/v1/challenges/{ID}/withdraw/$", lobby_api.WithdrawChallenge.as_view(), name="api-challenge-withdraw"
    ),
    re_path(rf"^api/v1/matches/{ID}/rematch/$", lobby_api.Rematch.as_view(), name="api-match-rematch"),
    path("api/v1/me/blocks/", lobby_api.Blocks.as_view(), name="api-blocks"),
    re_path(rf"^api/v1/me/blocks/{ID}/$", lobby_api.OneBlock.as_view(), name="api-block"),
]


# URLs of matches played here.


MESSAGE = r"(?P<message>[2-9a-z]{10})"
RECORD = r"record\.(?P<extension>mat|sgf|json)$"
API = rf"^api/v1/matches/{ID}/live/"

play_patterns = [
    # First what is requested most: resolving a path tries one pattern after the other.
    re_path(rf"{API}$", play_api.Live.as_view(), name="api-live"),
    re_path(rf"{API}open/$", play_api.LiveOpening.as_view(), name="api-live-open"),
    re_path(rf"{API}chains/$", play_api.LiveChains.as_view(), name="api-live-chains"),
    re_path(rf"{API}actions/$", play_api.LiveActions.as_view(), name="api-live-actions"),
    re_path(rf"{API}goodbye/$", play_api.LiveGoodbye.as_view(), name="api-live-goodbye"),
    re_path(rf"{API}ping/$", play_api.LivePing.as_view(), name="api-live-ping"),
    re_path(rf"{API}rulings/$", play_api.LiveRulings.as_view(), name="api-live-rulings"),
    re_path(rf"{API}chat/$", chat.Chat.as_view(), name="api-live-chat"),
    re_path(rf"{API}chat/mute/$", chat.ChatMuting.as_view(), name="api-live-chat-mute"),
    re_path(rf"{API}chat/{MESSAGE}/report/$", chat.ChatReporting.as_view(), name="api-live-chat-report"),
    re_path(rf"{API}chat/{MESSAGE}/decision/$", chat.ChatDeciding.as_view(), name="api-live-chat-decision"),
    re_path(rf"{API}hint/$", play_api.LiveHint.as_view(), name="api-live-hint"),
    re_path(rf"{API}dice/$", play_api.LiveDice.as_view(), name="api-live-dice"),
    re_path(rf"^matches/{ID}/play/$", page_views.play, name="match-play"),
    re_path(rf"^m/{TOKEN}/play/$", page_views.play_by_link, name="link-play"),
    path("my/next-board/", next_board, name="next-board"),
    re_path(rf"^matches/{ID}/end/$", match_end, name="match-end"),
    re_path(rf"^m/{TOKEN}/end/$", match_end, name="link-end"),
    re_path(rf"^matches/{ID}/again/$", match_again, name="match-again"),
    re_path(rf"^m/{TOKEN}/again/$", match_again, name="link-again"),
    path("preferences/play/", play_preferences, name="play-preferences"),
    path("api/v1/me/play-preferences/", preferences_api.MyPlayPreferences.as_view(), name="api-play-preferences"),
    re_path(rf"^matches/{ID}/dice/$", dice.dice, name="match-dice"),
    re_path(rf"^matches/{ID}/dice\.json$", dice.dice_file, name="match-dice-file"),
    re_path(rf"^m/{TOKEN}/dice/$", dice.dice, name="link-dice"),
    re_path(rf"^m/{TOKEN}/dice\.json$", dice.dice_file, name="link-dice-file"),
    re_path(rf"^matches/{ID}/chat/{MESSAGE}/$", chat_views.decide, name="chat-decision"),
    re_path(r"^clubs/(?P<slug>[a-z0-9-]+)/messages/$", chat_views.reported_messages, name="reported-messages"),
    re_path(rf"^matches/{ID}/replay/$", replay_views.match_replay, name="match-replay"),
    re_path(rf"^matches/{ID}/replay/picture\.png$", replay_views.match_picture, name="match-replay-picture"),
    re_path(rf"^m/{TOKEN}/replay/$", replay_views.match_replay, name="link-replay"),
    re_path(rf"^matches/{ID}/{RECORD}", replay_views.match_record, name="match-record"),
    re_path(rf"^m/{TOKEN}/{RECORD}", replay_views.match_record, name="link-record"),
]


# URLs of records and their API, and those of reporting.


record_patterns = [
    path("check/", record_views.check, name="check"),
    re_path(rf"^check/{ID}/$", record_views.submission, name="submission"),
    re_path(rf"^check/{ID}/replay/$", record_replay, name="replay"),
    re_path(rf"^check/{ID}/replay/picture\.png$", record_picture, name="replay-picture"),
    re_path(rf"^check/{ID}/record\.(?P<extension>mat|sgf|json)$", record_views.record, name="record"),
    path("api/v1/submissions/", record_api.SubmissionList.as_view(), name="api-submissions"),
    re_path(rf"^api/v1/submissions/{ID}/$", record_api.SubmissionDetail.as_view(), name="api-submission"),
    re_path(
        rf"^api/v1/submissions/{ID}/record\.(?P<extension>mat|sgf|json)$",
        record_api.RecordFile.as_view(),
        name="api-record",
    ),
]


# URLs of analyses.


analysis_patterns = [
    re_path(rf"^players/{ID}/analysis/$", analysis_views.player_analysis, name="player-analysis"),
    re_path(r"^clubs/(?P<slug>[a-z0-9-]+)/analysis/$", analysis_views.club_analysis, name="club-analysis"),
    re_path(r"^clubs/(?P<slug>[a-z0-9-]+)/classes/$", analysis_views.club_classes_page, name="club-classes"),
    re_path(r"^clubs/(?P<slug>[a-z0-9-]+)/analysis\.csv$", analysis_views.club_csv, name="club-analysis-file"),
    re_path(rf"^matches/{ID}/analysis/$", analysis_views.match_analysis, name="match-analysis"),
    re_path(rf"^matches/{ID}/analysis\.csv$", analysis_views.match_csv, name="match-analysis-file"),
    re_path(rf"^check/{ID}/analysis/$", analysis_views.record_analysis, name="record-analysis"),
    re_path(rf"^api/v1/matches/{ID}/analysis/$", analysis_api.MatchAnalysis.as_view(), name="api-match-analysis"),
    re_path(rf"^api/v1/submissions/{ID}/analysis/$", analysis_api.RecordAnalysis.as_view(), name="api-record-analysis"),
    re_path(
        r"^api/v1/clubs/(?P<slug>[a-z0-9-]+)/classes/$", analysis_api.ClubClassesView.as_view(), name="api-club-classes"
    ),
    re_path(
        r"^api/v1/clubs/(?P<slug>[a-z0-9-]+)/analysis/$", analysis_api.ClubAnalysis.as_view(), name="api-club-analysis"
    ),
    re_path(rf"^api/v1/players/{ID}/analysis/$", analysis_api.PlayerAnalysis.as_view(), name="api-player-analysis"),
]


# URLs of matches: for accounts, for links, and for the API.


MATCH_API = rf"^api/v1/matches/{ID}/"


def _by_account(view: View) -> View:
    return view


def _actions(prefix: str, name: str, allow: Callable[[View], View]) -> Iterator[URLPattern]:
    yield re_path(rf"{prefix}report/$", allow(match_views.preview), name=f"{name}-report")
    records = checks_length_first(allow(match_actions.SEND_RECORD.view))
    yield re_path(rf"{prefix}records/$", records, name=f"{name}-records")
    for act in match_actions.ACTIONS:
        yield re_path(rf"{prefix}{act.at}/$", allow(act.view), name=f"{name}-{act.name}")
    yield re_path(rf"{prefix}appointment\.ics$", allow(match_views.appointment), name=f"{name}-appointment")


reporting_patterns = [
    path("my/", match_views.mine, name="my-matches"),
    path("my/calendar/", match_views.renew_calendar_feed, name="renew-calendar-feed"),
    path("my/calendar/revoke/", match_views.revoke_calendar_feed, name="revoke-calendar-feed"),
    re_path(rf"^calendar/{FEED_TOKEN}\.ics$", match_views.calendar_feed, name="calendar-feed"),
    path("api/v1/me/calendar/", reporting_api.MyCalendar.as_view(), name="api-my-calendar"),
    re_path(rf"^matches/{ID}/$", match_views.match, name="match"),
    re_path(rf"^matches/{ID}/links/$", match_views.hand_out, name="match-links"),
    re_path(rf"^matches/{ID}/links/(?P<side>[01])/revoke/$", match_views.revoke_link, name="match-revoke-link"),
    *_actions(rf"^matches/{ID}/", "match", _by_account),
    re_path(rf"^m/{TOKEN}/$", match_views.link, name="match-link"),
    *_actions(rf"^m/{TOKEN}/", "link", by_personal_link),
    path("api/v1/matches/", reporting_api.MatchList.as_view(), name="api-matches"),
    re_path(rf"{MATCH_API}$", reporting_api.MatchDetail.as_view(), name="api-match"),
    re_path(rf"{MATCH_API}claims/$", reporting_api.Reports.as_view(), name="api-match-claims"),
    re_path(rf"{MATCH_API}claims/preview/$", reporting_api.PreviewReport.as_view(), name="api-match-preview"),
    re_path(rf"{MATCH_API}running-score/$", reporting_api.RunningScore.as_view(), name="api-match-running-score"),
    re_path(rf"{MATCH_API}length-offers/$", reporting_api.LengthOffers.as_view(), name="api-match-length-offers"),
    re_path(rf"{MATCH_API}records/$", reporting_api.MatchRecords.as_view(), name="api-match-records"),
    re_path(rf"{MATCH_API}proposals/$", reporting_api.Proposals.as_view(), name="api-match-proposals"),
    *(
        re_path(rf"{MATCH_API}{act.path}/$", act.endpoint, name=f"api-match-{act.api_name}")
        for act in match_actions.ACTIONS
        if act.api is not None
    ),
    re_path(rf"{MATCH_API}links/$", reporting_api.MatchLinks.as_view(), name="api-match-links"),
    re_path(rf"{MATCH_API}links/(?P<side>[01])/$", reporting_api.MatchLink.as_view(), name="api-match-link"),
]


# URLs of rankings, players and rating pools.


OTHER = r"(?P<other_id>[2-9a-z]{10})"
POOLS = r"clubs/(?P<slug>[a-z0-9-]+)/pools/"
POOL = rf"{POOLS}(?P<pk>\d{{1,18}})/"
RATINGS = r"clubs/(?P<slug>[a-z0-9-]+)/ratings/"
IMPORT = rf"{POOL}imports/(?P<source>\d{{1,18}})/"

ranking_patterns = [
    path("rankings/", ranking_views.ranking, name="rankings"),
    path("rankings/ranking.csv", ranking_views.ranking_csv, name="ranking-csv"),
    path("rankings/matches.csv", ranking_views.matches_csv, name="rated-matches-csv"),
    path("players/", ranking_views.players, name="players"),
    re_path(rf"^players/{ID}/$", ranking_views.player, name="player"),
    re_path(rf"^players/{ID}/matches/$", ranking_views.player_matches, name="player-matches"),
    re_path(rf"^players/{ID}/vs/$", ranking_views.choose_opponent, name="choose-opponent"),
    re_path(rf"^players/{ID}/vs/{OTHER}/$", ranking_views.versus, name="versus"),
    re_path(r"^clubs/(?P<slug>[a-z0-9-]+)/join-requests/$", ranking_views.join_requests, name="join-requests"),
    re_path(rf"^{POOLS}$", pools.pools, name="club-pools"),
    re_path(rf"^{POOL}$", pools.pool, name="club-pool"),
    re_path(rf"^{POOL}restore/$", pools.restore, name="club-pool-restore"),
    re_path(rf"^{POOL}compare/$", pools.compare, name="club-pool-compare"),
    re_path(rf"^{POOL}formulas/$", pools.formulas, name="club-pool-formulas"),
    re_path(rf"^{POOL}import/$", pools.import_rows, name="club-pool-import"),
    re_path(rf"^{IMPORT}undo/$", pools.undo, name="club-pool-undo"),
    re_path(rf"^{RATINGS}$", pools.club_ratings, name="club-ratings"),
    re_path(rf"^{RATINGS}(?P<pk>\d{{1,18}})/$", pools.pool_ranking, name="pool-ranking"),
    re_path(rf"^{RATINGS}(?P<pk>\d{{1,18}})/ratings.csv$", pools.pool_ranking_csv, name="pool-ranking-csv"),
    re_path(rf"^api/v1/{POOLS}$", pools_api.PoolList.as_view(), name="api-pools"),
    re_path(rf"^api/v1/{POOL}$", pools_api.PoolDetail.as_view(), name="api-pool"),
    re_path(rf"^api/v1/{POOL}preview/$", pools_api.PoolPreview.as_view(), name="api-pool-preview"),
    re_path(rf"^api/v1/{POOL}versions/$", pools_api.PoolVersionList.as_view(), name="api-pool-versions"),
    re_path(rf"^api/v1/{POOL}restore/$", pools_api.RestorePool.as_view(), name="api-pool-restore"),
    re_path(rf"^api/v1/{POOL}formulas/$", pools_api.PoolFormulas.as_view(), name="api-pool-formulas"),
    re_path(rf"^api/v1/{POOL}ranking/$", pools_api.PoolRanking.as_view(), name="api-pool-ranking"),
    re_path(rf"^api/v1/{POOL}imports/$", pools_api.ImportList.as_view(), name="api-pool-imports"),
    re_path(rf"^api/v1/{IMPORT}undo/$", pools_api.UndoImport.as_view(), name="api-pool-undo"),
    path("api/v1/rankings/", ranking_api.RankingList.as_view(), name="api-rankings"),
    path("api/v1/players/", ranking_api.PlayerList.as_view(), name="api-players"),
    re_path(rf"^api/v1/players/{ID}/$", ranking_api.PlayerDetail.as_view(), name="api-player"),
    re_path(rf"^api/v1/players/{ID}/changes/$", ranking_api.ChangeList.as_view(), name="api-player-changes"),
    re_path(rf"^api/v1/players/{ID}/matches/$", ranking_api.PlayerMatchList.as_view(), name="api-player-matches"),
    re_path(rf"^api/v1/players/{ID}/vs/{OTHER}/$", ranking_api.HeadToHead.as_view(), name="api-versus"),
]

# First what is requested most: resolving a path tries one pattern after the other.
urlpatterns = [
    *play_patterns,
    *lobby_patterns,
    *record_patterns,
    *analysis_patterns,
    *reporting_patterns,
    *ranking_patterns,
]
