"""What is erased and exported of a person's matches, and how long records and chat messages are kept."""

from collections.abc import Collection, Iterable, Iterator
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db.models import Exists, F, OuterRef, Q, QuerySet, Value
from django.db.models.functions import Concat
from django.utils.translation import gettext_lazy as _

from core.live.publishing import authorise_again_on_commit
from core.locks import for_update
from matches.models import (
    Action,
    CalendarFeed,
    Card,
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
    Puzzle,
    PuzzleAnswer,
    RatingChange,
    RatingStart,
    Result,
    Submission,
)
from matches.play.lobby.leaving import boards_of, challenges_of, end_all, parts_of
from matches.records.names import Mask, names_of
from matches.records.submissions import GAVE_UP
from players.actors import Actor
from players.models import KeptAct, LogEntry, Merge, Outbox, Player, User
from players.notifications.services import forget_notifications
from players.people import mentions
from players.people.mentions import erase_texts_of
from players.people.rows import account_of
from players.people.stored_elsewhere import Leaving, Participation, StoredElsewhere, register
from players.privacy.retention import in_batches, kept_since
from players.privacy.retention import register as register_retention
from players.privacy.sections import ExportSection, Person, Row, values
from players.privacy.sections import register as register_sections

# Erasing how a person played: the judged decisions of their side are deleted, those of their opponents stay.


def forget_decisions(players: list[Player]) -> None:
    """Delete the decisions of these players in the analyses of their matches."""
    is_left = Q(analysis__match__player_0__in=players)
    is_right = Q(analysis__match__player_1__in=players)
    as_recorded = Q(analysis__swapped=False) & (Q(side=0) & is_left | Q(side=1) & is_right)
    swapped = Q(analysis__swapped=True) & (Q(side=1) & is_left | Q(side=0) & is_right)
    Decision.objects.filter(as_recorded | swapped).delete()


# Erasing a person from their matches: records, notes, reasons, chat and friendly matches. Results are kept.


NAMELESS = ["", ""]
RULINGS_WITH_REASON = Q(data__has_key="reason")
BATCH_SIZE = 50
"""Records that are in memory at a time, without their files."""


def forget(players: list[Player], user: User | None) -> None:
    """Erase what was written in these players' matches and by the account; plays, verdicts and results are kept."""
    matches = Match.objects.filter(Q(player_0__in=players) | Q(player_1__in=players))
    FriendlyBlock.objects.filter(Q(player__in=players) | Q(blocked__in=players)).delete()
    _forget_chat(players, user)
    # In the order in which the worker that applies a verdict changes rows.
    _forget_records(players, user)
    _forget_notes(matches)


def _forget_notes(matches: QuerySet[Match]) -> None:
    """Empty the notes and reasons of these matches, whoever wrote them: they are about both players."""
    KeptAct.objects.filter(outbox__topic__in=_topics(matches)).update(label="", content={}, params={})
    Claim.objects.filter(match__in=matches).update(note="", answer_note="")
    Objection.objects.filter(match__in=matches).update(reason="", answer="")
    Proposal.objects.filter(match__in=matches).update(note="")
    Result.objects.filter(match__in=matches).update(reason="")
    ChatReport.objects.filter(message__match__in=matches).update(reason="")
    for action in Action.objects.filter(RULINGS_WITH_REASON, live__match__in=matches):
        action.data.pop("reason")
        action.save(update_fields=["data"])
    erase_texts_of(LogEntry.objects.filter(topic__in=_topics(matches)))


def _forget_records(players: list[Player], user: User | None) -> None:
    """Empty the records of these players' matches and those sent by the account.

    Both names are erased from a record, since the match itself still has the name of the other player.
    """
    concerned = Q(match__player_0__in=players) | Q(match__player_1__in=players)
    if user is not None:
        concerned |= Q(submitter=user)
    known = {name for player in players for name in names_of(player)}
    # Locked, because a worker may be about to store the verdict of a record that it has read before.
    rows = for_update(Submission.objects.filter(concerned)).defer("data").prefetch_related("verdicts").order_by("pk")
    for row in rows.iterator(chunk_size=BATCH_SIZE):
        if user is not None and row.submitter_id == user.pk:
            # Keys are unique among submissions without a sender, so this one must not remain.
            row.submitter, row.key = None, ""
        empty_record(row, known)


