"""URLs of the API."""

from django.urls import URLPattern, path, re_path

import clubhouse.copies
import clubhouse.summary
import clubhouse.tonight
import matches.analysis.api
import matches.play.api
import matches.play.chat.api
import matches.play.lobby.api
import matches.play.lobby.guests
import matches.play.preferences
import matches.rankings.api
import matches.rankings.pools_api
import matches.records.api
import matches.reporting.actions
import matches.reporting.api
import matches.reporting.outboxes
import players.accounts.api
import players.accounts.notifications
import players.clubs.api
import players.handover.actions
import players.joining.actions
import players.joining.page
import players.privacy.api
import prizes.api
import prizes.page.cash
import seasons.actions
import seasons.api
import seasons.finals
import seasons.page.match_imports
import seasons.page.past
import seasons.page.titles
import tournaments.draws.actions
import tournaments.draws.api
import tournaments.draws.designer.api
import tournaments.entries.api
import tournaments.entries.page
import tournaments.events.api
import tournaments.floor.api
import tournaments.floor.kept.actions
import tournaments.floor.kept.api
import tournaments.floor.kept.undecided
import tournaments.floor.page.actions
import tournaments.offers.actions
import tournaments.results.actions
import tournaments.results.api
import tournaments.standings.api
from config.urls.patterns import CLAIM, CLUB_SLUG, ID, JOIN_REQUEST, OWNER_OFFER, ROW

API = "^api/v1/"
LIVE = rf"{API}matches/(?P<public_id>{ID})/live/"
API_CLUB = rf"{API}clubs/(?P<slug>{CLUB_SLUG})/"
CHALLENGE = rf"{API}challenges/(?P<public_id>{ID})/"
API_MATCH = rf"{API}matches/(?P<public_id>{ID})/"
API_RECORD = rf"{API}submissions/(?P<public_id>{ID})/"
API_PLAYER = rf"{API}players/(?P<public_id>{ID})/"
API_RATING_POOL = rf"{API_CLUB}pools/(?P<pk>{ROW})/"
API_MEMBER = rf"{API_CLUB}members/(?P<public_id>{ID})/"
API_PAST_MATCHES = rf"{API_CLUB}past-matches/(?P<public_id>{ID})/"
API_PAST_SEASON = rf"{API_CLUB}past-seasons/(?P<public_id>{ID})/"
API_SEASON = rf"{API}seasons/(?P<series>{ID})/"
API_EVENT = rf"{API}tournaments/(?P<tournament>{ID})/"
API_DIVISION = rf"{API}divisions/(?P<division>{ID})/"
SIDE_POOL = rf"{API_DIVISION}pools/(?P<pool>{ID})/"
API_ENTRY = rf"{API}entries/(?P<entry>{ID})/"
API_FIXTURE = rf"{API}fixtures/(?P<fixture>{ID})/"
CORRECTION = rf"{API}corrections/(?P<correction>{ID})/"

