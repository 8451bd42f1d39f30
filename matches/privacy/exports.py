"""What an export says about matches: results, reports, appointments, chat, records, ratings and play here."""

from collections.abc import Iterable, Iterator

from django.db.models import F, Q, QuerySet
from django.utils.translation import gettext_lazy as _

from matches.models import (
    Action,
    CalendarFeed,
    Challenge,
    ChatDecision,
    ChatMessage,
    ChatMute,
    ChatReport,
    Claim,
    Decision,
    FriendlyBlock,
    Match,
    Objection,
    PlayerRating,
    PlayPreferences,
    Proposal,
    Provisional,
    RatingChange,
    RatingStart,
    Result,
    Submission,
)
from players.privacy.sections import ExportSection, Person, Row, register, values

AT_ONCE = 200


def _plays(person: Person, prefix: str = "match__") -> Q:
    """Return the condition that this person plays the match."""
    return Q(**{f"{prefix}player_0__in": person.players}) | Q(**{f"{prefix}player_1__in": person.players})


def _on_own_side(person: Person) -> Q:
    """Return the condition that a row with `match` and `side` is this person's side."""
    return Q(match__player_0__in=person.players, side=0) | Q(match__player_1__in=person.players, side=1)


def _matches(person: Person) -> Iterator[Row]:
    mine = {player.pk for player in person.players}
    rows = Match.objects.filter(_plays(person, "")).select_related("player_0", "player_1", "club")
    for match in rows.order_by("pk").iterator(chunk_size=AT_ONCE):
        side = 0 if match.player_0_id in mine else 1
        yield {
            "match": match.public_id,
            "club": match.club.name if match.club else "",
            "side": side,
            "opponent": match.names[1 - side],
            "length": match.length,
            "state": match.state,
            "created_at": match.created_at,
            "begun_at": match.begun_at,
            "finished_at": match.finished_at,
        }


def _results(person: Person) -> Iterable[Row]:
    fields = ("version", "winner", "score_0", "score_1", "kind", "source", "reason", "at", "finality")
    return values(Result.objects.filter(_plays(person)), *fields, match_public_id=F("match__public_id"))


def _provisional(person: Person) -> Iterable[Row]:
    fields = ("why", "against", "told_0", "told_1", "ends_at", "ended_at", "end")
    rows = Provisional.objects.filter(_plays(person, "result__match__"))
    return values(rows, *fields, match_public_id=F("result__match__public_id"))


def _reports(person: Person) -> Iterable[Row]:
    fields = ("winner", "score_0", "score_1", "kind", "note", "state", "created_at", "seen_at", "answered_at")
    return values(Claim.objects.filter(_on_own_side(person)), *fields, match_public_id=F("match__public_id"))


def _answers(person: Person) -> Iterable[Row]:
    rows = Claim.objects.filter(_plays(person)).exclude(_on_own_side(person)).exclude(answered_at=None)
    return values(rows, "answer_note", "state", "answered_at", match_public_id=F("match__public_id"))


def _objections(person: Person) -> Iterable[Row]:
    rows = Objection.objects.filter(_on_own_side(person))
    return values(rows, "reason", "created_at", "state", "answer", "answered_at", match_public_id=F("match__public_id"))


def _appointments(person: Person) -> Iterable[Row]:
    fields = ("side", "times", "state", "agreed_at", "created_at", "here_0", "here_1")
    return values(Proposal.objects.filter(_plays(person)), *fields, match_public_id=F("match__public_id"))


def _appointment_notes(person: Person) -> Iterable[Row]:
    rows = Proposal.objects.filter(_on_own_side(person)).exclude(note="")
    return values(rows, "note", "created_at", match_public_id=F("match__public_id"))


def _chat(person: Person) -> Iterable[Row]:
    written = _on_own_side(person) | (Q(user=person.user) if person.user else Q())
    return values(
        ChatMessage.objects.filter(written), "room", "phrase", "text", "at", match_public_id=F("match__public_id")
    )


def _chat_reports(person: Person) -> Iterable[Row]:
    rows = ChatReport.objects.filter(user=person.user) if person.user else ChatReport.objects.none()
    return values(rows, "reason", "at", match_public_id=F("message__match__public_id"))


def _chat_decisions(person: Person) -> Iterable[Row]:
    rows = ChatDecision.objects.filter(user=person.user) if person.user else ChatDecision.objects.none()
    return values(rows, "removes", "at", match_public_id=F("message__match__public_id"))


def _mutes(person: Person) -> Iterable[Row]:
    return values(ChatMute.objects.filter(_on_own_side(person)), match_public_id=F("match__public_id"))


def _challenges(person: Person) -> Iterable[Row]:
    rows = Challenge.objects.filter(Q(challenger__in=person.players) | Q(opponent__in=person.players))
    return values(rows, "length", "clock", "state", "created_at", from_player=F("challenger__public_id"))


def _blocks(person: Person) -> Iterable[Row]:
    rows = FriendlyBlock.objects.filter(player__in=person.players)
    return values(rows, "created_at", blocked_player=F("blocked__public_id"))


def _records(person: Person) -> Iterable[Row]:
    fields = ("public_id", "source", "file_name", "size", "sha256", "created_at", "state", "standing", "format")
    return values(_own_records(person), *fields, match_public_id=F("match__public_id"))


