"""The log of an event as sentences: who, what, when, from what to what."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any

from django.db.models import Q, QuerySet, Value
from django.db.models.functions import Concat
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from core.pagination import page_of
from matches.models import Match
from matches.presentation.labels import score_of
from players.models import LogEntry
from tournaments.models import Division, Entry, Fixture, Tournament

ON_A_PAGE = 50

VERBS: dict[str, str] = {
    "tournament_created": gettext_noop("made the event"),
    "tournament_changed": gettext_noop("changed the event"),
    "tournament_published": gettext_noop("published the event"),
    "tournament_cancelled": gettext_noop("cancelled the event"),
    "division_created": gettext_noop("made the division"),
    "division_changed": gettext_noop("changed the settings"),
    "stages_changed": gettext_noop("changed the format"),
    "deadlines_changed": gettext_noop("changed the deadlines"),
    "deadline_moved": gettext_noop("moved the deadline"),
    "entered": gettext_noop("entered"),
    "entered_late": gettext_noop("entered late"),
    "bye_requested": gettext_noop("noted a requested bye"),
    "bye_taken_back": gettext_noop("took back a requested bye"),
    "rounds_changed": gettext_noop("changed how the rounds go on"),
    "kept_apart": gettext_noop("kept two apart"),
    "let_meet": gettext_noop("let two meet after all"),
    "entry_withdrawn": gettext_noop("took out of the division"),
    "entry_returned": gettext_noop("let back in"),
    "late_entry_undone": gettext_noop("undid a late entry"),
    "bracket_withdrawn": gettext_noop("took out of the bracket"),
    "moved_up": gettext_noop("moved up from the waiting list"),
    "checked_in": gettext_noop("checked in"),
    "checked_out": gettext_noop("took back the check-in"),
    "season_drafted": gettext_noop("drafted the next season"),
    "draw_requested": gettext_noop("asked for a draw"),
    "drawn": gettext_noop("drew"),
    "draw_published": gettext_noop("published the draw"),
    "countdown_stopped": gettext_noop("stopped the countdown"),
    "draw_taken_back": gettext_noop("took the draw back"),
    "round_taken_back": gettext_noop("took a round back"),
    "deadline_director": gettext_noop("the deadline passed; the director rules"),
    "deadline_extended": gettext_noop("the deadline passed; extended once"),
    "deadline_both_lose": gettext_noop("the deadline passed; both lose"),
    "deadline_proposer_wins": gettext_noop("the deadline passed; who proposed times wins"),
    "deadline_season_over": gettext_noop("the season ended; the match was not played"),
    "deadline_lots": gettext_noop("the deadline passed; lots were drawn"),
    "match_opened": gettext_noop("opened the match"),
    "match_voided": gettext_noop("voided the match"),
    "match_reinstated": gettext_noop("let the match stand again"),
    "match_due_moved": gettext_noop("moved the match's deadline"),
    "result_appended": gettext_noop("booked a result"),
    "line_entered": gettext_noop("entered it by quick entry"),
    "line_undone": gettext_noop("undid the quick entry"),
    "result_corrected": gettext_noop("corrected the result"),
    "correction_left": gettext_noop("looked at a correction and let the result stand"),
    "correction_undone": gettext_noop("undid a correction"),
    "claimed": gettext_noop("claimed a score"),
    "claim_confirmed": gettext_noop("confirmed the claim"),
    "claim_contested": gettext_noop("contested the claim"),
    "claim_withdrawn": gettext_noop("took the claim back"),
    "claim_unanswered": gettext_noop("let an unanswered claim stand"),
}
KINDS: dict[str, Sequence[str]] = {
    "results": ("result_appended", "line_entered", "line_undone",
                "match_voided", "match_reinstated", "result_corrected", "correction_left",
                "correction_undone", "claimed", "claim_confirmed", "claim_contested",
                "claim_withdrawn", "claim_unanswered"),
    "entries": ("entered", "entered_late", "bye_requested", "bye_taken_back",
                "entry_withdrawn", "entry_returned", "late_entry_undone", "bracket_withdrawn", "moved_up", "checked_in",
                "checked_out"),
    "draw": ("draw_requested", "drawn", "draw_published", "countdown_stopped", "draw_taken_back",
             "round_taken_back", "rounds_changed", "kept_apart", "let_meet"),
    "settings": ("tournament_created", "tournament_changed", "tournament_published", "tournament_cancelled",
                 "season_drafted",
                 "division_created", "division_changed", "stages_changed", "deadlines_changed", "deadline_moved"),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class LogLine:
    """One line of the log."""

    at: datetime
    who: str
    where: str
    what: str
    details: list[str]
    verb: str
    topic: str
    params: Mapping[str, Any]


def entries_of(tournament: Tournament) -> QuerySet[LogEntry]:
    """Everything that was done to an event, its divisions and its matches; the newest first."""
    topics = [tournament.topic, *(division.topic for division in tournament.divisions.all())]
    matches = (
        Match.objects.filter(parent_topic__in=topics)
        .order_by()
        .annotate(own_topic=Concat(Value("match:"), "public_id"))
        .values("own_topic")
    )
    return LogEntry.objects.filter(Q(topic__in=topics) | Q(topic__in=matches)).select_related("user")


def of_kind(rows: QuerySet[LogEntry], kind: str) -> QuerySet[LogEntry]:
    """Only lines of one kind: results, entries, draw, settings; all for any other word."""
    return rows.filter(verb__in=KINDS[kind]) if kind in KINDS else rows


def log_page(tournament: Tournament, kind: str, who: str, number: str | None) -> dict[str, Any]:
    """A page of the log."""
    rows = of_kind(entries_of(tournament), kind)
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
    """Lines as sentences: three queries for any number."""
    rows = list(rows)
    divisions = {division.topic: division.name for division in Division.objects.filter(tournament=tournament)}
    matches = _matches([row.topic for row in rows])
    numbers = _numbers(tournament, matches.values())
    ids = {entry for row in rows for entry in _meant(row.params)}
    entries = {entry.pk: entry.player.shown_name for entry in Entry.objects.filter(pk__in=ids).select_related("player")}
    return [
        LogLine(
            row.at,
            _who(row),
            divisions.get(row.topic) or numbers.get(row.topic, ""),
            _(VERBS[row.verb]) if row.verb in VERBS else row.verb.replace("_", " "),
            _details(row, entries, matches.get(row.topic)),
            row.verb,
            row.topic,
            row.params,
        )
        for row in rows
    ]


def _meant(params: Mapping[str, Any]) -> list[int]:
    """The entries that a line names, by primary key."""
    both = [params.get("entry"), *(params.get("entries") or ())]
    return [entry for entry in both if isinstance(entry, int)]


def _matches(topics: Iterable[str]) -> dict[str, Match]:
    """Topic -> match, with its players."""
    ids = [topic.removeprefix("match:") for topic in topics if topic.startswith("match:")]
    rows = Match.objects.filter(public_id__in=ids).select_related("player_0", "player_1")
    return {row.topic: row for row in rows}


def _numbers(tournament: Tournament, matches: Collection[Match]) -> dict[str, str]:
    """Topic of a match -> its M number in this event."""
    rows = Fixture.objects.filter(match__in=matches, stage__division__tournament=tournament)
    numbers = dict(rows.values_list("match", "number"))
    return {match.topic: f"M{numbers[match.pk]}" for match in matches if match.pk in numbers}


def _who(row: LogEntry) -> str:
    if row.by == LogEntry.By.SYSTEM:
        return _("The system")
    if row.by == LogEntry.By.LINK:
        return _("A personal link")
    return str(row.user) if row.user else _("A former user")


def _details(row: LogEntry, entries: Mapping[int, str], match: Match | None) -> list[str]:
    params = row.params
    made = [] if match is None else [f"{match.player_0.shown_name} – {match.player_1.shown_name}"]
    made += _named(params, entries)
    made += _result(params, match)
    for field, (before, after) in (params.get("changes") or {}).items():
        plain = partial(_plain_result, match) if field == "result" else _plain
        made.append(f"{field.replace('_', ' ')}: {plain(before)} → {plain(after)}")
    return [*made, f"“{params['reason']}”"] if params.get("reason") else made


def _named(params: Mapping[str, Any], entries: Mapping[int, str]) -> list[str]:
    """What was meant: an entry, a fixture, a draft, a new name."""
    named = {
        "entry": " – ".join(entries[entry] for entry in _meant(params) if entry in entries),
        "fixture": f"M{params['fixture']}" if "fixture" in params else None,
        "round": _("round %(round)s") % {"round": params["round"]} if params.get("round") else None,
        "number": _("draft %(number)s") % {"number": params["number"]} if "number" in params else None,
        "name": params.get("name"),
    }
    return [str(text) for text in named.values() if text]


def _result(params: Mapping[str, Any], match: Match | None) -> list[str]:
    made = []
    if score := params.get("score"):
        made.append(_score(match, score))
    if (winner := params.get("winner")) in (0, 1) and match is not None:
        made.append(_("%(name)s wins") % {"name": match.players[winner].shown_name})
    if params.get("kind") not in (None, "played"):
        made.append(str(params["kind"]).replace("_", " "))
    if params.get("source"):
        made.append(_("by %(source)s") % {"source": params["source"]})
    return made


def _score(match: Match | None, score: Sequence[int]) -> str:
    left, right = score
    return f"{left}–{right}" if match is None else score_of(match, 0, (left, right))


def _plain_result(match: Match | None, value: Any) -> str:
    """A result as corrections keep it: winner, score, kind of ending."""
    _winner, score, kind = value
    words = [] if kind == "played" else [kind.replace("_", " ")]
    return " ".join([*words, _score(match, score)] if score else words)


def _plain(value: Any) -> str:
    text = ", ".join(str(one) or "–" for one in value) if isinstance(value, list) else str(value)
    return text or "–"


def since(tournament: Tournament, topics: Sequence[str], at: datetime) -> list[LogLine]:
    """What was done to some topics after an instant: what a stale form has missed."""
    rows = LogEntry.objects.filter(topic__in=topics, at__gt=at).select_related("user")[:5]
    return log_lines(rows, tournament)
