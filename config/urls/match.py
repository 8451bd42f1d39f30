"""URLs of matches, records and the lobby."""

from collections.abc import Callable, Iterator
from operator import attrgetter

from django.urls import URLPattern, path, re_path

import display.sharing.page.picture
import matches.analysis.page
import matches.deck.page
import matches.play.again
import matches.play.chat.page
import matches.play.correspondence
import matches.play.dice
import matches.play.ending
import matches.play.lobby.guests
import matches.play.lobby.page
import matches.play.page
import matches.play.replay
import matches.records.intake
import matches.records.page
import matches.reporting.actions
import matches.reporting.calendars
import matches.reporting.page
import matches.review.page
import tournaments.results.page.corrections
from config.urls.patterns import ID, ROW, SHARE
from core.links import View, by_personal_link
from matches.lifecycle.links import TOKEN

MATCH = rf"^matches/(?P<public_id>{ID})/"
LINK = rf"^m/{TOKEN}/"
RECORD = rf"^check/(?P<public_id>{ID})/"


def _by_account(view: View) -> View:
    return view


def _actions(prefix: str, name: str, allow: Callable[[View], View]) -> Iterator[URLPattern]:
    """Yield the routes of what one does with a match, for accounts or for personal links."""
    yield re_path(rf"{prefix}report/$", allow(matches.reporting.page.preview), name=f"{name}-report")
    records = matches.records.intake.checks_length_first(allow(matches.reporting.actions.SEND_RECORD.view))
    yield re_path(rf"{prefix}records/$", records, name=f"{name}-records")
    for act in filter(attrgetter("has_form"), matches.reporting.actions.ACTIONS):
        yield re_path(rf"{prefix}{act.at}/$", allow(act.view), name=f"{name}-{act.name}")
    yield re_path(rf"{prefix}appointment\.ics$", allow(matches.reporting.page.appointment), name=f"{name}-appointment")