def _own_records(person: Person) -> QuerySet[Submission]:
    sent = _on_own_side(person) | (Q(submitter=person.user) if person.user else Q())
    return Submission.objects.filter(sent)


def _record_files(person: Person) -> Iterator[tuple[str, bytes]]:
    for row in _own_records(person).only("public_id", "file_name", "data").order_by("pk").iterator(chunk_size=1):
        if row.data:
            yield f"records/{row.public_id}-{row.file_name or 'record.txt'}", bytes(row.data)


def _actions(person: Person) -> Iterable[Row]:
    rows = Action.objects.filter(
        Q(live__match__player_0__in=person.players, side=0) | Q(live__match__player_1__in=person.players, side=1)
    )
    return values(rows, "seq", "kind", "data", "at", match_public_id=F("live__match__public_id"))


def _ratings(person: Person) -> Iterable[Row]:
    fields = ("rating", "experience", "matches", "wins", "last_played_at")
    return values(PlayerRating.objects.filter(player__in=person.players), *fields, pool_name=F("pool__name"))


def _rating_changes(person: Person) -> Iterable[Row]:
    rows = RatingChange.objects.filter(player__in=person.players)
    names = {"pool_name": F("pool__name"), "match_public_id": F("match__public_id")}
    return values(rows, "finished_at", "won", "length", "rating_before", "rating_after", **names)


def _rating_starts(person: Person) -> Iterable[Row]:
    rows = RatingStart.objects.filter(player__in=person.players)
    return values(rows, "rating", "experience", at=F("source__at"), pool_name=F("source__pool__name"))


def _decisions(person: Person) -> Iterable[Row]:
    left, right = Q(analysis__match__player_0__in=person.players), Q(analysis__match__player_1__in=person.players)
    straight = Q(analysis__swapped=False) & (Q(side=0) & left | Q(side=1) & right)
    swapped = Q(analysis__swapped=True) & (Q(side=1) & left | Q(side=0) & right)
    fields = ("game", "kind", "xgid", "played", "best", "error", "luck")
    # How a match was played is shown to nobody before it is over, not even to its players.
    rows = Decision.objects.filter(straight | swapped, analysis__match__state=Match.State.SETTLED)
    # What came with a record is its sender's analysis, and stands beside ours.
    names = {"match_public_id": "match__public_id", "origin": "origin", "program": "backend"}
    return values(rows, *fields, **{name: F(f"analysis__{path}") for name, path in names.items()})


def _play_preferences(person: Person) -> Iterable[Row]:
    rows = PlayPreferences.objects.filter(user=person.user) if person.user else PlayPreferences.objects.none()
    return values(rows, *PlayPreferences.FIELDS)


def _calendar(person: Person) -> Iterable[Row]:
    return values(CalendarFeed.objects.filter(user=person.user), "created_at") if person.user else ()


SECTIONS = (
    ExportSection("matches", _("Your matches."), (Match,), _matches),
    ExportSection("results", _("The results of your matches, corrected ones included."), (Result,), _results),
    ExportSection("reports", _("Results that you reported."), (Claim,), _reports),
    ExportSection("answers", _("Your answers to reports."), (Claim,), _answers),
    ExportSection("provisional-results", _("Provisional results of your matches."), (Provisional,), _provisional),
    ExportSection("objections", _("Your objections."), (Objection,), _objections),
    ExportSection("appointments", _("Times proposed and agreed for your matches."), (Proposal,), _appointments),
    ExportSection("appointment-notes", _("What you wrote with the times you proposed."), (Proposal,), _appointment_notes),
    ExportSection("chat", _("What you wrote during matches."), (ChatMessage,), _chat),
    ExportSection("chat-reports", _("Chat messages that you reported."), (ChatReport,), _chat_reports),
    ExportSection("chat-decisions", _("Chat messages that you removed or kept."), (ChatDecision,), _chat_decisions),
    ExportSection("muted-chats", _("Matches in which you muted the chat."), (ChatMute,), _mutes),
    ExportSection("challenges", _("Friendly matches that you offered or were offered."), (Challenge,), _challenges),
    ExportSection("blocked-players", _("Players you do not play friendly matches with."), (FriendlyBlock,), _blocks),
    ExportSection("records", _("Match records that you sent in; the files are in the folder “records”."), (Submission,),
            _records, _record_files),
    ExportSection("moves", _("What you did in matches played here, move by move."), (Action,), _actions),
    ExportSection("ratings", _("Your ratings."), (PlayerRating,), _ratings),
    ExportSection("rating-changes", _("How each match changed your rating."), (RatingChange,), _rating_changes),
    ExportSection("starting-ratings", _("Ratings that a club imported for you."), (RatingStart,), _rating_starts),
    ExportSection("analysed-decisions", _("How well you decided in analysed matches."), (Decision,), _decisions),
    ExportSection("play-preferences", _("How you like to play here."), (PlayPreferences,), _play_preferences),
    ExportSection("calendar", _("Your calendar feed."), (CalendarFeed,), _calendar),
)  # fmt: skip


def connect() -> None:
    """Register what an export says about matches."""
    register(*SECTIONS)