# fmt: off
urlpatterns: list[URLPattern] = [
    re_path(rf"{LIVE}$", matches.play.api.Live.as_view(), name="api-live"),
    re_path(rf"{LIVE}open/$", matches.play.api.LiveOpening.as_view(), name="api-live-open"),
    re_path(rf"{LIVE}chains/$", matches.play.api.LiveChains.as_view(), name="api-live-chains"),
    re_path(rf"{LIVE}actions/$", matches.play.api.LiveActions.as_view(), name="api-live-actions"),
    re_path(rf"{LIVE}goodbye/$", matches.play.api.LiveGoodbye.as_view(), name="api-live-goodbye"),
    re_path(rf"{LIVE}ping/$", matches.play.api.LivePing.as_view(), name="api-live-ping"),
    re_path(rf"{LIVE}rulings/$", matches.play.api.LiveRulings.as_view(), name="api-live-rulings"),
    re_path(rf"{LIVE}chat/$", matches.play.chat.api.Chat.as_view(), name="api-live-chat"),
    re_path(rf"{LIVE}chat/mute/$", matches.play.chat.api.ChatMuting.as_view(), name="api-live-chat-mute"),
    re_path(rf"{LIVE}chat/(?P<message>{ID})/report/$", matches.play.chat.api.ChatReporting.as_view(), name="api-live-chat-report"),
    re_path(rf"{LIVE}chat/(?P<message>{ID})/decision/$", matches.play.chat.api.ChatDeciding.as_view(), name="api-live-chat-decision"),
    re_path(rf"{LIVE}hint/$", matches.play.api.LiveHint.as_view(), name="api-live-hint"),
    re_path(rf"{LIVE}dice/$", matches.play.api.LiveDice.as_view(), name="api-live-dice"),
    path("api/v1/me/play-preferences/", matches.play.preferences.MyPlayPreferences.as_view(), name="api-play-preferences"),
    path("api/v1/friendlies/", matches.play.lobby.api.FriendliesOfNoClub.as_view(), name="api-friendlies-without-club"),
    re_path(rf"{API_CLUB}friendlies/$", matches.play.lobby.api.Friendlies.as_view(), name="api-club-friendlies"),
    path("api/v1/practice/guest/", matches.play.lobby.guests.GuestMatches.as_view(), name="api-guest-matches"),
    path("api/v1/practice/guest/actions/", matches.play.lobby.guests.GuestActions.as_view(), name="api-guest-actions"),
    path("api/v1/practice/guest/hint/", matches.play.lobby.guests.GuestHints.as_view(), name="api-guest-hint"),
    path("api/v1/practice/guest/keep/", matches.play.lobby.guests.GuestKeeping.as_view(), name="api-guest-keep"),
    path("api/v1/practice/", matches.play.lobby.api.Practice.as_view(), name="api-practice"),
    path("api/v1/opponents/", matches.play.lobby.api.Opponents.as_view(), name="api-opponents"),
    path("api/v1/challenges/", matches.play.lobby.api.Challenges.as_view(), name="api-challenges"),
    re_path(rf"{CHALLENGE}accept/$", matches.play.lobby.api.AcceptChallenge.as_view(), name="api-challenge-accept"),
    re_path(rf"{CHALLENGE}decline/$", matches.play.lobby.api.DeclineChallenge.as_view(), name="api-challenge-decline"),
    re_path(rf"{CHALLENGE}withdraw/$", matches.play.lobby.api.WithdrawChallenge.as_view(), name="api-challenge-withdraw"),
    re_path(rf"{API_MATCH}rematch/$", matches.play.lobby.api.Rematch.as_view(), name="api-match-rematch"),
    path("api/v1/me/blocks/", matches.play.lobby.api.Blocks.as_view(), name="api-blocks"),
    re_path(rf"{API}me/blocks/(?P<public_id>{ID})/$", matches.play.lobby.api.OneBlock.as_view(), name="api-block"),
    path("api/v1/submissions/", matches.records.api.SubmissionList.as_view(), name="api-submissions"),
    re_path(rf"{API_RECORD}$", matches.records.api.SubmissionDetail.as_view(), name="api-submission"),
    re_path(rf"{API_RECORD}record\.(?P<extension>mat|sgf|json)$", matches.records.api.RecordFileView.as_view(), name="api-record"),
    re_path(rf"{API_MATCH}analysis/$", matches.analysis.api.MatchAnalysisView.as_view(), name="api-match-analysis"),
    re_path(rf"{API_RECORD}analysis/$", matches.analysis.api.RecordAnalysis.as_view(), name="api-record-analysis"),
    re_path(rf"{API_CLUB}classes/$", matches.analysis.api.ClubClassesView.as_view(), name="api-club-classes"),
    re_path(rf"{API_CLUB}analysis/$", matches.analysis.api.ClubAnalysis.as_view(), name="api-club-analysis"),
    re_path(rf"{API_PLAYER}analysis/$", matches.analysis.api.PlayerAnalysis.as_view(), name="api-player-analysis"),
    path("api/v1/me/calendar/", matches.reporting.api.MyCalendar.as_view(), name="api-my-calendar"),
    path("api/v1/matches/", matches.reporting.api.MatchList.as_view(), name="api-matches"),
    re_path(rf"{API_MATCH}$", matches.reporting.api.MatchDetail.as_view(), name="api-match"),
    re_path(rf"{API_MATCH}claims/$", matches.reporting.api.MatchReports.as_view(), name="api-match-claims"),
    re_path(rf"{API_MATCH}claims/preview/$", matches.reporting.api.PreviewReport.as_view(), name="api-match-preview"),
    re_path(rf"{API_MATCH}running-score/$", matches.reporting.api.RunningScoreView.as_view(), name="api-match-running-score"),
    re_path(rf"{API_MATCH}length-offers/$", matches.reporting.api.LengthOffers.as_view(), name="api-match-length-offers"),
    re_path(rf"{API_MATCH}kept/$", matches.reporting.outboxes.KeptInMatch.as_view(), name="api-match-kept"),
    re_path(rf"{API_MATCH}records/$", matches.reporting.api.MatchRecords.as_view(), name="api-match-records"),
    re_path(rf"{API_MATCH}proposals/$", matches.reporting.api.Proposals.as_view(), name="api-match-proposals"),
    *(
        re_path(rf"{API_MATCH}{act.path}/$", act.endpoint, name=f"api-match-{act.api_name}")
        for act in matches.reporting.actions.ACTIONS
        if act.api is not None
    ),
    re_path(rf"{API_MATCH}links/$", matches.reporting.api.MatchLinks.as_view(), name="api-match-links"),
    re_path(rf"{API_MATCH}links/(?P<side>[01])/$", matches.reporting.api.MatchLink.as_view(), name="api-match-link"),
    re_path(rf"{API_CLUB}pools/$", matches.rankings.pools_api.PoolList.as_view(), name="api-pools"),
    re_path(rf"{API_RATING_POOL}$", matches.rankings.pools_api.PoolDetail.as_view(), name="api-pool"),
    re_path(rf"{API_RATING_POOL}preview/$", matches.rankings.pools_api.PoolPreview.as_view(), name="api-pool-preview"),
    re_path(rf"{API_RATING_POOL}versions/$", matches.rankings.pools_api.PoolVersionList.as_view(), name="api-pool-versions"),
    re_path(rf"{API_RATING_POOL}restore/$", matches.rankings.pools_api.RestorePool.as_view(), name="api-pool-restore"),
    re_path(rf"{API_RATING_POOL}formulas/$", matches.rankings.pools_api.PoolFormulas.as_view(), name="api-pool-formulas"),
    re_path(rf"{API_RATING_POOL}ranking/$", matches.rankings.pools_api.PoolRanking.as_view(), name="api-pool-ranking"),
    re_path(rf"{API_RATING_POOL}imports/$", matches.rankings.pools_api.ImportList.as_view(), name="api-pool-imports"),
    re_path(rf"{API_RATING_POOL}imports/(?P<source>{ROW})/undo/$", matches.rankings.pools_api.UndoImport.as_view(), name="api-pool-undo"),
    path("api/v1/rankings/", matches.rankings.api.RankingList.as_view(), name="api-rankings"),
    path("api/v1/players/", matches.rankings.api.PlayerList.as_view(), name="api-players"),
    re_path(rf"{API_PLAYER}$", matches.rankings.api.PlayerDetail.as_view(), name="api-player"),
    re_path(rf"{API_PLAYER}changes/$", matches.rankings.api.ChangeList.as_view(), name="api-player-changes"),
    re_path(rf"{API_PLAYER}matches/$", matches.rankings.api.PlayerMatchList.as_view(), name="api-player-matches"),
    re_path(rf"{API_PLAYER}vs/(?P<other_id>{ID})/$", matches.rankings.api.HeadToHead.as_view(), name="api-versus"),
    path("api/v1/me/", players.accounts.api.Me.as_view(), name="api-me"),
    path("api/v1/me/notifications/", players.accounts.notifications.MyNotifications.as_view(), name="api-my-notifications"),
    path("api/v1/me/notification-choices/", players.accounts.notifications.MyNotificationChoices.as_view(), name="api-my-notification-choices"),
    path("api/v1/tokens/", players.accounts.api.Tokens.as_view(), name="api-tokens"),
    path("api/v1/tokens/current/", players.accounts.api.CurrentToken.as_view(), name="api-current-token"),
    path("api/v1/me/tokens/", players.accounts.api.MyTokens.as_view(), name="api-my-tokens"),
    re_path(rf"{API}me/tokens/(?P<token_id>{ROW})/$", players.accounts.api.OneToken.as_view(), name="api-my-token"),
    path("api/v1/invitations/accept/", players.accounts.api.AcceptInvitation.as_view(), name="api-accept-invitation"),
    path("api/v1/accounts/", players.accounts.api.Accounts.as_view(), name="api-accounts"),
    path("api/v1/me/exports/", players.privacy.api.MyExports.as_view(), name="api-my-exports"),
    path("api/v1/me/erase/", players.privacy.api.EraseMe.as_view(), name="api-erase-me"),
    re_path(rf"{API}exports/(?P<export>{ID})/$", players.privacy.api.OneExport.as_view(), name="api-export"),
    re_path(rf"{API}exports/(?P<export>{ID})/archive\.zip$", players.privacy.api.ExportArchive.as_view(), name="api-export-archive"),
    re_path(rf"{API_MEMBER}exports/$", players.privacy.api.MemberExports.as_view(), name="api-member-exports"),
    re_path(rf"{API_MEMBER}erase/$", players.privacy.api.EraseMember.as_view(), name="api-erase-member"),
    path("api/v1/me/claims/", players.joining.page.MyClaims.as_view(), name="api-my-claims"),
    *(re_path(rf"{API}me/{CLAIM}{act.path}/$", act.endpoint, name=f"api-claim-{act.name}") for act in players.joining.actions.CLAIMS),
    path("api/v1/me/join-requests/", players.joining.page.MyJoinRequests.as_view(), name="api-my-join-requests"),
    re_path(rf"{API_CLUB}claimable-players/$", players.joining.page.ClaimablePlayers.as_view(), name="api-claimable-players"),
    re_path(rf"{API_CLUB}join-requests/$", players.joining.page.ClubJoinRequests.as_view(), name="api-join-requests"),
    *(re_path(rf"{API_CLUB}join/{act.path}/$", act.endpoint, name=f"api-join-{act.name}") for act in players.joining.actions.OWN_ACTIONS),
    *(
        re_path(rf"{API_CLUB}{JOIN_REQUEST}{act.path}/$", act.endpoint, name=f"api-join-request-{act.name}")
        for act in players.joining.actions.ANSWERS
    ),
    *(re_path(rf"{API}{OWNER_OFFER}{act.path}/$", act.endpoint, name=f"api-owner-offer-{act.name}") for act in players.handover.actions.OFFERS),
    re_path(rf"{API_MEMBER}owner/$", players.handover.actions.OFFER.endpoint, name="api-offer-ownership"),
    re_path(rf"{API_CLUB}nobody/$", players.handover.actions.ASK.endpoint, name="api-ask-for-owner"),
    re_path(rf"{API}site/ownerless/(?P<slug>{CLUB_SLUG})/$", players.handover.actions.ANSWER.endpoint, name="api-ownerless-answer"),
    path("api/v1/clubs/", players.clubs.api.Clubs.as_view(), name="api-clubs"),
    re_path(rf"{API_CLUB}$", players.clubs.api.OneClub.as_view(), name="api-club"),
    re_path(rf"{API_CLUB}emblem/$", players.clubs.api.Emblem.as_view(), name="api-club-emblem"),
    re_path(rf"{API_CLUB}members/$", players.clubs.api.Members.as_view(), name="api-members"),
    re_path(rf"{API_CLUB}members/list/$", players.clubs.api.MemberList.as_view(), name="api-member-list"),
    re_path(rf"{API_CLUB}merges/$", players.clubs.api.Merges.as_view(), name="api-merges"),
    re_path(rf"{API_CLUB}merges/(?P<pk>{ROW})/$", players.clubs.api.UndoMerge.as_view(), name="api-undo-merge"),
    re_path(rf"{API_MEMBER}$", players.clubs.api.OneMember.as_view(), name="api-member"),
    re_path(rf"{API_MEMBER}name/$", players.clubs.api.MemberName.as_view(), name="api-member-name"),
    re_path(rf"{API_MEMBER}invitation/$", players.clubs.api.MemberInvitation.as_view(), name="api-member-invitation"),
    re_path(rf"{API_MEMBER}merge/$", players.clubs.api.MemberMerge.as_view(), name="api-member-merge"),
    re_path(rf"{API_CLUB}commitments/$", tournaments.draws.api.Commitments.as_view(), name="api-commitments"),
    re_path(rf"{API_CLUB}past-seasons/$", seasons.page.past.PastSeasons.as_view(), name="api-past-seasons"),
    re_path(rf"{API_CLUB}past-matches/$", seasons.page.match_imports.PastMatches.as_view(), name="api-past-matches"),
    re_path(rf"{API_PAST_MATCHES}undo/$", seasons.page.match_imports.UndoPastMatches.as_view(), name="api-past-matches-undo"),
    re_path(rf"{API_PAST_SEASON}$", seasons.page.past.OnePastSeason.as_view(), name="api-past-season"),
    re_path(rf"{API_PAST_SEASON}undo/$", seasons.page.past.UndoPastSeason.as_view(), name="api-past-season-undo"),
    re_path(rf"{API_PAST_SEASON}count/$", seasons.page.past.CountPastSeason.as_view(), name="api-past-season-count"),
    re_path(rf"{API_PAST_SEASON}leave-out/$", seasons.page.past.LeaveOutPastSeason.as_view(), name="api-past-season-leave-out"),
    re_path(rf"{API_CLUB}tonight/$", clubhouse.tonight.Tonight.as_view(), name="api-tonight"),
    re_path(rf"{API_CLUB}titles/$", seasons.page.titles.Titles.as_view(), name="api-titles"),
    re_path(rf"{API_CLUB}titles/proposed/$", seasons.page.titles.ProposedTitles.as_view(), name="api-titles-proposed"),
    re_path(rf"{API_CLUB}titles/award/$", seasons.page.titles.award.endpoint, name="api-title-award"),
    re_path(rf"{API}titles/(?P<title>{ID})/withdraw/$", seasons.page.titles.withdraw.endpoint, name="api-title-withdraw"),
    re_path(rf"{API_CLUB}seasons/$", seasons.api.Seasons.as_view(), name="api-series-list"),
    re_path(rf"{API_CLUB}seasons/create/$", seasons.actions.create.endpoint, name="api-series-create"),
    re_path(rf"{API_SEASON}$", seasons.api.OneSeason.as_view(), name="api-series"),
    re_path(rf"{API_SEASON}race/$", seasons.api.SeasonRace.as_view(), name="api-series-race"),
    re_path(rf"{API_SEASON}race/(?P<player>{ID})/$", seasons.api.PlayerRace.as_view(), name="api-series-race-player"),
    *(
        re_path(rf"{API_SEASON}{act.path}/$", act.endpoint, name=f"api-series-{act.path}")
        for act in (*seasons.actions.ACTIONS, *seasons.finals.ACTIONS)
    ),
    path("api/v1/tournaments/", tournaments.events.api.EventList.as_view(), name="api-tournaments"),
    re_path(rf"{API_EVENT}$", tournaments.events.api.OneEvent.as_view(), name="api-tournament"),
    re_path(rf"{API_EVENT}publish/$", tournaments.events.api.Publish.as_view(), name="api-tournament-publish"),
    re_path(rf"{API_EVENT}start/undo/$", clubhouse.tonight.undo.endpoint, name="api-start-undo"),
    re_path(rf"{API_EVENT}cancel/$", tournaments.events.api.Cancel.as_view(), name="api-tournament-cancel"),
    re_path(rf"{API_EVENT}helpers/$", tournaments.events.api.Helpers.as_view(), name="api-helpers"),
    re_path(rf"{API_EVENT}helpers/(?P<helper>{ID})/$", tournaments.events.api.OneHelper.as_view(), name="api-helper"),
    re_path(rf"{API_EVENT}leave/$", tournaments.entries.api.Leave.as_view(), name="api-tournament-leave"),
    re_path(rf"{API_EVENT}next-season/$", clubhouse.copies.NextSeason.as_view(), name="api-next-season"),
    re_path(rf"{API_EVENT}analysis/$", clubhouse.summary.EventAnalysis.as_view(), name="api-tournament-analysis"),
    re_path(rf"{API_EVENT}report/$", clubhouse.summary.SummaryView.as_view(), name="api-report"),
    re_path(rf"{API_EVENT}prizes/$", prizes.api.PublishedPrizes.as_view(), name="api-prizes"),
    re_path(rf"{API_EVENT}cash/$", prizes.api.Cash.as_view(), name="api-cash"),
    re_path(rf"{API_EVENT}cash/payments/$", prizes.api.Payments.as_view(), name="api-cash-payments"),
    re_path(rf"{API_EVENT}cash/payments/(?P<payment>{ID})/take-back/$", prizes.api.TakeBackPayment.as_view(), name="api-cash-take-back"),
    *(
        re_path(rf"{API_EVENT}cash/{act.path}/$", act.endpoint, name=f"api-cash-{act.path}")
        for act in prizes.page.cash.ACTIONS
        if act.api is not None
    ),
    re_path(rf"{API_EVENT}offers/$", tournaments.offers.actions.Offers.as_view(), name="api-offers"),
    re_path(rf"{API_EVENT}offers/add/$", tournaments.offers.actions.ADD.endpoint, name="api-offer-add"),
    *(
        re_path(rf"{API}offers/(?P<offer>{ID})/{act.path}/$", act.endpoint, name=f"api-offer-{act.path}")
        for act in tournaments.offers.actions.ACTIONS
    ),
    re_path(rf"{API_EVENT}log/$", tournaments.events.api.Log.as_view(), name="api-tournament-log"),
    re_path(rf"{API_EVENT}line/$", tournaments.results.api.OneLine.as_view(), name="api-tournament-line"),
    re_path(rf"{API_EVENT}reports/$", tournaments.results.api.OpenReports.as_view(), name="api-tournament-reports"),
    re_path(rf"{API_EVENT}floor/$", tournaments.floor.api.FloorOfEvent.as_view(), name="api-tournament-floor"),
    re_path(rf"{API_EVENT}kept/$", tournaments.floor.kept.api.KeptAtEvent.as_view(), name="api-tournament-kept"),
    re_path(rf"{API_EVENT}floor/close/$", tournaments.floor.api.CloseMatches.as_view(), name="api-tournament-floor-close"),
    *(
        re_path(rf"{API_EVENT}floor/{name}/$", tournaments.floor.page.actions.ACTIONS[name].endpoint, name=f"api-tournament-floor-{name}")
        for name in ("pair-now", "pair-by-hand", "hold-pairing", "flow", "end-stage", "take-back-missed", "own-hall")
    ),
    re_path(rf"{API_EVENT}floor/undo/$", tournaments.floor.page.actions.ACTIONS['undo'].endpoint, name="api-tournament-floor-undo"),
    re_path(rf"{API_EVENT}kept/undecided/$", tournaments.floor.kept.undecided.UndecidedActs.as_view(), name="api-kept-undecided"),
    *(re_path(rf"{API_EVENT}kept/(?P<kept>{ROW})/{act.path}/$", act.endpoint, name=f"api-kept-{act.name}") for act in tournaments.floor.kept.actions.ACTIONS.values()),
    re_path(rf"{API_EVENT}lines/$", tournaments.floor.api.ResultLines.as_view(), name="api-tournament-lines"),
    re_path(rf"{API_EVENT}divisions/$", tournaments.events.api.Divisions.as_view(), name="api-divisions"),
    re_path(rf"{API_DIVISION}$", tournaments.events.api.OneDivision.as_view(), name="api-division"),
    re_path(rf"{API_DIVISION}prizes/$", prizes.api.PrizePlans.as_view(), name="api-prize-plans"),
    re_path(rf"{API_DIVISION}splits/$", prizes.api.Splits.as_view(), name="api-splits"),
    re_path(rf"{API_DIVISION}splits/(?P<split>{ID})/$", prizes.api.OneSplit.as_view(), name="api-split"),
    re_path(rf"{API_DIVISION}pools/$", prizes.api.SidePools.as_view(), name="api-side-pools"),
    re_path(rf"{SIDE_POOL}members/$", prizes.api.PoolMembers.as_view(), name="api-side-pool-members"),
    re_path(rf"{SIDE_POOL}members/(?P<entry>{ID})/$", prizes.api.OnePoolMember.as_view(), name="api-side-pool-member"),
    re_path(rf"{API_DIVISION}deadlines/$", tournaments.events.api.Deadlines.as_view(), name="api-deadlines"),
    re_path(rf"{API_DIVISION}stages/$", tournaments.draws.designer.api.Stages.as_view(), name="api-stages"),
    re_path(rf"{API_DIVISION}outline/$", tournaments.draws.designer.api.OutlineView.as_view(), name="api-outline"),
    re_path(rf"{API_DIVISION}entries/$", tournaments.entries.api.Entries.as_view(), name="api-entries"),
    re_path(rf"{API_DIVISION}entries/paste/$", tournaments.entries.api.Paste.as_view(), name="api-entries-paste"),
    re_path(rf"{API_DIVISION}register/$", tournaments.entries.api.Register.as_view(), name="api-register"),
    re_path(rf"{API_DIVISION}batches/$", tournaments.draws.api.Batches.as_view(), name="api-batches"),
    re_path(rf"{API_DIVISION}draws/$", tournaments.draws.api.Draws.as_view(), name="api-draws"),
    re_path(rf"{API_DIVISION}draws/publish/$", tournaments.draws.actions.publish_draw.endpoint, name="api-draw-publish"),
    re_path(rf"{API_DIVISION}draws/stop-countdown/$", tournaments.draws.actions.stop.endpoint, name="api-countdown-stop"),
    re_path(rf"{API_DIVISION}draws/take-back/$", tournaments.draws.actions.undo_draw.endpoint, name="api-draw-take-back"),
    re_path(rf"{API_DIVISION}draws/(?P<number>[0-9]{{1,4}})/$", tournaments.draws.api.OneDraw.as_view(), name="api-draw"),
    re_path(rf"{API_DIVISION}kept-apart/$", tournaments.draws.api.AllApart.as_view(), name="api-kept-apart"),
    re_path(rf"{API_DIVISION}kept-apart/take-back/$", tournaments.draws.api.LetMeet.as_view(), name="api-let-meet"),
    re_path(rf"{API_DIVISION}rounds/$", tournaments.draws.api.AllRounds.as_view(), name="api-rounds"),
    re_path(rf"{API_DIVISION}rounds/take-back/$", tournaments.draws.actions.undo_round.endpoint, name="api-round-take-back"),
    re_path(rf"{API_DIVISION}rounds/change/$", tournaments.draws.actions.change.endpoint, name="api-rounds-change"),
    re_path(rf"{API_DIVISION}rounds/byes/$", tournaments.draws.api.AskBye.as_view(), name="api-rounds-bye"),
    re_path(rf"{API_DIVISION}rounds/byes/take-back/$", tournaments.draws.api.TakeBackBye.as_view(), name="api-rounds-take-back"),
    re_path(rf"{API_DIVISION}bracket/$", tournaments.standings.api.BracketView.as_view(), name="api-bracket"),
    re_path(rf"{API_DIVISION}fixtures/$", tournaments.standings.api.Fixtures.as_view(), name="api-fixtures"),
    re_path(rf"{API_DIVISION}standings/$", tournaments.standings.api.Standings.as_view(), name="api-standings"),
    re_path(rf"{API_DIVISION}pairings/$", tournaments.standings.api.Pairings.as_view(), name="api-pairings"),
    re_path(rf"{API_ENTRY}$", tournaments.entries.api.OneEntry.as_view(), name="api-entry"),
    re_path(rf"{API_ENTRY}withdraw/$", tournaments.entries.api.Withdraw.as_view(), name="api-entry-withdraw"),
    *(re_path(rf"{API_ENTRY}{act.path}/$", act.endpoint, name=f"api-entry-{act.path}") for act in tournaments.entries.page.FIELD_ACTIONS),
    re_path(rf"{API_ENTRY}undo-late/$", tournaments.entries.api.UndoLateView.as_view(), name="api-entry-undo-late"),
    re_path(rf"{API_ENTRY}re-enter/$", tournaments.entries.api.ReentryView.as_view(), name="api-entry-re-enter"),
    re_path(rf"{API_ENTRY}substitute/$", tournaments.entries.api.SubstituteView.as_view(), name="api-entry-substitute"),
    re_path(rf"{API_ENTRY}substitute/undo/$", tournaments.entries.api.UndoSubstitutionView.as_view(), name="api-entry-undo-substitution"),
    re_path(rf"{API_ENTRY}return/$", tournaments.entries.api.ReturnView.as_view(), name="api-entry-return"),
    re_path(rf"{API_ENTRY}link/$", tournaments.entries.api.EventLinkView.as_view(), name="api-entry-link"),
    re_path(rf"{API_ENTRY}check-in/$", tournaments.entries.api.CheckInView.as_view(), name="api-entry-check-in"),
    re_path(rf"{API_FIXTURE}$", tournaments.results.api.OneFixture.as_view(), name="api-fixture"),
    *(re_path(rf"{API_FIXTURE}{act.path}/$", act.endpoint, name=f"api-fixture-{act.path}") for act in tournaments.results.actions.ACTIONS),
    *(
        re_path(rf"{API_FIXTURE}{name}/$", tournaments.floor.page.actions.ACTIONS[name].endpoint, name=f"api-fixture-{name}")
        for name in ("take-back-pairing", "waive-lead", "stop-match", "ask-over")
    ),
    re_path(rf"{API_FIXTURE}start-score/$", tournaments.floor.page.actions.ACTIONS['start-score'].endpoint, name="api-fixture-start-score"),
    re_path(rf"{API_FIXTURE}shorten/$", tournaments.floor.page.actions.ACTIONS['shorten-match'].endpoint, name="api-fixture-shorten"),
    re_path(rf"{API_FIXTURE}shorten/undo/$", tournaments.floor.page.actions.ACTIONS['take-back-length'].endpoint, name="api-fixture-take-back-length"),
    re_path(rf"{API_FIXTURE}propose-length/$", tournaments.floor.page.actions.ACTIONS['propose-length'].endpoint, name="api-fixture-propose-length"),
    re_path(rf"{API_FIXTURE}withdraw-length/$", tournaments.floor.page.actions.ACTIONS['withdraw-length'].endpoint, name="api-fixture-withdraw-length"),
    re_path(rf"{API_FIXTURE}corrections/$", tournaments.results.api.Corrections.as_view(), name="api-fixture-corrections"),
    re_path(rf"{API_FIXTURE}corrections/preview/$", tournaments.results.api.PreviewCorrection.as_view(), name="api-fixture-corrections-preview"),
    re_path(rf"{CORRECTION}$", tournaments.results.api.OneCorrection.as_view(), name="api-correction"),
    re_path(rf"{CORRECTION}undo/$", tournaments.results.api.Undo.as_view(), name="api-correction-undo"),
    re_path(rf"{CORRECTION}undo/preview/$", tournaments.results.api.PreviewUndo.as_view(), name="api-correction-undo-preview"),
]
# fmt: on
