"""URLs of events, their divisions, entries and matches as directors see them."""

from django.urls import URLPattern, path, re_path

import clubhouse.console
import clubhouse.copies
import clubhouse.divisions
import clubhouse.letters.coming
import clubhouse.letters.page
import clubhouse.summary
import clubhouse.tonight
import display.paper.lists
import display.paper.page
import display.sharing.page.picture
import display.sharing.page.share
import display.wall
import prizes.page.cash
import prizes.page.prizes
import tournaments.draws.actions
import tournaments.draws.page
import tournaments.entries.event_links
import tournaments.entries.kiosks
import tournaments.entries.page
import tournaments.entries.substitutions
import tournaments.events.page
import tournaments.floor.kept.actions
import tournaments.floor.kept.page
import tournaments.floor.page.actions
import tournaments.floor.page.floor
import tournaments.offers.actions
import tournaments.offers.page
import tournaments.results.actions
import tournaments.results.page.corrections
import tournaments.results.page.fixture
import tournaments.standings.page
from config.urls.patterns import CLUB_SLUG, ID, ROW, SHARE, SLUG
from core.links import by_personal_link
from tournaments.entries.event_links import TOKEN

EVENT = rf"^events/(?P<club>{CLUB_SLUG})/(?P<slug>{SLUG})/"
HELPING = r"^helping/(?P<secret>[\w-]{20,64})/"
EVENT_LINK = rf"^e/{TOKEN}/"
LETTER = rf"^my/letters/(?P<tournament>{ID})/"
OFFER = rf"{EVENT}check-in/jackpots/(?P<offer>{ID})/"
DIVISION = rf"{EVENT}(?P<division>{ID})/"
ENTRY = rf"{EVENT}entries/(?P<entry>{ID})/"
FIXTURE = rf"{EVENT}fixtures/(?P<fixture>{ID})/"

