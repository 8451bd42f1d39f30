"""URLs of tournaments."""

from django.urls import URLPattern, path, re_path

from clubhouse import acceptance, console, divisions, tonight
from clubhouse import clubs as club_pages
from clubhouse import copies as api_seasons
from clubhouse import summary as api_summary
from core.links import by_personal_link
from demo import owner
from display import wall as walls
from display.paper import page as paper
from display.paper.lists import KINDS as LISTS
from display.sharing import share_page as sharing
from display.sharing.page import share_picture
from prizes import api as api_cash
from prizes import cash_page as cash
from prizes import prize_page as plans
from seasons import actions as series_actions
from seasons import api as api_series
from seasons import finals, match_imports_page, past_page, titles_page
from seasons import page as series_pages
from tournaments.draws import actions as draws
from tournaments.draws import api as api_commitments
from tournaments.draws import page as commitments
from tournaments.draws.designer import api as api_stages
from tournaments.entries import api as api_entries
from tournaments.entries import event_links, kiosks, substitutions
from tournaments.entries import page as check_in
from tournaments.entries.event_links import TOKEN
from tournaments.events import api as api_divisions
from tournaments.events import views as clubs
from tournaments.floor import api as api_floor
from tournaments.floor.page import views as floor_views
from tournaments.floor.page.actions import ACTIONS as FLOOR_ACTIONS
from tournaments.results import actions as decisions
from tournaments.results import api as api_corrections
from tournaments.results import corrections_page as corrections
from tournaments.results import fixture_page as fixtures
from tournaments.standings import api as api_brackets
from tournaments.standings import views as standings

SLUG = "[a-z0-9_-]+"
EVENT = rf"^events/(?P<club>{SLUG})/(?P<slug>{SLUG})/"
ID = "[2-9a-z]{10}"
DIVISION = rf"{EVENT}(?P<division>{ID})/"
ENTRY = rf"{EVENT}entries/(?P<entry>{ID})/"
OWNER = r"^owner-link/(?P<owner_token>[\w-]{43})/"
HELPING = r"^helping/(?P<secret>[\w-]{20,64})/"
FIXTURE = rf"{EVENT}fixtures/(?P<fixture>{ID})/"
SERIES = rf"^clubs/(?P<slug>[a-z0-9-]+)/seasons/(?P<series>{SLUG})/"
SHARE = r"^share/(?P<version>[0-9a-f]{10})/"
EVENT_SHARE = rf"{SHARE}events/(?P<club>{SLUG})/(?P<slug>{SLUG})"