def empty_record(row: Submission, names: set[str]) -> None:
    """Empty the file of a record and remove these names and its players' names; plays and verdicts stay."""
    mask = Mask(dict.fromkeys({*names, *((row.transcript or {}).get("players") or ())}, mentions.ERASED))
    row.data, row.file_name, row.refusal = b"", "", mask.inside(row.refusal, keys=False)
    if row.is_open:
        row.state, row.failure = Submission.State.FAILED, GAVE_UP
    if row.transcript is not None:
        row.transcript = {**mask.transcript(row.transcript), "players": NAMELESS, "info": {}}
    row.save(update_fields=["data", "file_name", "transcript", "refusal", "submitter", "key", "state", "failure"])
    for verdict in row.verdicts.all():
        verdict.content = {**mask.verdict(verdict.content), "players": NAMELESS}
        verdict.save(update_fields=["content"])


def _forget_chat(players: list[Player], user: User | None) -> None:
    """Delete what these players and this account wrote."""
    written = Q(match__player_0__in=players, side=0) | Q(match__player_1__in=players, side=1)
    if user is not None:
        written |= Q(user=user)
    ChatMessage.objects.filter(written).delete()


def _topics(matches: QuerySet[Match]) -> QuerySet[Any]:
    return matches.annotate(own_topic=Concat(Value("match:"), "public_id")).order_by().values("own_topic")


class StoredByMatches(StoredElsewhere):
    """Matches, and what was written and analysed of them."""

    def taking_part(self, players: Collection[Player], now: datetime) -> Iterable[Participation]:
        return parts_of(players)

    def has_open(self, players: Collection[Player], now: datetime) -> bool:
        return boards_of(players).exists() or challenges_of(players).exists()

    def end_all(self, leaving: Leaving) -> None:
        end_all(leaving)

    def forget(self, players: list[Player], user: User | None) -> None:
        forget(players, user)
        forget_decisions(players)

    def separating(self, merge: Merge, players: Collection[int], by: Actor, now: datetime) -> None:
        """End streams, and delete messages about the matches of these players, and cards of them."""
        matches = Match.objects.filter(Q(player_0__in=players) | Q(player_1__in=players))
        for match in matches.filter(finished_at=None):
            authorise_again_on_commit(match.topic)
        user = account_of(merge.into)
        if user is not None:
            ids = set(matches.values_list("public_id", flat=True))
            forget_notifications(user=user, since=merge.merged_at, about=ids)
            Card.objects.filter(user=user, match__in=matches).delete()

    def guests(self) -> Iterable[QuerySet[Any]]:
        of_clubs = Match.objects.exclude(club=None).order_by()
        for side in ("player_0_id", "player_1_id"):
            yield of_clubs.values(person=F(side), of_club=F("club_id"))


def connect_erasure() -> None:
    """Register what matches store about a person, and where people write freely."""
    register(StoredByMatches())
    mentions.register(Action, "data", club="live__match__club", only=RULINGS_WITH_REASON)
    mentions.register(Claim, "note", "answer_note", club="match__club")
    mentions.register(Objection, "reason", "answer", club="match__club")
    mentions.register(Proposal, "note", club="match__club")
    mentions.register(Result, "reason", club="match__club")
    mentions.register(ChatMessage, "text", club="match__club", match="match")
    mentions.register(ChatReport, "reason", club="message__match__club")


# What an export says about matches: results, reports, appointments, chat, records, ratings and play here.


EXPORTED_AT_ONCE = 200


def _plays(person: Person, prefix: str = "match__") -> Q:
    return Q(**{f"{prefix}player_0__in": person.sides}) | Q(**{f"{prefix}player_1__in": person.sides})


def _on_own_side(person: Person) -> Q:
    """Return the condition that a row with `match` and `side` is this person's side."""
    return Q(match__player_0__in=person.sides, side=0) | Q(match__player_1__in=person.sides, side=1)


def _matches(person: Person) -> Iterator[Row]:
    mine = {player.pk for player in person.sides}
    rows = Match.objects.filter(_plays(person, "")).select_related("player_0", "player_1", "club")
    for match in rows.order_by("pk").iterator(chunk_size=EXPORTED_AT_ONCE):
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
            "as_told": match.as_told,
            "told_event": match.told_event,
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