# fmt: off
urlpatterns: list[URLPattern] = [
    re_path(rf"{SHARE}events/(?P<club>{CLUB_SLUG})/(?P<slug>{SLUG})\.png$", display.sharing.page.picture.share_picture, {"kind": "event"}, name="event-card"),
    re_path(rf"{SHARE}standings/(?P<club>{CLUB_SLUG})/(?P<slug>{SLUG})/(?P<division>{ID})\.png$", display.sharing.page.picture.share_picture, {"kind": "standing"}, name="standing-card"),
    re_path(rf"{SHARE}events/(?P<club>{CLUB_SLUG})/(?P<slug>{SLUG})/(?P<division>{ID})\.png$", display.sharing.page.picture.share_picture, {"kind": "division"}, name="division-card"),
    path("events/", tournaments.events.page.event_list, name="events"),
    # No club has the slug “new”.
    re_path(rf"^events/new/(?P<club>{CLUB_SLUG})/$", tournaments.events.page.create, name="event-create"),
    re_path(rf"{EVENT}$", tournaments.events.page.event, name="event"),
    re_path(rf"{EVENT}edit/$", tournaments.events.page.edit, name="event-edit"),
    re_path(rf"{EVENT}publish/$", tournaments.events.page.publish, name="event-publish"),
    re_path(rf"{EVENT}undo-start/$", clubhouse.tonight.undo.view, name="start-undo"),
    re_path(rf"{EVENT}cancel/$", tournaments.events.page.cancel, name="event-cancel"),
    re_path(rf"{EVENT}helpers/$", tournaments.events.page.helpers, name="helpers"),
    re_path(rf"{EVENT}helpers/add/$", tournaments.events.page.add, name="helper-add"),
    re_path(rf"{EVENT}helpers/remove/$", tournaments.events.page.remove, name="helper-remove"),
    re_path(rf"{HELPING}$", tournaments.events.page.invitation, name="helping"),
    re_path(rf"{HELPING}accept/$", tournaments.events.page.accept, name="helping-accept"),
    re_path(rf"{EVENT}check-in/$", tournaments.entries.page.check_in_page, name="check-in"),
    re_path(rf"{EVENT}check-in/mark/$", tournaments.entries.page.mark, name="check-in-mark"),
    re_path(rf"{EVENT}check-in/all/$", tournaments.entries.page.mark_all, name="check-in-all"),
    re_path(rf"{EVENT}check-in/arrive/$", tournaments.entries.page.arrive, name="check-in-arrive"),
    re_path(rf"{EVENT}check-in/jackpots/$", tournaments.offers.page.jackpots, name="jackpots"),
    re_path(rf"{EVENT}check-in/jackpots/add/$", tournaments.offers.actions.ADD.view, name="offer-add"),
    *(re_path(rf"{OFFER}{act.name}/$", act.view, name=f"offer-{act.name}") for act in tournaments.offers.actions.ACTIONS),
    re_path(rf"{EVENT}check-in/undo/$", tournaments.entries.page.undo, name="check-in-undo"),
    re_path(rf"{EVENT}check-in/poster/$", display.paper.page.poster, name="check-in-poster"),
    re_path(rf"{EVENT}check-in/kiosks/$", tournaments.entries.kiosks.kiosks, name="kiosks"),
    re_path(rf"{EVENT}check-in/kiosks/add/$", tournaments.entries.kiosks.add, name="kiosk-add"),
    re_path(rf"{EVENT}check-in/kiosks/revoke/$", tournaments.entries.kiosks.revoke, name="kiosk-revoke"),
    path("kiosk/", tournaments.entries.kiosks.device, name="kiosk"),
    path("kiosk/check-in/", tournaments.entries.kiosks.check_in_at_kiosk, name="kiosk-check-in"),
    path("kiosk/undo/", tournaments.entries.kiosks.undo, name="kiosk-undo"),
    re_path(rf"^kiosk/pair/(?P<pairing_token>{ID}\.[\w-]{{43}})/$", tournaments.entries.kiosks.pair_device, name="kiosk-pair"),
    re_path(rf"{EVENT}arrive/$", tournaments.entries.page.own, name="arrive"),
    re_path(rf"{EVENT}arrive/mark/$", tournaments.entries.page.mark_own, name="arrive-mark"),
    re_path(rf"{EVENT}arrive/revoke-link/$", tournaments.entries.event_links.revoke_own, name="arrive-revoke-link"),
    re_path(rf"{EVENT_LINK}$", tournaments.entries.event_links.event_link, name="event-link"),
    re_path(rf"^coming/{clubhouse.letters.coming.TOKEN}/$", by_personal_link(clubhouse.letters.coming.coming), name="coming"),
    re_path(rf"{EVENT_LINK}check-in/$", by_personal_link(tournaments.entries.event_links.check_in), name="event-link-check-in"),
    re_path(rf"{EVENT_LINK}letter/$", clubhouse.letters.page.letter_by_link, name="event-link-letter"),
    re_path(rf"{LETTER}$", clubhouse.letters.page.letter, name="letter"),
    re_path(rf"{LETTER}put-away/$", clubhouse.letters.page.put_away, name="letter-put-away"),
    re_path(rf"{EVENT}next-season/$", clubhouse.copies.next_season_page, name="next-season"),
    re_path(rf"{EVENT}copy/$", clubhouse.copies.copy, name="event-copy"),
    re_path(rf"{EVENT}new-division/$", clubhouse.divisions.create, name="division-create"),
    re_path(rf"{EVENT}console/$", clubhouse.console.console, name="console"),
    re_path(rf"{EVENT}console/quick/$", clubhouse.console.quick, name="console-quick"),
    re_path(rf"{EVENT}console/confirm-all/$", clubhouse.console.confirm_all, name="console-confirm-all"),
    re_path(rf"{EVENT}console/close/$", clubhouse.console.close, name="console-close"),
    re_path(rf"{EVENT}console/log/$", clubhouse.console.log, name="event-log"),
    re_path(rf"{EVENT}floor/$", tournaments.floor.page.floor.floor, name="floor"),
    re_path(rf"{EVENT}floor/desk/$", tournaments.floor.page.floor.desk, name="floor-desk"),
    re_path(rf"{EVENT}floor/forecast/$", tournaments.floor.page.floor.forecast, name="floor-forecast"),
    re_path(rf"{EVENT}floor/settings/$", tournaments.floor.page.floor.settings, name="floor-settings"),
    re_path(rf"{EVENT}floor/line/$", tournaments.floor.page.floor.line, name="floor-line"),
    re_path(rf"{EVENT}floor/preview/$", tournaments.floor.page.floor.preview, name="floor-preview"),
    re_path(rf"{EVENT}floor/pair/$", tournaments.floor.page.floor.chosen_pair, name="floor-chosen-pair"),
    re_path(rf"{EVENT}floor/do/(?P<action>{'|'.join(tournaments.floor.page.actions.ACTIONS)})/$", tournaments.floor.page.floor.act, name="floor-action"),
    re_path(rf"{EVENT}floor/close/$", tournaments.floor.page.floor.close, name="floor-close"),
    re_path(rf"{EVENT}floor/matches/(?P<fixture>{ID})/$", tournaments.floor.page.floor.match, name="floor-match"),
    re_path(rf"{EVENT}floor/tables/(?P<table>{ID})/$", tournaments.floor.page.floor.table, name="floor-table"),
    re_path(rf"{EVENT}kept/(?P<kept>{ROW})/$", tournaments.floor.kept.page.kept, name="kept"),
    *(re_path(rf"{EVENT}kept/(?P<kept>{ROW})/{act.name}/$", act.view, name=f"kept-{act.name}") for act in tournaments.floor.kept.actions.ACTIONS.values()),
    re_path(rf"{EVENT}status/$", clubhouse.console.status, name="event-status"),
    re_path(rf"{EVENT}paper/$", display.paper.page.paper, name="paper"),
    re_path(rf"{EVENT}paper/score-sheets/$", display.paper.page.sheets, name="paper-sheets"),
    re_path(rf"{EVENT}paper/draws/$", display.paper.page.draws, name="paper-draws"),
    re_path(rf"{EVENT}calendar\.ics$", tournaments.events.page.calendar, name="event-calendar"),
    re_path(rf"{EVENT}report/$", clubhouse.summary.summary, name="event-report"),
    re_path(rf"{EVENT}analysis\.csv$", clubhouse.summary.analysis_csv, name="event-analysis-file"),
    re_path(rf"{EVENT}prizes/$", prizes.page.prizes.prizes, name="prizes"),
    re_path(rf"{EVENT}cash/$", prizes.page.cash.cash, name="cash"),
    re_path(rf"{EVENT}cash\.csv$", prizes.page.cash.cash_file, name="cash-file"),
    *(re_path(rf"{EVENT}cash/{act.name}/$", act.view, name=f"cash-{act.name}") for act in prizes.page.cash.ACTIONS),
    re_path(rf"{EVENT}paper/snapshot/$", display.paper.page.snapshot_page, name="paper-snapshot"),
    re_path(rf"{EVENT}paper/cash/$", display.paper.page.cash, name="paper-cash"),
    re_path(rf"{EVENT}paper/personal-links/$", display.paper.page.personal_links, name="paper-personal-links"),
    re_path(rf"{EVENT}paper/tables/$", display.paper.page.cards, name="paper-cards"),
    re_path(rf"{EVENT}paper/(?P<kind>{'|'.join(display.paper.lists.KINDS)})/$", display.paper.page.lists, name="paper-lists"),
    re_path(rf"{EVENT}tables/$", display.paper.page.table_now, name="table-now"),
    re_path(rf"{EVENT}wall/$", display.wall.event_wall, name="event-wall"),
    re_path(rf"{EVENT}wall/settings/$", display.wall.wall_settings, name="wall-settings"),
    re_path(rf"{EVENT}share/$", display.sharing.page.share.share, name="event-share"),
    re_path(rf"{EVENT}embed/calls/$", display.wall.calls, name="embed-calls"),
    re_path(rf"{DIVISION}embed/bracket/$", display.wall.bracket, name="embed-bracket"),
    re_path(rf"{DIVISION}embed/standings/$", display.wall.standings, name="embed-standings"),
    re_path(rf"{EVENT}tv/$", display.wall.event_tv, name="event-tv"),
    re_path(rf"{DIVISION}$", clubhouse.divisions.division, name="division"),
    re_path(rf"{DIVISION}standings/$", tournaments.standings.page.standings, name="standings"),
    re_path(rf"{DIVISION}standings/(?P<entry>{ID})/$", tournaments.standings.page.standing, name="standing"),
    re_path(rf"{DIVISION}standings\.(?P<extension>csv|json)$", tournaments.standings.page.standings_file, name="standings-file"),
    re_path(rf"{DIVISION}pairings/$", tournaments.standings.page.pairings, name="pairings"),
    re_path(rf"{DIVISION}pairings/(?P<number>[0-9]{{1,9}})/$", tournaments.standings.page.pairing, name="pairing"),
    re_path(rf"{DIVISION}pairings\.(?P<extension>csv|json)$", tournaments.standings.page.pairings_file, name="pairings-file"),
    re_path(rf"{DIVISION}register/$", clubhouse.divisions.register, name="division-register"),
    re_path(rf"{DIVISION}withdraw/$", clubhouse.divisions.withdraw, name="division-withdraw"),
    re_path(rf"{DIVISION}settings/$", tournaments.draws.page.settings, name="division-settings"),
    re_path(rf"{DIVISION}prizes/$", prizes.page.prizes.prize_plan, name="prize-plan"),
    re_path(rf"{DIVISION}prizes/pool/$", prizes.page.prizes.pool, name="pool-create"),
    re_path(rf"{DIVISION}prizes/split/$", prizes.page.prizes.split, name="prize-split"),
    re_path(rf"{DIVISION}format/$", tournaments.draws.page.designer, name="design"),
    re_path(rf"{DIVISION}format/show/$", tournaments.draws.page.preview, name="design-show"),
    re_path(rf"{DIVISION}entries/$", tournaments.entries.page.entries_of_division, name="entries"),
    re_path(rf"{DIVISION}entries/add/$", tournaments.entries.page.add, name="entries-add"),
    re_path(rf"{DIVISION}entries/paste/$", tournaments.entries.page.paste, name="entries-paste"),
    re_path(rf"{DIVISION}entries/enter/$", tournaments.entries.page.enter_list, name="entries-enter"),
    re_path(rf"{DIVISION}draw/$", tournaments.draws.page.draw, name="draw"),
    re_path(rf"{DIVISION}draw/request/$", tournaments.draws.actions.request_draw.view, name="draw-request"),
    re_path(rf"{DIVISION}draw/publish/$", tournaments.draws.actions.publish_draw.view, name="draw-publish"),
    re_path(rf"{DIVISION}draw/take-back/$", tournaments.draws.actions.undo_draw.view, name="draw-take-back"),
    re_path(rf"{DIVISION}keep-apart/$", tournaments.draws.actions.keep_apart.view, name="keep-apart"),
    re_path(rf"{DIVISION}rounds/$", tournaments.draws.page.rounds, name="rounds"),
    re_path(rf"{DIVISION}rounds/pair/$", tournaments.draws.actions.pair.view, name="rounds-pair"),
    re_path(rf"{DIVISION}rounds/publish/$", tournaments.draws.actions.publish_round.view, name="rounds-publish"),
    re_path(rf"{DIVISION}rounds/stop/$", tournaments.draws.actions.stop.view, name="countdown-stop"),
    re_path(rf"{DIVISION}rounds/take-back/$", tournaments.draws.actions.undo_round.view, name="round-take-back"),
    re_path(rf"{DIVISION}rounds/change/$", tournaments.draws.actions.change.view, name="rounds-change"),
    re_path(rf"{DIVISION}rounds/bye/$", tournaments.draws.actions.bye.view, name="rounds-bye"),
    re_path(rf"{ENTRY}link/$", tournaments.entries.event_links.hand_out, name="entry-link"),
    re_path(rf"{ENTRY}link/revoke/$", tournaments.entries.event_links.revoke, name="entry-revoke-link"),
    re_path(rf"{ENTRY}withdraw/$", tournaments.entries.page.withdraw, name="entry-withdraw"),
    re_path(rf"{ENTRY}back-in/$", tournaments.entries.page.back_in, name="entry-return"),
    re_path(rf"{ENTRY}substitute/$", tournaments.entries.substitutions.substitute_page, name="entry-substitute"),
    re_path(rf"{ENTRY}substitute/undo/$", tournaments.entries.substitutions.undo, name="entry-substitute-undo"),
    re_path(rf"{ENTRY}undo-late/$", tournaments.entries.page.undo_late_entry, name="entry-undo-late"),
    *(re_path(rf"{ENTRY}{act.name}/$", act.view, name=f"entry-{act.name}") for act in tournaments.entries.page.FIELD_ACTIONS),
    re_path(rf"{ENTRY}re-enter/$", tournaments.entries.page.re_enter, name="entry-re-enter"),
    re_path(rf"{FIXTURE}$", tournaments.results.page.fixture.fixture, name="fixture"),
    *(re_path(rf"{FIXTURE}{act.name}/$", act.view, name=f"fixture-{act.name}") for act in tournaments.results.actions.ACTIONS),
    re_path(rf"{FIXTURE}correct/$", tournaments.results.page.corrections.correct, name="fixture-correct"),
    re_path(rf"{FIXTURE}correct/undo/(?P<correction>{ID})/$", tournaments.results.page.corrections.undo, name="fixture-correct-undo"),
    re_path(rf"{EVENT}corrections/$", tournaments.results.page.corrections.corrections, name="corrections"),
]
# fmt: on