# fmt: off
urlpatterns: list[URLPattern] = [
    re_path(rf"{MATCH}play/$", matches.play.page.play, name="match-play"),
    re_path(rf"{LINK}play/$", matches.play.page.play_by_link, name="link-play"),
    path("my/next-board/", matches.play.correspondence.next_board, name="next-board"),
    re_path(rf"{MATCH}end/$", matches.play.ending.match_end, name="match-end"),
    re_path(rf"{LINK}end/$", matches.play.ending.match_end, name="link-end"),
    re_path(rf"{MATCH}again/$", matches.play.again.match_again, name="match-again"),
    re_path(rf"{LINK}again/$", matches.play.again.match_again, name="link-again"),
    re_path(rf"{MATCH}dice/$", matches.play.dice.dice, name="match-dice"),
    re_path(rf"{MATCH}dice\.json$", matches.play.dice.dice_file, name="match-dice-file"),
    re_path(rf"{LINK}dice/$", matches.play.dice.dice, name="link-dice"),
    re_path(rf"{LINK}dice\.json$", matches.play.dice.dice_file, name="link-dice-file"),
    re_path(rf"{MATCH}chat/(?P<message>{ID})/$", matches.play.chat.page.decide, name="chat-decision"),
    re_path(rf"{MATCH}replay/$", matches.play.replay.match_replay, name="match-replay"),
    re_path(rf"{MATCH}replay/picture\.png$", matches.play.replay.match_picture, name="match-replay-picture"),
    re_path(rf"{LINK}replay/$", matches.play.replay.match_replay, name="link-replay"),
    re_path(rf"{MATCH}record\.(?P<extension>mat|sgf|json)$", matches.play.replay.match_record, name="match-record"),
    re_path(rf"{LINK}record\.(?P<extension>mat|sgf|json)$", matches.play.replay.match_record, name="link-record"),
    re_path(rf"{MATCH}rematch/$", matches.play.lobby.page.rematch, name="match-rematch"),
    path("lobby/", matches.play.lobby.page.lobby, name="lobby"),
    path("lobby/practice/", matches.play.lobby.page.practice, name="practice"),
    path("play/guest/", matches.play.lobby.guests.board, name="guest-board"),
    path("play/guest/keep/", matches.play.lobby.guests.keep_page, name="guest-keep"),
    path("lobby/opponents/", matches.play.lobby.page.find_opponents, name="find-opponents"),
    path("lobby/challenges/", matches.play.lobby.page.make_challenge, name="make-challenge"),
    re_path(rf"^lobby/challenges/(?P<public_id>{ID})/accept/$", matches.play.lobby.page.accept_challenge, name="accept-challenge"),
    re_path(rf"^lobby/challenges/(?P<public_id>{ID})/decline/$", matches.play.lobby.page.decline_challenge, name="decline-challenge"),
    re_path(rf"^lobby/challenges/(?P<public_id>{ID})/withdraw/$", matches.play.lobby.page.withdraw_challenge, name="withdraw-challenge"),
    path("lobby/blocks/", matches.play.lobby.page.block_player, name="block-player"),
    re_path(rf"^lobby/blocks/(?P<public_id>{ID})/remove/$", matches.play.lobby.page.unblock_player, name="unblock-player"),
    path("lobby/friendlies/", matches.play.lobby.page.friendlies, name="friendlies-without-club"),
    path("check/", matches.records.page.check, name="check"),
    re_path(rf"{RECORD}$", matches.records.page.submission, name="submission"),
    re_path(rf"{RECORD}replay/$", matches.play.replay.record_replay, name="replay"),
    re_path(rf"{RECORD}replay/picture\.png$", matches.play.replay.record_picture, name="replay-picture"),
    re_path(rf"{RECORD}record\.(?P<extension>mat|sgf|json)$", matches.records.page.record, name="record"),
    re_path(rf"{MATCH}analysis/$", matches.analysis.page.match_analysis, name="match-analysis"),
    re_path(rf"{MATCH}analysis\.csv$", matches.analysis.page.match_csv, name="match-analysis-file"),
    re_path(rf"{MATCH}decisions/$", matches.review.page.match_decisions, name="match-decisions"),
    re_path(rf"{RECORD}analysis/$", matches.analysis.page.record_analysis, name="record-analysis"),
    path("my/", matches.reporting.page.mine, name="my-matches"),
    path("my/deck/", matches.deck.page.deck, name="deck"),
    path("my/deck/collect/", matches.deck.page.collect, name="deck-collect"),
    re_path(rf"^my/deck/(?P<card>{ROW})/$", matches.deck.page.answer, name="deck-card"),
    re_path(rf"^my/deck/(?P<card>{ROW})/suspend/$", matches.deck.page.suspend, name="deck-suspend"),
    path("my/calendar/", matches.reporting.page.renew_calendar_feed, name="renew-calendar-feed"),
    path("my/calendar/revoke/", matches.reporting.page.revoke_calendar_feed, name="revoke-calendar-feed"),
    re_path(rf"^calendar/{matches.reporting.calendars.TOKEN}\.ics$", matches.reporting.page.calendar_feed, name="calendar-feed"),
    re_path(rf"{MATCH}$", matches.reporting.page.match, name="match"),
    re_path(rf"{MATCH}links/$", matches.reporting.page.hand_out, name="match-links"),
    re_path(rf"{MATCH}links/(?P<side>[01])/revoke/$", matches.reporting.page.revoke_link, name="match-revoke-link"),
    *_actions(MATCH, "match", _by_account),
    re_path(rf"{LINK}$", matches.reporting.page.link, name="match-link"),
    *_actions(LINK, "link", by_personal_link),
    re_path(rf"{SHARE}matches/(?P<public_id>{ID})\.png$", display.sharing.page.picture.share_picture, {"kind": "match"}, name="match-card"),
    re_path(rf"{SHARE}replays/(?P<public_id>{ID})\.png$", display.sharing.page.picture.share_picture, {"kind": "replay"}, name="replay-card"),
    re_path(rf"^matches/(?P<match>{ID})/correct/$", tournaments.results.page.corrections.correct_match, name="match-correct"),
]
# fmt: on