def _notes_on_times(person: Person) -> Iterable[Row]:
    rows = Proposal.objects.filter(_on_own_side(person)).exclude(note="")
    return values(rows, "note", "created_at", match_public_id=F("match__public_id"))


def _exported_chat(person: Person) -> Iterable[Row]:
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


def _exported_records(person: Person) -> Iterable[Row]:
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
        Q(live__match__player_0__in=person.sides, side=0) | Q(live__match__player_1__in=person.sides, side=1)
    )
    return values(rows, "seq", "kind", "data", "at", match_public_id=F("live__match__public_id"))


def _ratings(person: Person) -> Iterable[Row]:
    fields = ("rating", "experience", "matches", "wins", "event_matches", "event_opponents", "last_played_at")
    return values(PlayerRating.objects.filter(player__in=person.sides), *fields, pool_name=F("pool__name"))


def _rating_changes(person: Person) -> Iterable[Row]:
    rows = RatingChange.objects.filter(player__in=person.sides)
    names = {"pool_name": F("pool__name"), "match_public_id": F("match__public_id")}
    return values(rows, "finished_at", "won", "length", "rating_before", "rating_after", **names)


def _rating_starts(person: Person) -> Iterable[Row]:
    rows = RatingStart.objects.filter(player__in=person.sides)
    return values(rows, "rating", "experience", at=F("source__at"), pool_name=F("source__pool__name"))


def _kept_acts(person: Person) -> Iterable[Row]:
    """What the account did without a connection, and what came by the person's links."""
    sent = Q(outbox__user=person.user) if person.user else Q()
    for side in (0, 1):
        own = Match.objects.filter(**{f"player_{side}__in": person.players})
        sent |= Q(outbox__by=LogEntry.By.LINK, outbox__side=side, outbox__topic__in=_topics(own))
    # Without its label, which names others.
    fields = ("action", "typed_at", "arrived_at", "outcome", "decision")
    about = {"topic": "outbox__topic", "device": "outbox__device", "club_name": "outbox__club__name"}
    paths = {**about, "typed": "content__fields"}
    return values(KeptAct.objects.filter(sent), *fields, **{name: F(path) for name, path in paths.items()})


def _decisions(person: Person) -> Iterable[Row]:
    left, right = Q(analysis__match__player_0__in=person.sides), Q(analysis__match__player_1__in=person.sides)
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


def _cards(person: Person) -> Iterable[Row]:
    rows = Card.objects.filter(user=person.user) if person.user else Card.objects.none()
    paths = {"match_public_id": "match__public_id", "position": "decision__xgid", "puzzle_position": "puzzle__key"}
    fields = ("game", "kind", "state", "due", "suspended", "created_at")
    return values(rows, *fields, **{name: F(path) for name, path in paths.items()})


def _puzzle_answers(person: Person) -> Iterable[Row]:
    rows = PuzzleAnswer.objects.filter(user=person.user) if person.user else PuzzleAnswer.objects.none()
    paths = {"club_name": "puzzle__club__name", "date": "puzzle__date", "position": "puzzle__key"}
    return values(rows, "play", "is_right", "at", **{name: F(path) for name, path in paths.items()})


def _calendar(person: Person) -> Iterable[Row]:
    return values(CalendarFeed.objects.filter(user=person.user), "created_at") if person.user else ()


