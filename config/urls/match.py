"""URLs of matches, records and the lobby."""

from collections.abc import Callable, Iterator

from django.urls import URLPattern, path, re_path

import display.sharing.page
import matches.analysis.page
import matches.play.again
import matches.play.chat.views
import matches.play.correspondence
import matches.play.dice_page
import matches.play.ending
import matches.play.lobby.guests
import matches.play.lobby.views
import matches.play.page
import matches.play.replay
import matches.records.intake
import matches.records.views
import matches.reporting.actions
import matches.reporting.calendars
import matches.reporting.views
import tournaments.results.corrections_page
from core.links import View, by_personal_link
from matches.lifecycle.links import TOKEN

ID = "[2-9a-z]{10}"
MATCH = rf"^matches/(?P<public_id>{ID})/"
LINK = rf"^m/{TOKEN}/"
RECORD = rf"^check/(?P<public_id>{ID})/"
SHARE = r"^share/(?P<version>[0-9a-f]{10})/"


def _by_account(view: View) -> View:
    return view


def _actions(prefix: str, name: str, allow: Callable[[View], View]) -> Iterator[URLPattern]:
    """Yield the routes of what one does with a match, for accounts or for personal links."""
    yield re_path(rf"{prefix}report/$", allow(matches.reporting.views.preview), name=f"{name}-report")
    records = matches.records.intake.checks_length_first(allow(matches.reporting.actions.SEND_RECORD.view))
    yield re_path(rf"{prefix}records/$", records, name=f"{name}-records")
    for act in matches.reporting.actions.ACTIONS:
        yield re_path(rf"{prefix}{act.at}/$", allow(act.view), name=f"{name}-{act.name}")
    yield re_path(rf"{prefix}appointment\.ics$", allow(matches.reporting.views.appointment), name=f"{name}-appointment")


# fmt: off
urlpatterns: list[URLPattern] = [
    re_path(rf"{MATCH}play/$", matches.play.page.play, name="match-play"),
    re_path(rf"{LINK}play/$", matches.play.page.play_by_link, name="link-play"),
    path("my/next-board/", matches.play.correspondence.next_board, name="next-board"),
    re_path(rf"{MATCH}end/$", matches.play.ending.match_end, name="match-end"),
    re_path(rf"{LINK}end/$", matches.play.ending.match_end, name="link-end"),
    re_path(rf"{MATCH}again/$", matches.play.again.match_again, name="match-again"),
    re_path(rf"{LINK}again/$", matches.play.again.match_again, name="link-again"),
    re_path(rf"{MATCH}dice/$", matches.play.dice_page.dice, name="match-dice"),
    re_path(rf"{MATCH}dice\.json$", matches.play.dice_page.dice_file, name="match-dice-file"),
    re_path(rf"{LINK}dice/$", matches.play.dice_page.dice, name="link-dice"),
    re_path(rf"{LINK}dice\.json$", matches.play.dice_page.dice_file, name="link-dice-file"),
    re_path(rf"{MATCH}chat/(?P<message>{ID})/$", matches.play.chat.views.decide, name="chat-decision"),
    re_path(rf"{MATCH}replay/$", matches.play.replay.match_replay, name="match-replay"),
    re_path(rf"{MATCH}replay/picture\.png$", matches.play.replay.match_picture, name="match-replay-picture"),
    re_path(rf"{LINK}replay/$", matches.play.replay.match_replay, name="link-replay"),
    re_path(rf"{MATCH}record\.(?P<extension>mat|sgf|json)$", matches.play.replay.match_record, name="match-record"),
    re_path(rf"{LINK}record\.(?P<extension>mat|sgf|json)$", matches.play.replay.match_record, name="link-record"),
    re_path(rf"{MATCH}rematch/$", matches.play.lobby.views.rematch, name="match-rematch"),
    path("lobby/", matches.play.lobby.views.lobby, name="lobby"),
    path("lobby/practice/", matches.play.lobby.views.practice, name="practice"),
    path("play/guest/", matches.play.lobby.guests.board, name="guest-board"),
    path("play/guest/keep/", matches.play.lobby.guests.keep_page, name="guest-keep"),
    path("lobby/opponents/", matches.play.lobby.views.find_opponents, name="find-opponents"),
    path("lobby/challenges/", matches.play.lobby.views.make_challenge, name="make-challenge"),
    re_path(rf"^lobby/challenges/(?P<public_id>{ID})/accept/$", matches.play.lobby.views.accept_challenge, name="accept-challenge"),
    re_path(rf"^lobby/challenges/(?P<public_id>{ID})/decline/$", matches.play.lobby.views.decline_challenge, name="decline-challenge"),
    re_path(rf"^lobby/challenges/(?P<public_id>{ID})/withdraw/$", matches.play.lobby.views.withdraw_challenge, name="withdraw-challenge"),
    path("lobby/blocks/", matches.play.lobby.views.block_player, name="block-player"),
    re_path(rf"^lobby/blocks/(?P<public_id>{ID})/remove/$", matches.play.lobby.views.unblock_player, name="unblock-player"),
    path("lobby/friendlies/", matches.play.lobby.views.friendlies, name="friendlies-without-club"),
    path("check/", matches.records.views.check, name="check"),
    re_path(rf"{RECORD}$", matches.records.views.submission, name="submission"),
    re_path(rf"{RECORD}replay/$", matches.play.replay.record_replay, name="replay"),
    re_path(rf"{RECORD}replay/picture\.png$", matches.play.replay.record_picture, name="replay-picture"),
    re_path(rf"{RECORD}record\.(?P<extension>mat|sgf|json)$", matches.records.views.record, name="record"),
    re_path(rf"{MATCH}analysis/$", matches.analysis.page.match_analysis, name="match-analysis"),
    re_path(rf"{MATCH}analysis\.csv$", matches.analysis.page.match_csv, name="match-analysis-file"),
    re_path(rf"{RECORD}analysis/$", matches.analysis.page.record_analysis, name="record-analysis"),
    path("my/", matches.reporting.views.mine, name="my-matches"),
    path("my/calendar/", matches.reporting.views.renew_calendar_feed, name="renew-calendar-feed"),
    path("my/calendar/revoke/", matches.reporting.views.revoke_calendar_feed, name="revoke-calendar-feed"),
    re_path(rf"^calendar/{matches.reporting.calendars.TOKEN}\.ics$", matches.reporting.views.calendar_feed, name="calendar-feed"),
    re_path(rf"{MATCH}$", matches.reporting.views.match, name="match"),
    re_path(rf"{MATCH}links/$", matches.reporting.views.hand_out, name="match-links"),
    re_path(rf"{MATCH}links/(?P<side>[01])/revoke/$", matches.reporting.views.revoke_link, name="match-revoke-link"),
    *_actions(MATCH, "match", _by_account),
    re_path(rf"{LINK}$", matches.reporting.views.link, name="match-link"),
    *_actions(LINK, "link", by_personal_link),
    re_path(rf"{SHARE}matches/(?P<public_id>{ID})\.png$", display.sharing.page.share_picture, {"kind": "match"}, name="match-card"),
    re_path(rf"{SHARE}replays/(?P<public_id>{ID})\.png$", display.sharing.page.share_picture, {"kind": "replay"}, name="replay-card"),
    re_path(rf"^matches/(?P<match>{ID})/correct/$", tournaments.results.corrections_page.correct_match, name="match-correct"),
]
# fmt: on
