"""The log of an event as readable lines: who did what, when, and what changed."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from functools import partial
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

from django.conf import settings
from django.db.models import CharField, Field, Q, QuerySet, TextChoices, TextField, Value
from django.db.models.functions import Concat
from django.utils import timezone
from django.utils.formats import time_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, pgettext_lazy

from core.pagination import page_of
from core.times import event_time, written
from formats.settings import StageSettings
from matches.models import Match, RatingPool, Result
from matches.presentation.labels import score_of
from players.models import KeptAct, LogEntry, Player
from tournaments.models import Division, Entry, Fixture, Floor, Helper, Payment, Tournament
from tournaments.state.format_labels import FORMAT_NAMES, LEADER_NAMES, NEXT_ROUND_NAMES, stages_name
from tournaments.state.names import shown_entry

CHOICES: Mapping[str, Sequence[tuple[str, Any]]] = {
    **dict.fromkeys(("language", "second_language"), settings.LANGUAGES),
    "format": tuple(FORMAT_NAMES.items()),
    "leader": LEADER_NAMES,
    "next_round": NEXT_ROUND_NAMES,
}
"""Choices of settings that are not in a model."""
_INSTANT, _DAY = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:.+"), re.compile(r"\d{4}-\d\d-\d\d")

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise as StrPromise

ON_A_PAGE = 50

VERBS: dict[str, str] = {
    "tournament_created": gettext_noop("created the event"),
    "tournament_changed": gettext_noop("changed the settings"),
    "tournament_published": gettext_noop("published the event"),
    "tournament_cancelled": gettext_noop("cancelled the event"),
    "helper_invited": gettext_noop("invited a helper"),
    "helper_accepted": gettext_noop("became a helper"),
    "helper_removed": gettext_noop("removed a helper"),
    "division_created": gettext_noop("created the division"),
    "division_changed": gettext_noop("changed the settings"),
    "stages_changed": gettext_noop("changed the format"),
    "deadlines_changed": gettext_noop("moved a deadline"),
    "deadline_moved": gettext_noop("moved a deadline"),
    "lengths_changed": gettext_noop("changed match lengths"),
    "match_length_changed": gettext_noop("changed match lengths"),
    "entered": gettext_noop("entered"),
    "entered_late": gettext_noop("entered late"),
    "re_entered": gettext_noop("entered again"),
    "bye_requested": gettext_noop("recorded a requested bye"),
    "rounds_changed": gettext_noop("changed the settings"),
    "kept_apart": gettext_noop("kept two players apart"),
    "let_meet": gettext_noop("let two players meet again"),
    "entry_withdrawn": gettext_noop("withdrew from the division"),
    "entry_returned": gettext_noop("let back in"),
    **{f"{name}_set": field.verb for name, field in Entry.FIELDS.items()},
    "entries_joined": gettext_noop("made two entries of one person one"),
    "substituted": gettext_noop("let a substitute take the place"),
    "bracket_withdrawn": gettext_noop("withdrew from the bracket"),
    "moved_up": gettext_noop("moved up from the waiting list"),
    "checked_in": gettext_noop("checked in"),
    "kiosk_created": gettext_noop("added a check-in kiosk"),
    "kiosk_paired": gettext_noop("paired a device as a check-in kiosk"),
    "kiosk_revoked": gettext_noop("revoked a check-in kiosk"),
    "checked_in_away": gettext_noop("marked as away"),
    "excused": gettext_noop("let a pair play without one of the two"),
    "title_awarded": gettext_noop("awarded a title"),
    "season_drafted": gettext_noop("drafted the next season"),
    "event_copied": gettext_noop("copied the event to a later week"),
    "draw_requested": gettext_noop("requested a draw"),
    "drawn": gettext_noop("made a draft of the draw"),
    "draw_published": gettext_noop("published the draw"),
    "countdown_stopped": gettext_noop("stopped the countdown"),
    "evening_started": gettext_noop("started the evening"),
    "round_taken_back": gettext_noop("took back a round"),
    "deadline_director": gettext_noop("the deadline passed; a director decides"),
    "deadline_extended": gettext_noop("the deadline passed; extended once"),
    "deadline_both_lose": gettext_noop("the deadline passed; both lose"),
    "deadline_proposer_wins": gettext_noop("the deadline passed; the player who proposed times wins"),
    "deadline_season_over": gettext_noop("the season ended; the match was not played"),
    "deadline_lots": gettext_noop("the deadline passed; lots were drawn"),
    "match_opened": gettext_noop("opened the match"),
    "match_voided": gettext_noop("voided the match"),
    "match_due_moved": gettext_noop("moved a deadline"),
    "result_appended": gettext_noop("recorded a result"),
    "line_entered": gettext_noop("used quick entry"),
    "result_corrected": gettext_noop("corrected the result"),
    "correction_left": gettext_noop("reviewed a correction and kept the result"),
    "claimed": gettext_noop("reported a result"),
    "claim_confirmed": gettext_noop("confirmed the report"),
    "claim_contested": gettext_noop("contested the report"),
    "late_report_kept": gettext_noop("reported too late; kept as evidence"),
    "claim_withdrawn": gettext_noop("withdrew the report"),
    "claim_unanswered": gettext_noop("accepted an unanswered report"),
    "claim_seen": gettext_noop("saw the result"),
    "result_seen": gettext_noop("saw the result"),
    "result_final": gettext_noop("made the provisional result final"),
    "results_closed": gettext_noop("closed the results"),
    "dispute_conceded": gettext_noop("agreed to the other report"),
    "sheet_reported": gettext_noop("reported a result from the score sheet"),
    "objected": gettext_noop("objected to the result"),
    "link_revoked": gettext_noop("revoked a personal link"),
    "opponent_link_shown": gettext_noop("got the personal link of their own opponent"),
    "division_links_shown": gettext_noop("got personal links of a division in which they play"),
    "objection_upheld": gettext_noop("upheld the objection"),
    "chat_reported": gettext_noop("reported a chat message"),
    "chat_removed": gettext_noop("removed a chat message"),
    "chat_kept": gettext_noop("kept a reported chat message"),
    "chat_restored": gettext_noop("changed the decision on a chat message"),
    "objection_dismissed": gettext_noop("dismissed the objection"),
    "record_sent": gettext_noop("sent a record"),
    "record_reported": gettext_noop("reported a result by a record"),
    "record_refused": gettext_noop("did not accept the record as the result"),
    "record_names_told": gettext_noop("said which player of the record is which"),
    "times_proposed": gettext_noop("proposed times"),
    "time_accepted": gettext_noop("accepted a time"),
    "times_withdrawn": gettext_noop("withdrew the proposed times"),
    "payment_recorded": gettext_noop("recorded a payment"),
    "cash_closed": gettext_noop("closed the cash desk"),
    "cash_reopened": gettext_noop("reopened the cash desk"),
    "cash_settings_changed": gettext_noop("changed the cash desk"),
    "pool_created": gettext_noop("added a side pool"),
    "pool_joined": gettext_noop("joined a side pool"),
    "pool_left": gettext_noop("left a side pool"),
    "offer_opened": gettext_noop("opened a list for a side event"),
    "offer_changed": gettext_noop("changed a list for a side event"),
    "offer_closed": gettext_noop("closed a list for a side event"),
    "prizes_saved": gettext_noop("saved a draft of the prizes"),
    "prizes_published": gettext_noop("published the prizes"),
    "split_agreed": gettext_noop("recorded an agreed split"),
    "wall_changed": gettext_noop("changed the wall screen"),
    "floor_opened": gettext_noop("opened the floor"),
    "floor_changed": gettext_noop("changed the settings"),
    "floor_table_added": gettext_noop("added a table"),
    "floor_table_changed": gettext_noop("changed a table"),
    "floor_called": gettext_noop("called the match"),
    "floor_called_again": gettext_noop("called the match again"),
    "floor_started": gettext_noop("started the match"),
    "floor_moved": gettext_noop("recorded the table of the match"),
    "floor_freed": gettext_noop("freed the table"),
    "floor_running_score": gettext_noop("recorded a running score"),
    "floor_late": gettext_noop("recorded that a player is late"),
    "floor_start_set": gettext_noop("set the start score"),
    "floor_rest_waived": gettext_noop("waived the rest"),
    "floor_lead_waived": gettext_noop("let nobody wait for the match"),
    "floor_stopped": gettext_noop("stopped a match of somebody who is out"),
    "floor_asked": gettext_noop("asked the players whether the match is over"),
    "floor_stage_ended": gettext_noop("ended the pairing in mid-evening"),
    "floor_pairing_held": gettext_noop("held the pairing without rounds"),
    "floor_pairing_goes_on": gettext_noop("let the pairing without rounds go on"),
    "batch_made": gettext_noop("paired players who were free"),
    "missed_taken_back": gettext_noop("took back that a player missed a match"),
    "flow_changed": gettext_noop("changed the settings"),
    "switched_by_clock": gettext_noop("drew the bracket because its time had come: {places} places"),
    "floor_pinned": gettext_noop("put the match first"),
    "floor_held": gettext_noop("did not want the match called yet"),
    "floor_released": gettext_noop("released the match"),
    "floor_clocks": gettext_noop("put clocks on the match"),
    "floor_adjourned": gettext_noop("adjourned the match"),
    "floor_continued": gettext_noop("let the match go on"),
    "floor_shortened": gettext_noop("shortened the match by consent"),
    "floor_length_offered": gettext_noop("offered a shorter length"),
    "floor_length_accepted": gettext_noop("agreed to the shorter length"),
    "floor_length_declined": gettext_noop("declined the shorter length"),
    "floor_length_withdrawn": gettext_noop("withdrew the shorter length"),
    "floor_paused": gettext_noop("paused the event"),
    "floor_resumed": gettext_noop("resumed the event"),
    "floor_table_out": gettext_noop("took a table out of use"),
    "floor_table_back": gettext_noop("put a table back into use"),
    "floor_autopilot": gettext_noop("switched the autopilot"),
    "floor_own_hall": gettext_noop("gave the event a hall of its own"),
    "floor_needs_accessible": gettext_noop("recorded who needs an accessible table"),
    "floor_undone": gettext_noop("undid a change on the floor"),
    "kept_act": gettext_noop("sent what was kept without a connection"),
    "kept_left": gettext_noop("left what was kept as it is"),
    "kept_entered": gettext_noop("entered what was kept"),
    "live_started": gettext_noop("opened the match for play here"),
    "dice_chain_committed": gettext_noop("committed to dice"),
}
"""What is logged of an event, its divisions and its matches, in words; no page shows what is logged of seasons."""
UNDONE: dict[str, str] = {
    "bye_taken_back": "bye_requested",
    "entries_separated": "entries_joined",
    "substitution_undone": "substituted",
    "late_entry_undone": "entered_late",
    "checked_out": "checked_in",
    "draw_unpublished": "draw_published",
    "evening_start_undone": "evening_started",
    "floor_shut": "floor_opened",
    "result_undone": "result_appended",
    "line_undone": "line_entered",
    "correction_undone": "result_corrected",
    "payment_taken_back": "payment_recorded",
    "split_taken_back": "split_agreed",
    "pairing_taken_back": "batch_made",
    "title_withdrawn": "title_awarded",
    "match_reinstated": "match_voided",
    "draw_taken_back": "drawn",
}
"""What takes another act back -> that act."""
KINDS: dict[str, Sequence[str]] = {
    "results": ("result_appended", "result_undone", "line_entered", "line_undone",
                "match_voided", "match_reinstated", "result_corrected", "correction_left",
                "correction_undone", "claimed", "claim_confirmed", "claim_contested", "late_report_kept",
                "claim_withdrawn", "claim_unanswered", "result_final", "results_closed"),
    "entries": ("entered", "entered_late", "re_entered", "bye_requested", "bye_taken_back",
                "entry_withdrawn", "entry_returned", *(f"{name}_set" for name in Entry.FIELDS), "entries_joined",
                "entries_separated", "late_entry_undone", "substituted",
                "substitution_undone", "bracket_withdrawn", "moved_up", "checked_in",
                "checked_in_away", "checked_out", "excused", "kiosk_created", "kiosk_paired", "kiosk_revoked"),
    "draw": ("draw_requested", "drawn", "draw_published", "countdown_stopped", "draw_taken_back", "draw_unpublished",
             "round_taken_back", "rounds_changed", "kept_apart", "let_meet"),
    "cash": ("payment_recorded", "payment_taken_back", "cash_closed", "cash_reopened", "cash_settings_changed",
             "pool_created", "pool_joined", "pool_left", "prizes_saved", "prizes_published", "split_agreed",
             "split_taken_back"),
    "floor": ("evening_started", "evening_start_undone", "floor_shut",
              "floor_opened", "floor_changed", "floor_table_added", "floor_table_changed", "floor_called",
              "floor_called_again", "floor_started", "floor_moved", "floor_freed", "floor_running_score", "floor_late",
              "floor_rest_waived", "floor_pinned", "floor_held", "floor_released", "floor_clocks",
              "floor_lead_waived", "floor_stopped", "floor_asked", "floor_stage_ended", "floor_pairing_held",
              "floor_pairing_goes_on", "batch_made", "pairing_taken_back", "missed_taken_back", "flow_changed",
              "switched_by_clock", "floor_adjourned", "floor_continued", "floor_shortened", "floor_start_set",
              "floor_length_offered", "floor_length_accepted",
              "floor_length_declined", "floor_length_withdrawn", "floor_paused", "floor_resumed",
              "floor_table_out", "floor_table_back", "floor_autopilot", "floor_own_hall", "floor_needs_accessible",
              "floor_undone", "kept_act", "kept_left", "kept_entered"),
    "settings": ("tournament_created", "tournament_changed", "tournament_published", "tournament_cancelled",
                 "season_drafted", "event_copied", "helper_invited", "helper_accepted", "helper_removed",
                 "division_created", "division_changed", "stages_changed", "deadlines_changed", "deadline_moved",
                 "lengths_changed", "offer_opened", "offer_changed", "offer_closed"),
}  # fmt: skip
KEPT = ("kept_act", "kept_left", "kept_entered")
KEPT_ACTIONS: dict[str, "StrPromise"] = {
    "result": pgettext_lazy("kept act", "result"),
    "score": pgettext_lazy("kept act", "running score"),
    "running-score": pgettext_lazy("kept act", "running score"),
    "start": pgettext_lazy("kept act", "start"),
    "move": pgettext_lazy("kept act", "table"),
    "here": pgettext_lazy("kept act", "here"),
    "away": pgettext_lazy("kept act", "away"),
    "note": pgettext_lazy("kept act", "note"),
    "undo": pgettext_lazy("kept act", "undo"),
    "struck": pgettext_lazy("kept act", "taken back before it was sent"),
    "claim": pgettext_lazy("kept act", "report"),
    "confirm": pgettext_lazy("kept act", "confirmation"),
    "contest": pgettext_lazy("kept act", "objection to a report"),
    "seen": pgettext_lazy("kept act", "report seen"),
}
"""What a kept act did."""
DIRECTORS_ONLY = (
    "kept_apart", "let_meet", "payment_recorded", "payment_taken_back", "cash_closed", "cash_reopened",
    "cash_settings_changed", "pool_joined", "pool_left", "prizes_saved", "split_agreed", "split_taken_back",
)  # fmt: skip
"""What only directors see on the pages of the event either: who is kept apart, and money."""


@dataclass(frozen=True, slots=True)
class LogLine:
    """A log entry in words, with what it changed."""

    at: datetime
    who: str
    where: str
    what: str
    details: list[str]
    verb: str
    topic: str
    params: Mapping[str, Any]


def entries_of(tournament: Tournament, *, directs: bool) -> QuerySet[LogEntry]:
    """Return the log entries of an event, its divisions and its matches, newest first.

    Without `directs`, the verbs in `DIRECTORS_ONLY` are left out.
    """
    topics = [tournament.topic, *(division.topic for division in tournament.divisions.all())]
    matches = (
        Match.objects.filter(parent_topic__in=topics)
        .order_by()
        .annotate(own_topic=Concat(Value("match:"), "public_id"))
        .values("own_topic")
    )
    rows = LogEntry.objects.filter(Q(topic__in=topics) | Q(topic__in=matches)).select_related("user")
    return _shown_to(rows, directs=directs)


def _shown_to(rows: QuerySet[LogEntry], *, directs: bool) -> QuerySet[LogEntry]:
    return rows if directs else rows.exclude(verb__in=DIRECTORS_ONLY)


def of_kind(rows: QuerySet[LogEntry], kind: str) -> QuerySet[LogEntry]:
    """Filter log entries by kind (a key of `KINDS`); return all of them for any other value."""
    return rows.filter(verb__in=KINDS[kind]) if kind in KINDS else rows


def log_page(tournament: Tournament, kind: str, who: str, number: str | None, *, directs: bool) -> dict[str, Any]:
    """Return the context of a page of the log, with what only directors see if the reader is one."""
    rows = of_kind(entries_of(tournament, directs=directs), kind)
    if who == "system":
        rows = rows.filter(by=LogEntry.By.SYSTEM)
    elif who == "people":
        rows = rows.exclude(by=LogEntry.By.SYSTEM)
    page = page_of(rows, number, ON_A_PAGE)
    return {
        "page": page,
        "lines": log_lines(page.object_list, tournament),
        "kind": kind,
        "who": who,
        "kinds": list(KINDS),
    }


def log_lines(rows: Iterable[LogEntry], tournament: Tournament) -> list[LogLine]:
    """Describe log entries; a few queries, however many there are."""
    rows = list(rows)
    divisions = {division.topic: division.name for division in Division.objects.filter(tournament=tournament)}
    matches = _matches([row.topic for row in rows])
    numbers = _numbers(tournament, matches.values())
    entries = _entries(rows)
    helpers, acts, zone = _helpers(rows), _kept_acts(rows), ZoneInfo(tournament.time_zone)
    people = _people(rows)
    return [
        LogLine(
            row.at,
            _who(row),
            divisions.get(row.topic) or numbers.get(row.topic, ""),
            _what(row),
            helpers.get(row.params.get("helper"), [])
            + _details(row, entries, matches.get(row.topic), tournament.time_zone)
            + people.get(row.params.get("about"), [])
            + _kept(row, acts.get(row.params.get("kept")), zone),
            row.verb,
            row.topic,
            row.params,
        )
        for row in rows
    ]


def line_text(row: LogEntry) -> str:
    """Describe what a log entry says was done, such as “published the draw · round 2”."""
    kind, _colon, public_id = row.topic.partition(":")
    path = "public_id" if kind == "tournament" else "divisions__public_id"
    zone = Tournament.objects.filter(**{path: public_id}).values_list("time_zone", flat=True).first() or "UTC"
    return " · ".join((_what(row), *_details(row, _entries([row]), _matches([row.topic]).get(row.topic), zone)))


def _what(row: LogEntry) -> str:
    if row.verb in UNDONE:
        return _("took back: %(what)s") % {"what": _in_words(UNDONE[row.verb], row)}
    return _in_words(row.verb, row)


def _in_words(verb: str, row: LogEntry) -> str:
    return _(VERBS[verb]).format_map(row.params) if verb in VERBS else verb.replace("_", " ")


def _entries(rows: Iterable[LogEntry]) -> dict[int, str]:
    """Return the names of the entries that these log entries refer to, by id."""
    ids = {entry for row in rows for entry in _entry_ids(row.params)}
    entries = Entry.objects.filter(pk__in=ids).select_related("player__merged_into")
    return {entry.pk: shown_entry(entry, staff=False) for entry in entries}


def _entry_ids(params: Mapping[str, Any]) -> list[int]:
    """Return the ids of the entries that a log entry refers to."""
    ids = [params.get("entry"), *(params.get("entries") or ())]
    return [entry for entry in ids if isinstance(entry, int)]


def _helpers(rows: Iterable[LogEntry]) -> dict[Any, list[str]]:
    """Return the names of the helpers that these log entries refer to, by public id."""
    ids = {row.params["helper"] for row in rows if "helper" in row.params}
    # No query for the many pages of a log without helpers.
    helpers = Helper.objects.filter(public_id__in=ids, user__isnull=False).select_related("user") if ids else []
    return {helper.public_id: [str(helper.user)] for helper in helpers}


def _people(rows: Iterable[LogEntry]) -> dict[Any, list[str]]:
    """Return the names of whom of a pair these log entries are about, by id; no query for a log without pairs."""
    ids = {row.params["about"] for row in rows if "about" in row.params}
    people = Player.objects.filter(pk__in=ids).select_related("merged_into") if ids else []
    return {person.pk: [person.shown_name] for person in people}


def _matches(topics: Iterable[str]) -> dict[str, Match]:
    ids = [topic.removeprefix("match:") for topic in topics if topic.startswith("match:")]
    rows = Match.objects.filter(public_id__in=ids).select_related("player_0__merged_into", "player_1__merged_into")
    return {row.topic: row for row in rows}


def _numbers(tournament: Tournament, matches: Collection[Match]) -> dict[str, str]:
    rows = Fixture.objects.filter(match__in=matches, stage__division__tournament=tournament)
    numbers = dict(rows.values_list("match", "number"))
    return {match.topic: f"M{numbers[match.pk]}" for match in matches if match.pk in numbers}


def _who(row: LogEntry) -> str:
    if row.by == LogEntry.By.SYSTEM:
        return _("The system")
    if row.by == LogEntry.By.LINK:
        return _("A check-in kiosk") if "kiosk" in row.params else _("A personal link")
    return str(row.user) if row.user else _("A former user")


def _details(row: LogEntry, entries: Mapping[int, str], match: Match | None, zone: str) -> list[str]:
    params = row.params
    details = [] if match is None else [f"{match.player_0.shown_name} – {match.player_1.shown_name}"]
    details += _named(params, entries)
    details += _result(params, match)
    for field, (before, after) in (params.get("changes") or {}).items():
        plain = partial(_plain_result, match) if field == "result" else partial(_plain, field, zone)
        details.append(f"{_field_label(field)}: {plain(before)} → {plain(after)}")
    return [*details, _("“{text}”").format(text=params["reason"])] if params.get("reason") else details


def _kept_acts(rows: Iterable[LogEntry]) -> dict[Any, KeptAct]:
    """Return the kept acts that these log entries refer to, by number; no query for a log without any."""
    ids = {row.params["kept"] for row in rows if row.verb in KEPT and "kept" in row.params}
    acts = KeptAct.objects.filter(pk__in=ids).select_related("outbox__user") if ids else []
    return {act.pk: act for act in acts}


def _kept(row: LogEntry, act: KeptAct | None, zone: ZoneInfo) -> list[str]:
    """Return what a kept act did, on which device and when, and what became of it; nothing of other log entries."""
    if row.verb not in KEPT:
        return []
    params = row.params
    action = str(KEPT_ACTIONS.get(params["action"], params["action"]))
    details = [(act.label if act is not None else "") or action]
    if row.verb != "kept_act":
        return [*details, params["device"]] if params["device"] else details
    arrived = time_format(timezone.localtime(row.at, zone), "TIME_FORMAT")
    values = {"device": params["device"] or _("Unknown browser"), "arrived": arrived}
    if params["typed_at"]:
        typed = timezone.localtime(datetime.fromisoformat(params["typed_at"]), zone)
        values["time"] = time_format(typed, "TIME_FORMAT")
        details.append(_("kept on %(device)s at %(time)s, arrived %(arrived)s") % values)
    else:
        details.append(_("kept on %(device)s, arrived %(arrived)s") % values)
    if params.get("carried"):
        owner = act.outbox.user if act is not None else None
        details.append(_("sent for %(name)s") % {"name": owner or _("A former user")})
    return [*details, _choice_label(KeptAct.Outcome, params["outcome"])]


def _named(params: Mapping[str, Any], entries: Mapping[int, str]) -> list[str]:
    """Return the entries, fixture, round, draft and name that a log entry refers to."""
    named = {
        "entry": " – ".join(entries[entry] for entry in _entry_ids(params) if entry in entries),
        "fixture": f"M{params['fixture']}" if "fixture" in params else None,
        "round": _("Round %(number)s") % {"number": params["round"]} if params.get("round") else None,
        "number": _("Draft %(number)s") % {"number": params["number"]}
        if "number" in params and "kept" not in params
        else None,
        "batch": ", ".join(f"M{number}" for number in params["fixtures"]) if "batch" in params else None,
        "name": params.get("name"),
        "table": _("Table %(table)s") % {"table": params["table"]} if params.get("table") else None,
    }
    return [str(text) for text in named.values() if text]


def _result(params: Mapping[str, Any], match: Match | None) -> list[str]:
    details, winner = [], params.get("winner")
    if score := params.get("score"):
        details.append(_score(match, score, winner or 0))
    if winner in (0, 1) and match is not None:
        details.append(_("%(name)s wins") % {"name": match.players[winner].shown_name})
    if params.get("kind") not in (None, "played"):
        kinds = Payment.Kind if "payment" in params else Result.Kind
        details.append(_choice_label(kinds, params["kind"]))
    if params.get("source"):
        details.append(_choice_label(Result.Source, params["source"]))
    return details


def _score(match: Match | None, score: Sequence[int], side: int = 0) -> str:
    left, right = score
    return f"{left}–{right}" if match is None else score_of(match, side, (left, right))


def _plain_result(match: Match | None, value: Any) -> str:
    """Format a result as corrections log it: winner, score, kind of result."""
    _winner, score, kind = value
    words = [] if kind == "played" else [_choice_label(Result.Kind, kind)]
    return " ".join([*words, _score(match, score)] if score else words)


def _choice_label(choices: type[TextChoices], value: str) -> str:
    return str(choices(value).label) if value in choices.values else value.replace("_", " ")


def _model_field(name: str) -> "Field[Any, Any] | None":
    """Return the field of an event, a division or a floor that a change names, if it has one."""
    fields = (field for model in (Tournament, Division, Floor) for field in model._meta.concrete_fields)
    return next((field for field in fields if name in (field.name, field.attname)), None)


def _field_label(name: str) -> str:
    field = _model_field(name)
    if name == "result":
        return _("Result")
    if name == "format":
        return _("Format")
    return str(field.verbose_name) if field else name.replace("_", " ")


def _plain(name: str, zone: str, value: Any) -> str:
    """Format a value of the field `name` for the log; times are those on the clocks of `zone`."""
    if isinstance(value, list) and name == "format":
        return stages_name([StageSettings.of(stage["format"], stage) for stage in value])
    if isinstance(value, list):
        return ", ".join(_plain(name, zone, item) for item in value) or "–"
    field, text = _model_field(name), str(value)
    labels = dict(field.flatchoices if field is not None else ()) | dict(CHOICES.get(name, ()))
    if text in labels or isinstance(field, CharField | TextField):
        return str(labels.get(text, text)) or "–"
    if name == "pool_id" and text.isdigit():
        return str(RatingPool.objects.filter(pk=text).first() or text)
    if _INSTANT.fullmatch(text):
        return event_time(datetime.fromisoformat(text), zone)
    if _DAY.fullmatch(text):
        return written(date.fromisoformat(text))
    return {"True": _("yes"), "False": _("no"), "None": "–", "": "–"}.get(text, text)


def since(tournament: Tournament, topics: Sequence[str], at: datetime, *, directs: bool) -> list[LogLine]:
    """Return what changed in these topics after `at`, to show with a stale form."""
    rows = LogEntry.objects.filter(topic__in=topics, at__gt=at).select_related("user")
    return log_lines(_shown_to(rows, directs=directs)[:5], tournament)