SECTIONS = (
    ExportSection("matches", _("Your matches."), (Match,), _matches),
    ExportSection("results", _("The results of your matches."), (Result,), _results),
    ExportSection("reports", _("Results that you reported."), (Claim,), _reports),
    ExportSection("answers", _("Your answers to reports."), (Claim,), _answers),
    ExportSection("provisional-results", _("The results of your matches."), (Provisional,), _provisional),
    ExportSection("objections", _("Your objections."), (Objection,), _objections),
    ExportSection("appointments", _("Times proposed and agreed for your matches."), (Proposal,), _appointments),
    ExportSection("appointment-notes", _("Times proposed and agreed for your matches."), (Proposal,), _notes_on_times),
    ExportSection("chat", _("What you wrote during matches."), (ChatMessage,), _exported_chat),
    ExportSection("chat-reports", _("Chat messages that you reported, removed or kept."), (ChatReport,), _chat_reports),
    ExportSection("chat-decisions", _("Chat messages that you reported, removed or kept."), (ChatDecision,),
            _chat_decisions),
    ExportSection("muted-chats", _("Matches in which you muted the chat."), (ChatMute,), _mutes),
    ExportSection("challenges", _("Friendly matches that you offered or were offered."), (Challenge,), _challenges),
    ExportSection("blocked-players", _("Players you do not play friendly matches with."), (FriendlyBlock,), _blocks),
    ExportSection("records", _("Match records that you sent in; the files are in the folder “records”."), (Submission,),
            _exported_records, _record_files),
    ExportSection("moves", _("What you did in matches played here, move by move."), (Action,), _actions),
    ExportSection("ratings", _("Your ratings."), (PlayerRating,), _ratings),
    ExportSection("rating-changes", _("Your ratings."), (RatingChange,), _rating_changes),
    ExportSection("starting-ratings", _("Ratings that a club imported for you."), (RatingStart,), _rating_starts),
    ExportSection("analysed-decisions", _("How well you decided in analysed matches."), (Decision,), _decisions),
    ExportSection("cards", _("The decisions and puzzles that you repeat."), (Card,), _cards),
    ExportSection("puzzle-answers", _("Your answers to puzzles of the day."), (PuzzleAnswer,), _puzzle_answers),
    ExportSection("kept-acts", _("What you did without a connection."), (KeptAct, Outbox), _kept_acts),
    ExportSection("play-preferences", _("How you like to play here."), (PlayPreferences,), _play_preferences),
    ExportSection("calendar", _("Your calendar feed."), (CalendarFeed,), _calendar),
)  # fmt: skip


def connect_exports() -> None:
    """Register what an export says about matches."""
    register_sections(*SECTIONS)


# How long the bytes of match records and chat messages are kept.


def _records(now: datetime) -> int:
    """Empty the files of records whose match ended long ago, and of those that were sent for no match.

    Plays and verdicts stay, so the match can still be replayed; the names in a record without a match go as well.
    """
    return _of_matches(now) + _without_match(now)


def _of_matches(now: datetime) -> int:
    before = kept_since(settings.RECORDS_KEPT_DAYS, now)
    if before is None:
        return 0
    never_finished = Q(match__state=Match.State.VOID, match__finished_at=None, created_at__lt=before)
    rows = Submission.objects.filter(Q(match__finished_at__lt=before) | never_finished).exclude(data=b"", file_name="")
    return in_batches(rows, lambda batch: batch.update(data=b"", file_name=""))


def _without_match(now: datetime) -> int:
    before = kept_since(settings.CHECKED_RECORDS_KEPT_DAYS, now)
    if before is None:
        return 0
    done = Q(state__in=[Submission.State.DONE, Submission.State.FAILED])
    rows = Submission.objects.filter(done, match=None, created_at__lt=before).exclude(data=b"", file_name="")
    return in_batches(rows, _empty)


def _empty(rows: QuerySet[Any]) -> None:
    for row in rows.defer("data").prefetch_related("verdicts").iterator(chunk_size=BATCH_SIZE):
        empty_record(row, set())


def _chat(now: datetime) -> int:
    before = kept_since(settings.CHAT_KEPT_DAYS, now)
    if before is None:
        return 0
    never_finished = Q(match__state=Match.State.VOID, match__finished_at=None, at__lt=before)
    rows = ChatMessage.objects.filter(Q(match__finished_at__lt=before) | never_finished)
    return in_batches(rows, lambda batch: batch.delete())


PUZZLES_KEPT = timedelta(days=400)
"""A club's puzzles do not repeat a position of the last 365 days."""


def _puzzles(now: datetime) -> int:
    """Delete old puzzles with the answers to them, and the answers to those that somebody still repeats."""
    before = now - PUZZLES_KEPT
    used = Exists(Card.objects.filter(puzzle=OuterRef("pk")))
    puzzles = in_batches(Puzzle.objects.filter(~used, date__lt=before.date()), lambda batch: batch.delete())
    return puzzles + in_batches(PuzzleAnswer.objects.filter(at__lt=before), lambda batch: batch.delete())


def connect_retention() -> None:
    """Register what this app deletes."""
    register_retention("records", _records)
    register_retention("chat", _chat)
    register_retention("puzzles", _puzzles)
