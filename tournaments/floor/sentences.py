"""What the floor says: why matches wait, why they are suggested, and what has happened, as sentences."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from django.utils import timezone
from django.utils.formats import time_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext

from matches.models import Match
from players.models import Player
from tournaments.floor.state import AT_CLOSING, WaitReason
from tournaments.models import ON_PAPER, Fixture, FloorEvent, FloorKind, Table
from tournaments.standings.labels import points_text
from tournaments.state.names import match_names

DONE: dict[str, str] = {
    FloorKind.CALLED: gettext_noop("{match} is called to table {table}."),
    FloorKind.CALLED_AGAIN: gettext_noop("{match} is called again."),
    FloorKind.STARTED: gettext_noop("{match} has started."),
    FloorKind.MOVED: gettext_noop("{match} is at table {table}."),
    FloorKind.FREED: gettext_noop("Table {table} is free."),
    FloorKind.RUNNING_SCORE: gettext_noop("{match} stands {score}."),
    FloorKind.LATE: gettext_noop("{player} is {minutes} minutes late for {match}."),
    FloorKind.REST_WAIVED: gettext_noop("{match} can be called without more rest."),
    FloorKind.PINNED: gettext_noop("{match} comes first."),
    FloorKind.HELD: gettext_noop("{match} is not called for now."),
    "held_on_paper": gettext_noop("{match}: paired on paper."),
    FloorKind.RELEASED: gettext_noop("{match} is called in its turn again."),
    FloorKind.CLOCKS: gettext_noop("{match} is played with clocks: {minutes} minutes each."),
    FloorKind.ADJOURNED: gettext_noop("{match} is adjourned at {score}."),
    FloorKind.CONTINUED: gettext_noop("{match} goes on."),
    FloorKind.SHORTENED: gettext_noop("{match} is played to {length} points instead of {was}."),
    FloorKind.START_SET: gettext_noop("{match} begins at {score}."),
    FloorKind.LENGTH_OFFERED: gettext_noop("The players of {match} are asked whether they agree to {length} points."),
    FloorKind.LENGTH_ACCEPTED: gettext_noop("One player of {match} agrees to the shorter length."),
    FloorKind.LENGTH_DECLINED: gettext_noop("The shorter length of {match} is declined."),
    FloorKind.LENGTH_WITHDRAWN: gettext_noop("The shorter length is no longer offered to the players of {match}."),
    FloorKind.LEAD_WAIVED: gettext_noop("Nobody waits for {match} any more."),
    FloorKind.STOPPED: gettext_noop("{match} is stopped and does not count."),
    FloorKind.ASKED: gettext_noop("The players of {match} are asked whether it is over."),
    FloorKind.PAIRING_HELD: gettext_noop("Nobody is paired for now."),
    FloorKind.PAIRING_GOES_ON: gettext_noop("Players are paired again."),
    FloorKind.STAGE_ENDED: gettext_noop("No more pairs: it ends with the matches in progress."),
    "stage_ended_bracket": gettext_noop("No more pairs: then a bracket of {places}."),
    FloorKind.PAUSED: gettext_noop("The event is paused until {until}."),
    "paused_open": gettext_noop("The event is paused."),
    FloorKind.RESUMED: gettext_noop("The event goes on."),
    FloorKind.TABLE_OUT: gettext_noop("Table {table} is out of use."),
    "table_out_moved": gettext_noop("Table {table} is out of use; M{number} goes to table {move_to}."),
    "table_out_waits": gettext_noop("Table {table} is out of use; M{number} is in the queue again."),
    "table_out_left": gettext_noop("Table {table} is out of use; M{number} is played without a table."),
    FloorKind.TABLE_BACK: gettext_noop("Table {table} is in use again."),
    "autopilot_call": gettext_noop("Matches are called automatically."),
    "autopilot_stopped": gettext_noop("No more matches are called automatically."),
    "autopilot_suggest": gettext_noop("Matches are suggested, and called by hand."),
    FloorKind.OWN_HALL: gettext_noop("This event has a hall of its own."),
    "needs_accessible_on": gettext_noop("{player} needs an accessible table."),
    "needs_accessible_off": gettext_noop("{player} can play at any table."),
}
"""Kind of fact -> sentence about what was done."""


def sentence_of_fact(fact: FloorEvent, *, undone: bool = False) -> str:
    """Return a sentence about a fact; with `undone`, that it was undone."""
    zone = ZoneInfo(fact.tournament.time_zone) if "until" in fact.params else None
    match = fact.match if fact.kind == FloorKind.STOPPED else None
    text = _fill(FloorKind(fact.kind), fact.params, fact.fixture, fact.table, fact.player, zone, match)
    return _("Undone: %(fact)s") % {"fact": text} if undone else text


def _fill(
    kind: FloorKind,
    params: Mapping[str, Any],
    fixture: Fixture | None,
    table: Table | None,
    player: Player | None,
    zone: ZoneInfo | None,
    match: Match | None = None,
) -> str:
    """Fill in the sentence of a kind, which may depend on its parameters."""
    code: str = kind
    if kind == FloorKind.AUTOPILOT:
        code = "autopilot_stopped" if AT_CLOSING in params else f"autopilot_{params['mode']}"
    elif kind == FloorKind.NEEDS_ACCESSIBLE:
        code = "needs_accessible_on" if params["needed"] else "needs_accessible_off"
    elif kind == FloorKind.PAUSED and not params.get("until"):
        code = "paused_open"
    elif kind == FloorKind.TABLE_OUT and "match" in params:
        code = "table_out_moved" if params["move_to"] else "table_out_waits" if params["waits"] else "table_out_left"
    elif kind == FloorKind.STAGE_ENDED and params["places"]:
        code = "stage_ended_bracket"
    elif kind == FloorKind.HELD and ON_PAPER in params:
        code = "held_on_paper"
    until = params.get("until")
    values = {
        "match": match_name(fixture, match) if fixture is not None else "",
        "table": table.label if table is not None else "",
        "player": player.shown_name if player is not None else "",
        "minutes": params.get("minutes", ""),
        "number": params.get("match", ""),
        "places": params.get("places", ""),
        "move_to": params.get("move_to", ""),
        "length": params.get("length", ""),
        "was": params.get("was", ""),
        "score": "–".join(map(str, params.get("score") or ())),
        "until": time_format(timezone.localtime(datetime.fromisoformat(until), zone), "TIME_FORMAT") if until else "",
    }
    return _(DONE[code]).format_map(values)


class MatchesLeft(NamedTuple):
    """How many matches are left at closing time."""

    playing: int
    called: int
    waiting: int

    @property
    def text(self) -> str:
        """What is left, without what is not; only the first count names the matches."""
        first = (
            ngettext("%(count)d match still runs", "%(count)d matches still run", self.playing),
            ngettext("%(count)d match called", "%(count)d matches called", self.called),
            ngettext("%(count)d match waits", "%(count)d matches wait", self.waiting),
        )
        later = ("", _("%(count)d called"), ngettext("%(count)d waits", "%(count)d wait", self.waiting))
        left = [place for place, count in enumerate(self) if count] or [2]
        texts = [(first if place == left[0] else later)[place] % {"count": self[place]} for place in left]
        return ", ".join(texts)


def match_name(fixture: Fixture, match: Match | None = None) -> str:
    """Return “M30 Nino – Zoë”; only the number while a player is to be decided.

    `match` is one that the fixture had before.
    """
    if (match or fixture.match) is None:
        return f"M{fixture.number}"
    return f"M{fixture.number} {' – '.join(match_names(fixture, staff=False, match=match))}"


# Why somebody who is free waits in a stage without rounds. Nothing here says who is kept apart or needs an accessible
# table.


WAITS: dict[str, str] = {
    "resting": gettext_noop("Rest until {until}."),
    "window": gettext_noop("The next pairing is at {until}; all who are free by then take part."),
    "ready": gettext_noop("Can be paired now."),
    "no_opponent": gettext_noop("Nobody suitable is free."),
    "left_over": gettext_noop("Everybody suitable who is free plays somebody else."),
    "met_all": gettext_noop("Already played everybody suitable who is free."),
    "leader": gettext_noop("Waiting for an opponent with equal lives."),
    "ahead": gettext_noop("Too far ahead of M{match}; paired when that is over."),
    "table": gettext_noop("Waiting for a table."),
    "switch": gettext_noop("The bracket is drawn after {matches}."),
    "switch_now": gettext_noop("The bracket is drawn in a moment."),
    "ended": gettext_noop("Nobody is paired any more; it ends after {matches}."),
    "paused": gettext_noop("The event is paused."),
    "held": gettext_noop("A director has held the pairing."),
    "busy": gettext_noop("At M{match}."),
    "away": gettext_noop("Away until {until}."),
    "absent": gettext_noop("Not checked in"),
}
"""Code -> English sentence about somebody, to a director."""
YOU_WAIT: dict[str, str] = {
    **WAITS,
    "ready": gettext_noop("You are paired in a moment."),
    "absent": gettext_noop("You are not checked in. Tell the desk that you are here."),
}
"""The same to the player."""
BRINGING = gettext_noop("Matches that can bring somebody: {bringing}.")
"""Follows the sentence of somebody without an opponent, if a match can bring one."""


def waits_for(code: str, params: Mapping[str, Any], zone: ZoneInfo, *, you: bool) -> str:
    """Return why somebody waits, to a director or to the player."""
    values = dict(params)
    if isinstance(values.get("until"), datetime):
        values["until"] = time_format(timezone.localtime(values["until"], zone), "TIME_FORMAT")
    bringing = len(values.get("matches", ())) if code in ("no_opponent", "left_over") else 0
    if code == "switch" and not values.get("matches"):
        code = "switch_now"
    if "matches" in values:
        values["matches"] = ", ".join(f"M{number}" for number in values["matches"])
    text = _((YOU_WAIT if you else WAITS)[code]).format_map(values)
    return f"{text} {_(BRINGING).format(bringing=bringing)}" if bringing else text


AGAINST: dict[str, str] = {
    "resting": gettext_noop("{player} rests until {until}."),
    "ahead": gettext_noop("{name} is too far ahead of M{match}."),
    "met": gettext_noop("They have met in M{met}."),
    "unequal": gettext_noop("{first} has {lives[0]} lives left, {second} {lives[1]}."),
    "apart": gettext_noop("{first} has {points[0]}, {second} {points[1]}."),
    "more_matches": gettext_noop("{name} has played more matches than others who are free."),
    "club": gettext_noop("They are of the same club."),
    "lot": gettext_noop("The lot is for another pair."),
    "better_total": gettext_noop("Fewer or worse pairs would be left for the others."),
}
"""Code -> English sentence about what the rule has against a pair."""


def objection(
    code: str, params: Mapping[str, Any], names: Mapping[int, str], numbers: Sequence[int], zone: ZoneInfo
) -> str:
    """Return what the rule has against a pair, to a director.

    `names` has the two entries, and `numbers` those of the matches of the stage that stand, in their order.
    """
    first, second = names.values()
    name = names.get(params.get("entry", 0), "")
    values = {**params, "first": first, "second": second, "name": name, "player": name}
    if "until" in params:
        values["until"] = time_format(timezone.localtime(params["until"], zone), "TIME_FORMAT")
    if "pairing" in params:
        values["met"] = numbers[params["pairing"] - 1]
    if "scores" in params:
        values["points"] = [points_text(score) for score in params["scores"]]
    return _(AGAINST[code]).format_map(values)


SENTENCES: dict[str, str] = {
    # Why a match waits
    "held": gettext_noop("A director does not want it called yet."),
    "busy": gettext_noop("{player} is at M{fixture}."),
    "elsewhere": gettext_noop("{player} is at table {table} of {event}."),
    "rests": gettext_noop("{player} rests until {until}."),
    "away": gettext_noop("{player} is away until {until}."),
    "away_open": gettext_noop("{player} is away."),
    "not_here": gettext_noop("{player} is not here."),
    "paused": gettext_noop("The event is paused until {until}."),
    "paused_open": gettext_noop("The event is paused."),
    "no_table": gettext_noop("No table is free."),
    "no_accessible_table": gettext_noop("No accessible table is free."),
    "wanted": gettext_noop("{player} is wanted in {division} M{fixture} in about {minutes} min."),
    "wanted_now": gettext_noop("{player} is wanted in {division} M{fixture}."),
    "also_wanted": gettext_noop("{player}: also wanted in {division} M{fixture}, about {until}"),
    "also_wanted_now": gettext_noop("{player}: also wanted in {division} M{fixture}"),
    "called_before": gettext_noop("A player is first called to M{fixture}."),
    "to_be_decided_winner": gettext_noop("Waits for the winner of M{fixture}."),
    "to_be_decided_loser": gettext_noop("Waits for the loser of M{fixture}."),
    "to_be_decided": gettext_noop("A player is still to be decided."),
    # Why a match is called next
    "pinned_first": gettext_noop("A director put it first; table {table} is free."),
    "only_match": gettext_noop("The only match that can begin; table {table} is free."),
    "first_main": gettext_noop("The main draw comes first; table {table} is free."),
    "first_consolation": gettext_noop("The consolation comes before what is left; table {table} is free."),
    "first_last_chance": gettext_noop("The last chance comes before side events; table {table} is free."),
    "critical_path": gettext_noop("About {minutes} minutes of matches depend on it, the most; table {table} is free."),
    "adjourned": gettext_noop("Adjourned at {score}."),
    "adjourned_on_roll": gettext_noop("Adjourned at {score}; {player} is on roll."),
    "longest_wait": gettext_noop("It has waited longest, since {since}; table {table} is free."),
}
"""Code -> English sentence with `{parameter}` places."""
TIMES = ("until", "since")


def explain(reason: WaitReason, names: Mapping[int, str], zone: ZoneInfo) -> str:
    """Return the sentence of a reason; `names` has the players by id, and times are shown in `zone`."""
    params: dict[str, Any] = dict(reason.params)
    code = _code(reason)
    for key in TIMES:
        if key in params:
            params[key] = time_format(timezone.localtime(datetime.fromisoformat(params[key]), zone), "TIME_FORMAT")
    if "player" in params:
        params["player"] = names.get(params["player"], "")
    return _(SENTENCES[code]).format_map(params)


def _code(reason: WaitReason) -> str:
    """Return the key of the sentence, which depends on the parameters as well."""
    if reason.code in ("away", "paused") and "until" not in reason.params:
        return f"{reason.code}_open"
    if reason.code == "to_be_decided" and "fixture" in reason.params and reason.params["source"] != "drawn":
        return f"to_be_decided_{reason.params['source']}"
    if reason.code == "wanted" and not reason.params["minutes"]:
        return "wanted_now"
    if reason.code == "also_wanted" and "until" not in reason.params:
        return "also_wanted_now"
    if reason.code == "bracket_first":
        return f"first_{reason.params['rank']}"
    return reason.code