urlpatterns: list[URLPattern] = [
    re_path(r"^clubs/(?P<slug>[a-z0-9-]+)/$", club_pages.club, name="club"),
    re_path(r"^clubs/(?P<slug>[a-z0-9-]+)/calendar\.ics$", club_pages.calendar, name="club-calendar"),
    re_path(r"^clubs/(?P<slug>[a-z0-9-]+)/commitments/$", commitments.commitments, name="commitments"),
    re_path(r"^clubs/(?P<slug>[a-z0-9-]+)/poster/$", paper.club_poster, name="club-poster"),
    re_path(r"^clubs/(?P<slug>[a-z0-9-]+)/past-seasons/$", past_page.past_seasons, name="past-seasons"),
    re_path(r"^clubs/(?P<slug>[a-z0-9-]+)/past-seasons/import/$", past_page.import_season, name="past-season-import"),
    re_path(
        r"^clubs/(?P<slug>[a-z0-9-]+)/past-matches/import/$", past_page.import_match_list, name="past-matches-import"
    ),
    re_path(
        rf"^clubs/(?P<slug>[a-z0-9-]+)/past-matches/(?P<public_id>{ID})/undo/$",
        match_imports_page.undo_match_import,
        name="past-matches-undo",
    ),
    re_path(
        rf"^clubs/(?P<slug>[a-z0-9-]+)/past-seasons/(?P<public_id>{ID})/$", past_page.past_season, name="past-season"
    ),
    re_path(
        rf"^clubs/(?P<slug>[a-z0-9-]+)/past-seasons/(?P<public_id>{ID})/undo/$",
        past_page.undo_season,
        name="past-season-undo",
    ),
    re_path(
        rf"^clubs/(?P<slug>[a-z0-9-]+)/past-seasons/(?P<public_id>{ID})/count/$",
        past_page.count_season,
        name="past-season-count",
    ),
    re_path(
        rf"^clubs/(?P<slug>[a-z0-9-]+)/past-seasons/(?P<public_id>{ID})/leave-out/$",
        past_page.leave_out_season,
        name="past-season-leave-out",
    ),
    re_path(r"^clubs/(?P<slug>[a-z0-9-]+)/venue/$", clubs.venue, name="venue"),
    re_path(r"^clubs/(?P<slug>[a-z0-9-]+)/tonight/$", tonight.tonight, name="tonight"),
    re_path(r"^clubs/(?P<slug>[a-z0-9-]+)/tonight/show/$", tonight.show, name="tonight-show"),
    re_path(r"^clubs/(?P<slug>[a-z0-9-]+)/hall-of-fame/$", titles_page.hall_of_fame, name="hall-of-fame"),
    re_path(r"^clubs/(?P<slug>[a-z0-9-]+)/titles/award/$", titles_page.award.view, name="title-award"),
    re_path(
        rf"^clubs/(?P<slug>[a-z0-9-]+)/titles/(?P<title>{ID})/withdraw/$",
        titles_page.withdraw.view,
        name="title-withdraw",
    ),
    re_path(r"^clubs/(?P<slug>[a-z0-9-]+)/seasons/$", series_pages.series_list, name="series-list"),
    re_path(r"^clubs/(?P<slug>[a-z0-9-]+)/seasons/new/$", series_pages.series_new, name="series-new"),
    re_path(r"^clubs/(?P<slug>[a-z0-9-]+)/seasons/create/$", series_actions.create.view, name="series-create"),
    re_path(rf"{SERIES}$", series_pages.series_page, name="series"),
    re_path(rf"{SERIES}share/$", sharing.share_season, name="series-share"),
    re_path(rf"{SERIES}embed/$", walls.season, name="embed-series"),
    re_path(rf"{SERIES}edit/$", series_pages.series_edit, name="series-edit"),
    re_path(rf"{SERIES}table\.(?P<extension>csv|json)$", series_pages.series_file, name="series-file"),
    *(
        re_path(rf"{SERIES}{act.name}/$", act.view, name=f"series-{act.name}")
        for act in (*series_actions.ACTIONS, *finals.ACTIONS)
    ),
    re_path(rf"{SHARE}clubs/(?P<slug>[a-z0-9-]+)\.png$", share_picture, {"kind": "club"}, name="club-card"),
    re_path(
        rf"{SHARE}clubs/(?P<slug>[a-z0-9-]+)/seasons/(?P<series>{SLUG})\.png$",
        share_picture,
        {"kind": "series"},
        name="series-card",
    ),
    re_path(rf"{EVENT_SHARE}\.png$", share_picture, {"kind": "event"}, name="event-card"),
    re_path(rf"{EVENT_SHARE}/(?P<division>{ID})\.png$", share_picture, {"kind": "division"}, name="division-card"),
    re_path(rf"{SHARE}matches/(?P<public_id>{ID})\.png$", share_picture, {"kind": "match"}, name="match-card"),
    re_path(rf"{SHARE}replays/(?P<public_id>{ID})\.png$", share_picture, {"kind": "replay"}, name="replay-card"),
    re_path(rf"{SHARE}players/(?P<public_id>{ID})\.png$", share_picture, {"kind": "player"}, name="player-card"),
    path("waiting-clubs/", acceptance.waiting, name="waiting-clubs"),
    re_path(rf"{OWNER}$", by_personal_link(owner.choice), name="owner-link"),
    re_path(rf"{OWNER}club/$", by_personal_link(owner.own_club), name="owner-club"),
    path("events/", clubs.event_list, name="events"),
    # No club has the slug “new”.
    re_path(rf"^events/new/(?P<club>{SLUG})/$", clubs.create, name="event-create"),
    re_path(rf"{EVENT}$", clubs.event, name="event"),
    re_path(rf"{EVENT}edit/$", clubs.edit, name="event-edit"),
    re_path(rf"{EVENT}publish/$", clubs.publish, name="event-publish"),
    re_path(rf"{EVENT}undo-start/$", tonight.undo.view, name="start-undo"),
    re_path(rf"{EVENT}cancel/$", clubs.cancel, name="event-cancel"),
    re_path(rf"{EVENT}helpers/$", clubs.helpers, name="helpers"),
    re_path(rf"{EVENT}helpers/add/$", clubs.add, name="helper-add"),
    re_path(rf"{EVENT}helpers/remove/$", clubs.remove, name="helper-remove"),
    re_path(rf"{HELPING}$", clubs.invitation, name="helping"),
    re_path(rf"{HELPING}accept/$", clubs.accept, name="helping-accept"),
    re_path(rf"{EVENT}leave/$", check_in.leave, name="event-leave"),
    re_path(rf"{EVENT}check-in/$", check_in.check_in_page, name="check-in"),
    re_path(rf"{EVENT}check-in/mark/$", check_in.mark, name="check-in-mark"),
    re_path(rf"{EVENT}check-in/all/$", check_in.mark_all, name="check-in-all"),
    re_path(rf"{EVENT}check-in/arrive/$", check_in.arrive, name="check-in-arrive"),
    re_path(rf"{EVENT}check-in/undo/$", check_in.undo, name="check-in-undo"),
    re_path(rf"{EVENT}check-in/poster/$", paper.poster, name="check-in-poster"),
    re_path(rf"{EVENT}check-in/kiosks/$", kiosks.kiosks, name="kiosks"),
    re_path(rf"{EVENT}check-in/kiosks/add/$", kiosks.add, name="kiosk-add"),
    re_path(rf"{EVENT}check-in/kiosks/revoke/$", kiosks.revoke, name="kiosk-revoke"),
    path("kiosk/", kiosks.device, name="kiosk"),
    path("kiosk/check-in/", kiosks.check_in_at_kiosk, name="kiosk-check-in"),
    path("kiosk/undo/", kiosks.undo, name="kiosk-undo"),
    re_path(rf"^kiosk/pair/(?P<pairing_token>{ID}\.[\w-]{{43}})/$", kiosks.pair_device, name="kiosk-pair"),
    re_path(rf"{EVENT}arrive/$", check_in.own, name="arrive"),
    re_path(rf"{EVENT}arrive/mark/$", check_in.mark_own, name="arrive-mark"),
    re_path(rf"{EVENT}arrive/revoke-link/$", event_links.revoke_own, name="arrive-revoke-link"),
    re_path(rf"^e/{TOKEN}/$", event_links.event_link, name="event-link"),
    re_path(rf"^e/{TOKEN}/check-in/$", by_personal_link(event_links.check_in), name="event-link-check-in"),
    re_path(rf"{EVENT}next-season/$", api_seasons.next_season_page, name="next-season"),
    re_path(rf"{EVENT}copy/$", api_seasons.copy, name="event-copy"),
    re_path(rf"{EVENT}new-division/$", divisions.create, name="division-create"),
    re_path(rf"{EVENT}console/$", console.console, name="console"),
    re_path(rf"{EVENT}console/quick/$", console.quick, name="console-quick"),
    re_path(rf"{EVENT}console/confirm-all/$", console.confirm_all, name="console-confirm-all"),
    re_path(rf"{EVENT}console/close/$", console.close, name="console-close"),
    re_path(rf"{EVENT}console/log/$", console.log, name="event-log"),
    re_path(rf"{EVENT}floor/$", floor_views.floor, name="floor"),
    re_path(rf"{EVENT}floor/forecast/$", floor_views.forecast, name="floor-forecast"),
    re_path(rf"{EVENT}floor/settings/$", floor_views.settings, name="floor-settings"),
    re_path(rf"{EVENT}floor/line/$", floor_views.line, name="floor-line"),
    re_path(rf"{EVENT}floor/preview/$", floor_views.preview, name="floor-preview"),
    re_path(rf"{EVENT}floor/pair/$", floor_views.chosen_pair, name="floor-chosen-pair"),
    re_path(rf"{EVENT}floor/do/(?P<action>{'|'.join(FLOOR_ACTIONS)})/$", floor_views.act, name="floor-action"),
    re_path(rf"{EVENT}floor/close/$", floor_views.close, name="floor-close"),
    re_path(rf"{EVENT}floor/matches/(?P<fixture>{ID})/$", floor_views.match, name="floor-match"),
    re_path(rf"{EVENT}floor/tables/(?P<table>{ID})/$", floor_views.table, name="floor-table"),
    re_path(rf"{EVENT}status/$", console.status, name="event-status"),
    re_path(rf"{EVENT}paper/$", paper.paper, name="paper"),
    re_path(rf"{EVENT}paper/score-sheets/$", paper.sheets, name="paper-sheets"),
    re_path(rf"{EVENT}paper/draws/$", paper.draws, name="paper-draws"),
    re_path(rf"{EVENT}calendar\.ics$", clubs.calendar, name="event-calendar"),
    re_path(rf"{EVENT}report/$", api_summary.summary, name="event-report"),
    re_path(rf"{EVENT}analysis\.csv$", api_summary.analysis_csv, name="event-analysis-file"),
    re_path(rf"{EVENT}prizes/$", plans.prizes, name="prizes"),
    re_path(rf"{EVENT}cash/$", cash.cash, name="cash"),
    re_path(rf"{EVENT}cash\.csv$", cash.cash_file, name="cash-file"),
    *(re_path(rf"{EVENT}cash/{act.name}/$", act.view, name=f"cash-{act.name}") for act in cash.ACTIONS),
    re_path(rf"{EVENT}paper/snapshot/$", paper.snapshot_page, name="paper-snapshot"),
    re_path(rf"{EVENT}paper/cash/$", paper.cash, name="paper-cash"),
    re_path(rf"{EVENT}paper/personal-links/$", paper.personal_links, name="paper-personal-links"),
    re_path(rf"{EVENT}paper/tables/$", paper.cards, name="paper-cards"),
    re_path(rf"{EVENT}paper/(?P<kind>{'|'.join(LISTS)})/$", paper.lists, name="paper-lists"),
    re_path(rf"{EVENT}tables/$", paper.table_now, name="table-now"),
    re_path(rf"{EVENT}wall/$", walls.event_wall, name="event-wall"),
    re_path(rf"{EVENT}wall/settings/$", walls.wall_settings, name="wall-settings"),
    re_path(rf"{EVENT}share/$", sharing.share, name="event-share"),
    re_path(rf"{EVENT}embed/calls/$", walls.calls, name="embed-calls"),
    re_path(rf"{DIVISION}embed/bracket/$", walls.bracket, name="embed-bracket"),
    re_path(rf"{DIVISION}embed/standings/$", walls.standings, name="embed-standings"),
    re_path(rf"{EVENT}tv/$", walls.event_tv, name="event-tv"),
    re_path(rf"{DIVISION}$", divisions.division, name="division"),
    re_path(rf"{DIVISION}standings/$", standings.standings, name="standings"),
    re_path(rf"{DIVISION}standings/(?P<entry>[2-9a-z]{{10}})/$", standings.standing, name="standing"),
    re_path(rf"{DIVISION}standings\.(?P<extension>csv|json)$", standings.standings_file, name="standings-file"),
    re_path(rf"{DIVISION}pairings/$", standings.pairings, name="pairings"),
    re_path(rf"{DIVISION}pairings/(?P<number>[0-9]{{1,9}})/$", standings.pairing, name="pairing"),
    re_path(rf"{DIVISION}pairings\.(?P<extension>csv|json)$", standings.pairings_file, name="pairings-file"),
    re_path(rf"{DIVISION}register/$", divisions.register, name="division-register"),
    re_path(rf"{DIVISION}withdraw/$", divisions.withdraw, name="division-withdraw"),
    re_path(rf"{DIVISION}settings/$", commitments.settings, name="division-settings"),
    re_path(rf"{DIVISION}prizes/$", plans.prize_plan, name="prize-plan"),
    re_path(rf"{DIVISION}prizes/pool/$", plans.pool, name="pool-create"),
    re_path(rf"{DIVISION}prizes/split/$", plans.split, name="prize-split"),
    re_path(rf"{DIVISION}format/$", commitments.designer, name="design"),
    re_path(rf"{DIVISION}format/show/$", commitments.preview, name="design-show"),
    re_path(rf"{DIVISION}entries/$", check_in.entries_of_division, name="entries"),
    re_path(rf"{DIVISION}entries/add/$", check_in.add, name="entries-add"),
    re_path(rf"{DIVISION}entries/paste/$", check_in.paste, name="entries-paste"),
    re_path(rf"{DIVISION}entries/enter/$", check_in.enter_list, name="entries-enter"),
    re_path(rf"{DIVISION}draw/$", commitments.draw, name="draw"),
    re_path(rf"{DIVISION}draw/request/$", draws.request_draw.view, name="draw-request"),
    re_path(rf"{DIVISION}draw/publish/$", draws.publish_draw.view, name="draw-publish"),
    re_path(rf"{DIVISION}draw/take-back/$", draws.undo_draw.view, name="draw-take-back"),
    re_path(rf"{DIVISION}keep-apart/$", draws.keep_apart.view, name="keep-apart"),
    re_path(rf"{DIVISION}rounds/$", commitments.rounds, name="rounds"),
    re_path(rf"{DIVISION}rounds/pair/$", draws.pair.view, name="rounds-pair"),
    re_path(rf"{DIVISION}rounds/publish/$", draws.publish_round.view, name="rounds-publish"),
    re_path(rf"{DIVISION}rounds/stop/$", draws.stop.view, name="countdown-stop"),
    re_path(rf"{DIVISION}rounds/take-back/$", draws.undo_round.view, name="round-take-back"),
    re_path(rf"{DIVISION}rounds/change/$", draws.change.view, name="rounds-change"),
    re_path(rf"{DIVISION}rounds/bye/$", draws.bye.view, name="rounds-bye"),
    re_path(rf"{ENTRY}link/$", event_links.hand_out, name="entry-link"),
    re_path(rf"{ENTRY}link/revoke/$", event_links.revoke, name="entry-revoke-link"),
    re_path(rf"{ENTRY}withdraw/$", check_in.withdraw, name="entry-withdraw"),
    re_path(rf"{ENTRY}back-in/$", check_in.back_in, name="entry-return"),
    re_path(rf"{ENTRY}substitute/$", substitutions.substitute_page, name="entry-substitute"),
    re_path(rf"{ENTRY}substitute/undo/$", substitutions.undo, name="entry-substitute-undo"),
    re_path(rf"{ENTRY}undo-late/$", check_in.undo_late_entry, name="entry-undo-late"),
    re_path(rf"{ENTRY}re-enter/$", check_in.re_enter, name="entry-re-enter"),
    re_path(rf"{FIXTURE}$", fixtures.fixture, name="fixture"),
    *(re_path(rf"{FIXTURE}{act.name}/$", act.view, name=f"fixture-{act.name}") for act in decisions.ACTIONS),
    re_path(rf"{FIXTURE}correct/$", corrections.correct, name="fixture-correct"),
    re_path(rf"^matches/(?P<match>{ID})/correct/$", corrections.correct_match, name="match-correct"),
    re_path(rf"{FIXTURE}correct/undo/(?P<correction>{ID})/$", corrections.undo, name="fixture-correct-undo"),
    re_path(rf"{EVENT}corrections/$", corrections.corrections, name="corrections"),
]

