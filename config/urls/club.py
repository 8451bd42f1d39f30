"""URLs of clubs."""

from django.urls import URLPattern, path, re_path

import clubhouse.acceptance
import clubhouse.clubs
import clubhouse.handover
import clubhouse.tonight
import demo.owner
import display.paper.page
import display.sharing.page.app
import display.sharing.page.picture
import matches.analysis.page
import matches.play.chat.page
import matches.play.lobby.page
import matches.puzzles.page
import matches.rankings.page
import matches.rankings.pools
import players.clubs.page
import players.handover.actions
import players.joining.actions
import players.joining.page
import players.privacy.page
import tournaments.draws.page
import tournaments.events.page
from config.urls.patterns import CLUB, CLUB_SLUG, ID, JOIN_REQUEST, OWNER_OFFER, ROW, SHARE
from core.links import by_personal_link

POOL = rf"{CLUB}pools/(?P<pk>{ROW})/"
MEMBER = rf"{CLUB}members/(?P<public_id>{ID})/"
OWNER = r"^owner-link/(?P<owner_token>[\w-]{43})/"

# fmt: off
urlpatterns: list[URLPattern] = [
    re_path(rf"{CLUB}messages/$", matches.play.chat.page.reported_messages, name="reported-messages"),
    re_path(rf"{CLUB}friendlies/$", matches.play.lobby.page.friendlies, name="club-friendlies"),
    re_path(rf"{CLUB}puzzle/$", matches.puzzles.page.club_puzzle, name="club-puzzle"),
    re_path(rf"{CLUB}puzzle/(?P<puzzle>{ROW})/keep/$", matches.puzzles.page.keep_puzzle, name="club-puzzle-keep"),
    re_path(rf"{CLUB}analysis/$", matches.analysis.page.club_analysis, name="club-analysis"),
    re_path(rf"{CLUB}classes/$", matches.analysis.page.club_classes_page, name="club-classes"),
    re_path(rf"{CLUB}analysis\.csv$", matches.analysis.page.club_csv, name="club-analysis-file"),
    re_path(rf"{CLUB}join-requests/$", matches.rankings.page.join_requests, name="join-requests"),
    re_path(rf"{CLUB}pools/$", matches.rankings.pools.pools, name="club-pools"),
    re_path(rf"{POOL}$", matches.rankings.pools.pool, name="club-pool"),
    re_path(rf"{POOL}restore/$", matches.rankings.pools.restore, name="club-pool-restore"),
    re_path(rf"{POOL}compare/$", matches.rankings.pools.compare, name="club-pool-compare"),
    re_path(rf"{POOL}formulas/$", matches.rankings.pools.formulas, name="club-pool-formulas"),
    re_path(rf"{POOL}import/$", matches.rankings.pools.import_rows, name="club-pool-import"),
    re_path(rf"{POOL}imports/(?P<source>{ROW})/undo/$", matches.rankings.pools.undo, name="club-pool-undo"),
    re_path(rf"{CLUB}ratings/$", matches.rankings.pools.club_ratings, name="club-ratings"),
    re_path(rf"{CLUB}ratings/(?P<pk>{ROW})/$", matches.rankings.pools.pool_ranking, name="pool-ranking"),
    re_path(rf"{CLUB}ratings/(?P<pk>{ROW})/ratings.csv$", matches.rankings.pools.pool_ranking_csv, name="pool-ranking-csv"),
    re_path(rf"{MEMBER}data/$", players.privacy.page.member_data, name="member-data"),
    re_path(rf"{MEMBER}data/export/$", players.privacy.page.export_member_data, name="export-member-data"),
    re_path(rf"{MEMBER}erase/$", players.privacy.page.erase_member, name="erase-member"),
    path("clubs/", players.clubs.page.club_list, name="club-list"),
    path("clubs/new/", players.clubs.page.create_club, name="create-club"),
    re_path(rf"{CLUB}edit/$", players.clubs.page.edit_club, name="edit-club"),
    re_path(rf"{CLUB}app\.webmanifest$", display.sharing.page.app.club_manifest, name="club-manifest"),
    *(
        re_path(rf"{CLUB}app-icon-{icon}\.png$", display.sharing.page.app.club_icon, {"icon": icon}, name=f"club-icon-{icon}")
        for icon in display.sharing.page.app.ICONS
    ),
    re_path(rf"{CLUB}emblem/$", players.clubs.page.change_emblem, name="club-change-emblem"),
    re_path(rf"{CLUB}emblem/remove/$", players.clubs.page.clear_emblem, name="club-clear-emblem"),
    re_path(rf"{CLUB}emblem/(?P<version>[0-9a-f]{{16}})\.webp$", players.clubs.page.emblem, name="club-emblem"),
    re_path(rf"{CLUB}second-factor/$", players.clubs.page.set_second_factor, name="club-second-factor"),
    re_path(rf"{CLUB}leave/$", players.clubs.page.leave_club, name="leave-club"),
    re_path(rf"{CLUB}members/$", players.clubs.page.members, name="club-members"),
    re_path(rf"{CLUB}members/add/$", players.clubs.page.add_member, name="add-member"),
    re_path(rf"{CLUB}members/known/$", players.clubs.page.add_player, name="add-player"),
    re_path(rf"{CLUB}members/paste/$", players.clubs.page.paste_members, name="paste-members"),
    re_path(rf"{CLUB}members/list/$", players.clubs.page.add_list, name="add-list"),
    re_path(rf"{CLUB}invitations/(?P<pk>{ROW})/withdraw/$", players.clubs.page.withdraw_invitation, name="withdraw-invitation"),
    re_path(rf"{CLUB}merges/(?P<pk>{ROW})/undo/$", players.clubs.page.undo_merge, name="undo-merge"),
    re_path(rf"{MEMBER}$", players.clubs.page.member, name="club-member"),
    re_path(rf"{MEMBER}role/$", players.clubs.page.set_role, name="set-role"),
    re_path(rf"{MEMBER}edit/$", players.clubs.page.edit_name, name="edit-name"),
    re_path(rf"{MEMBER}invite/$", players.clubs.page.invite, name="invite"),
    re_path(rf"{MEMBER}merge/$", players.clubs.page.merge, name="merge-member"),
    re_path(rf"{MEMBER}names/$", players.clubs.page.add_alias, name="add-alias"),
    re_path(rf"{MEMBER}remove/$", players.clubs.page.remove_member, name="remove-member"),
    re_path(rf"{MEMBER}owner/$", players.handover.actions.OFFER.view, name="offer-ownership"),
    re_path(rf"^{OWNER_OFFER}$", clubhouse.handover.offer, name="owner-offer"),
    *(re_path(rf"^{OWNER_OFFER}{act.name}/$", act.view, name=f"owner-offer-{act.name}") for act in players.handover.actions.OFFERS),
    re_path(rf"{CLUB}nobody/$", clubhouse.handover.nobody, name="club-nobody"),
    re_path(rf"{CLUB}nobody/ask/$", players.handover.actions.ASK.view, name="ask-for-owner"),
    path("site/clubs/ownerless/", clubhouse.handover.ownerless_clubs, name="ownerless-clubs"),
    re_path(rf"^site/clubs/ownerless/(?P<slug>{CLUB_SLUG})/$", players.handover.actions.ANSWER.view, name="ownerless-answer"),
    re_path(rf"{CLUB}join/$", players.joining.page.join_club, name="join-club"),
    *(re_path(rf"{CLUB}join/{act.name}/$", act.view, name=f"join-{act.name}") for act in players.joining.actions.OWN_ACTIONS),
    *(re_path(rf"{CLUB}{JOIN_REQUEST}{act.name}/$", act.view, name=f"join-request-{act.name}") for act in players.joining.actions.ANSWERS),
    re_path(rf"{CLUB}$", clubhouse.clubs.club, name="club"),
    re_path(rf"{CLUB}calendar\.ics$", clubhouse.clubs.calendar, name="club-calendar"),
    re_path(rf"{CLUB}commitments/$", tournaments.draws.page.commitments, name="commitments"),
    re_path(rf"{CLUB}poster/$", display.paper.page.club_poster, name="club-poster"),
    re_path(rf"{CLUB}venue/$", tournaments.events.page.venue, name="venue"),
    re_path(rf"{CLUB}tonight/$", clubhouse.tonight.tonight, name="tonight"),
    re_path(rf"{CLUB}tonight/show/$", clubhouse.tonight.show, name="tonight-show"),
    re_path(rf"{SHARE}clubs/(?P<slug>{CLUB_SLUG})\.png$", display.sharing.page.picture.share_picture, {"kind": "club"}, name="club-card"),
    path("waiting-clubs/", clubhouse.acceptance.waiting, name="waiting-clubs"),
    re_path(rf"{OWNER}$", by_personal_link(demo.owner.choice), name="owner-link"),
    re_path(rf"{OWNER}club/$", by_personal_link(demo.owner.own_club), name="owner-club"),
]
# fmt: on