API = "^api/v1/"
A_TOURNAMENT = rf"{API}tournaments/(?P<tournament>{ID})/"
A_DIVISION = rf"{API}divisions/(?P<division>{ID})/"
A_POOL = rf"{A_DIVISION}pools/(?P<pool>{ID})/"
AN_ENTRY = rf"{API}entries/(?P<entry>{ID})/"
A_SERIES = rf"{API}seasons/(?P<series>{ID})/"
A_FIXTURE = rf"{API}fixtures/(?P<fixture>{ID})/"
A_CORRECTION = rf"{API}corrections/(?P<correction>{ID})/"

urlpatterns += [
    re_path(
        rf"{API}clubs/(?P<slug>[a-z0-9-]+)/commitments/$",
        api_commitments.Commitments.as_view(),
        name="api-commitments",
    ),
    re_path(
        rf"{API}clubs/(?P<slug>[a-z0-9-]+)/past-seasons/$", past_page.PastSeasons.as_view(), name="api-past-seasons"
    ),
    re_path(
        rf"{API}clubs/(?P<slug>[a-z0-9-]+)/past-matches/$",
        match_imports_page.PastMatches.as_view(),
        name="api-past-matches",
    ),
    re_path(
        rf"{API}clubs/(?P<slug>[a-z0-9-]+)/past-matches/(?P<public_id>{ID})/undo/$",
        match_imports_page.UndoPastMatches.as_view(),
        name="api-past-matches-undo",
    ),
    re_path(
        rf"{API}clubs/(?P<slug>[a-z0-9-]+)/past-seasons/(?P<public_id>{ID})/$",
        past_page.OnePastSeason.as_view(),
        name="api-past-season",
    ),
    re_path(
        rf"{API}clubs/(?P<slug>[a-z0-9-]+)/past-seasons/(?P<public_id>{ID})/undo/$",
        past_page.UndoPastSeason.as_view(),
        name="api-past-season-undo",
    ),
    re_path(
        rf"{API}clubs/(?P<slug>[a-z0-9-]+)/past-seasons/(?P<public_id>{ID})/count/$",
        past_page.CountPastSeason.as_view(),
        name="api-past-season-count",
    ),
    re_path(
        rf"{API}clubs/(?P<slug>[a-z0-9-]+)/past-seasons/(?P<public_id>{ID})/leave-out/$",
        past_page.LeaveOutPastSeason.as_view(),
        name="api-past-season-leave-out",
    ),
    re_path(rf"{API}clubs/(?P<slug>[a-z0-9-]+)/tonight/$", tonight.Tonight.as_view(), name="api-tonight"),
    re_path(rf"{API}clubs/(?P<slug>[a-z0-9-]+)/records/$", titles_page.ClubRecords.as_view(), name="api-records"),
    re_path(rf"{API}clubs/(?P<slug>[a-z0-9-]+)/honours/$", titles_page.ClubHonours.as_view(), name="api-honours"),
    re_path(rf"{API}clubs/(?P<slug>[a-z0-9-]+)/titles/$", titles_page.Titles.as_view(), name="api-titles"),
    re_path(
        rf"{API}clubs/(?P<slug>[a-z0-9-]+)/titles/proposed/$",
        titles_page.ProposedTitles.as_view(),
        name="api-titles-proposed",
    ),
    re_path(rf"{API}clubs/(?P<slug>[a-z0-9-]+)/titles/award/$", titles_page.award.endpoint, name="api-title-award"),
    re_path(rf"{API}titles/(?P<title>{ID})/withdraw/$", titles_page.withdraw.endpoint, name="api-title-withdraw"),
    re_path(rf"{API}clubs/(?P<slug>[a-z0-9-]+)/seasons/$", api_series.Seasons.as_view(), name="api-series-list"),
    re_path(
        rf"{API}clubs/(?P<slug>[a-z0-9-]+)/seasons/create/$", series_actions.create.endpoint, name="api-series-create"
    ),
    re_path(rf"{A_SERIES}$", api_series.OneSeason.as_view(), name="api-series"),
    re_path(rf"{A_SERIES}race/$", api_series.SeasonRace.as_view(), name="api-series-race"),
    re_path(rf"{A_SERIES}race/(?P<player>{ID})/$", api_series.PlayerRace.as_view(), name="api-series-race-player"),
    *(
        re_path(rf"{A_SERIES}{act.path}/$", act.endpoint, name=f"api-series-{act.path}")
        for act in (*series_actions.ACTIONS, *finals.ACTIONS)
    ),
    path("api/v1/tournaments/", api_divisions.Events.as_view(), name="api-tournaments"),
    re_path(rf"{A_TOURNAMENT}$", api_divisions.OneEvent.as_view(), name="api-tournament"),
    re_path(rf"{A_TOURNAMENT}publish/$", api_divisions.Publish.as_view(), name="api-tournament-publish"),
    re_path(rf"{A_TOURNAMENT}start/undo/$", tonight.undo.endpoint, name="api-start-undo"),
    re_path(rf"{A_TOURNAMENT}cancel/$", api_divisions.Cancel.as_view(), name="api-tournament-cancel"),
    re_path(rf"{A_TOURNAMENT}helpers/$", api_divisions.Helpers.as_view(), name="api-helpers"),
    re_path(rf"{A_TOURNAMENT}helpers/(?P<helper>{ID})/$", api_divisions.OneHelper.as_view(), name="api-helper"),
    re_path(rf"{A_TOURNAMENT}leave/$", api_entries.Leave.as_view(), name="api-tournament-leave"),
    re_path(rf"{A_TOURNAMENT}next-season/$", api_seasons.NextSeason.as_view(), name="api-next-season"),
    re_path(rf"{A_TOURNAMENT}analysis/$", api_summary.EventAnalysis.as_view(), name="api-tournament-analysis"),
    re_path(rf"{A_TOURNAMENT}report/$", api_summary.Summary.as_view(), name="api-report"),
    re_path(rf"{A_TOURNAMENT}prizes/$", api_cash.PublishedPrizes.as_view(), name="api-prizes"),
    re_path(rf"{A_TOURNAMENT}cash/$", api_cash.Cash.as_view(), name="api-cash"),
    re_path(rf"{A_TOURNAMENT}cash/payments/$", api_cash.Payments.as_view(), name="api-cash-payments"),
    re_path(
        rf"{A_TOURNAMENT}cash/payments/(?P<payment>{ID})/take-back/$",
        api_cash.TakeBackPayment.as_view(),
        name="api-cash-take-back",
    ),
    *(
        re_path(rf"{A_TOURNAMENT}cash/{act.path}/$", act.endpoint, name=f"api-cash-{act.path}")
        for act in cash.ACTIONS
        if act.api is not None
    ),
    re_path(rf"{A_TOURNAMENT}log/$", api_divisions.Log.as_view(), name="api-tournament-log"),
    re_path(rf"{A_TOURNAMENT}line/$", api_corrections.OneLine.as_view(), name="api-tournament-line"),
    re_path(rf"{A_TOURNAMENT}reports/$", api_corrections.Reports.as_view(), name="api-tournament-reports"),
    re_path(rf"{A_TOURNAMENT}floor/$", api_floor.FloorOfEvent.as_view(), name="api-tournament-floor"),
    re_path(rf"{A_TOURNAMENT}floor/close/$", api_floor.CloseMatches.as_view(), name="api-tournament-floor-close"),
    *(
        re_path(rf"{A_TOURNAMENT}floor/{name}/$", FLOOR_ACTIONS[name].endpoint, name=f"api-tournament-floor-{name}")
        for name in ("pair-now", "pair-by-hand", "hold-pairing", "flow", "take-back-missed")
    ),
    re_path(rf"{A_TOURNAMENT}floor/undo/$", FLOOR_ACTIONS["undo"].endpoint, name="api-tournament-floor-undo"),
    re_path(rf"{A_TOURNAMENT}lines/$", api_floor.Lines.as_view(), name="api-tournament-lines"),
    re_path(rf"{A_TOURNAMENT}divisions/$", api_divisions.Divisions.as_view(), name="api-divisions"),
    re_path(rf"{A_DIVISION}$", api_divisions.OneDivision.as_view(), name="api-division"),
    re_path(rf"{A_DIVISION}prizes/$", api_cash.PrizePlans.as_view(), name="api-prize-plans"),
    re_path(rf"{A_DIVISION}splits/$", api_cash.Splits.as_view(), name="api-splits"),
    re_path(rf"{A_DIVISION}splits/(?P<split>{ID})/$", api_cash.OneSplit.as_view(), name="api-split"),
    re_path(rf"{A_DIVISION}pools/$", api_cash.SidePools.as_view(), name="api-side-pools"),
    re_path(rf"{A_POOL}members/$", api_cash.PoolMembers.as_view(), name="api-side-pool-members"),
    re_path(rf"{A_POOL}members/(?P<entry>{ID})/$", api_cash.OnePoolMember.as_view(), name="api-side-pool-member"),
    re_path(rf"{A_DIVISION}deadlines/$", api_divisions.Deadlines.as_view(), name="api-deadlines"),
    re_path(rf"{A_DIVISION}stages/$", api_stages.Stages.as_view(), name="api-stages"),
    re_path(rf"{A_DIVISION}outline/$", api_stages.OutlineView.as_view(), name="api-outline"),
    re_path(rf"{A_DIVISION}entries/$", api_entries.Entries.as_view(), name="api-entries"),
    re_path(rf"{A_DIVISION}entries/paste/$", api_entries.Paste.as_view(), name="api-entries-paste"),
    re_path(rf"{A_DIVISION}register/$", api_entries.Register.as_view(), name="api-register"),
    re_path(rf"{A_DIVISION}batches/$", api_commitments.Batches.as_view(), name="api-batches"),
    re_path(rf"{A_DIVISION}draws/$", api_commitments.Draws.as_view(), name="api-draws"),
    re_path(rf"{A_DIVISION}draws/publish/$", draws.publish_draw.endpoint, name="api-draw-publish"),
    re_path(rf"{A_DIVISION}draws/stop-countdown/$", draws.stop.endpoint, name="api-countdown-stop"),
    re_path(rf"{A_DIVISION}draws/take-back/$", draws.undo_draw.endpoint, name="api-draw-take-back"),
    re_path(rf"{A_DIVISION}draws/(?P<number>[0-9]{{1,4}})/$", api_commitments.OneDraw.as_view(), name="api-draw"),
    re_path(rf"{A_DIVISION}kept-apart/$", api_commitments.AllApart.as_view(), name="api-kept-apart"),
    re_path(rf"{A_DIVISION}kept-apart/take-back/$", api_commitments.LetMeet.as_view(), name="api-let-meet"),
    re_path(rf"{A_DIVISION}rounds/$", api_commitments.AllRounds.as_view(), name="api-rounds"),
    re_path(rf"{A_DIVISION}rounds/take-back/$", draws.undo_round.endpoint, name="api-round-take-back"),
    re_path(rf"{A_DIVISION}rounds/change/$", draws.change.endpoint, name="api-rounds-change"),
    re_path(rf"{A_DIVISION}rounds/byes/$", api_commitments.AskBye.as_view(), name="api-rounds-bye"),
    re_path(
        rf"{A_DIVISION}rounds/byes/take-back/$", api_commitments.TakeBackBye.as_view(), name="api-rounds-take-back"
    ),
    re_path(rf"{A_DIVISION}bracket/$", api_brackets.BracketView.as_view(), name="api-bracket"),
    re_path(rf"{A_DIVISION}fixtures/$", api_brackets.Fixtures.as_view(), name="api-fixtures"),
    re_path(rf"{A_DIVISION}standings/$", api_brackets.Standings.as_view(), name="api-standings"),
    re_path(rf"{A_DIVISION}pairings/$", api_brackets.Pairings.as_view(), name="api-pairings"),
    re_path(rf"{AN_ENTRY}$", api_entries.OneEntry.as_view(), name="api-entry"),
    re_path(rf"{AN_ENTRY}withdraw/$", api_entries.Withdraw.as_view(), name="api-entry-withdraw"),
    re_path(rf"{AN_ENTRY}undo-late/$", api_entries.UndoLateView.as_view(), name="api-entry-undo-late"),
    re_path(rf"{AN_ENTRY}re-enter/$", api_entries.ReentryView.as_view(), name="api-entry-re-enter"),
    re_path(rf"{AN_ENTRY}return/$", api_entries.ReturnView.as_view(), name="api-entry-return"),
    re_path(rf"{AN_ENTRY}link/$", api_entries.EventLinkView.as_view(), name="api-entry-link"),
    re_path(rf"{AN_ENTRY}check-in/$", api_entries.CheckIn.as_view(), name="api-entry-check-in"),
    re_path(rf"{A_FIXTURE}$", api_corrections.OneFixture.as_view(), name="api-fixture"),
    *(re_path(rf"{A_FIXTURE}{act.path}/$", act.endpoint, name=f"api-fixture-{act.path}") for act in decisions.ACTIONS),
    *(
        re_path(rf"{A_FIXTURE}{name}/$", FLOOR_ACTIONS[name].endpoint, name=f"api-fixture-{name}")
        for name in ("take-back-pairing", "waive-lead", "stop-match", "ask-over")
    ),
    re_path(rf"{A_FIXTURE}shorten/$", FLOOR_ACTIONS["shorten-match"].endpoint, name="api-fixture-shorten"),
    re_path(
        rf"{A_FIXTURE}shorten/undo/$", FLOOR_ACTIONS["take-back-length"].endpoint, name="api-fixture-take-back-length"
    ),
    re_path(
        rf"{A_FIXTURE}propose-length/$", FLOOR_ACTIONS["propose-length"].endpoint, name="api-fixture-propose-length"
    ),
    re_path(
        rf"{A_FIXTURE}withdraw-length/$", FLOOR_ACTIONS["withdraw-length"].endpoint, name="api-fixture-withdraw-length"
    ),
    re_path(rf"{A_FIXTURE}corrections/$", api_corrections.Corrections.as_view(), name="api-fixture-corrections"),
    re_path(
        rf"{A_FIXTURE}corrections/preview/$",
        api_corrections.PreviewCorrection.as_view(),
        name="api-fixture-corrections-preview",
    ),
    re_path(rf"{A_CORRECTION}$", api_corrections.OneCorrection.as_view(), name="api-correction"),
    re_path(rf"{A_CORRECTION}undo/$", api_corrections.Undo.as_view(), name="api-correction-undo"),
    re_path(
        rf"{A_CORRECTION}undo/preview/$", api_corrections.PreviewUndo.as_view(), name="api-correction-undo-preview"
    ),
]
