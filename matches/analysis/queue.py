"""The queue of analyses: rows that a worker claims, tries a few times, and gives up visibly."""

import hashlib
import resource
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import cache
from time import monotonic
from typing import Any

import structlog
from django.conf import settings
from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet, Sum

from core.locks import for_update
from core.queue import hint, messages_in, resend_after
from engine import Refused, Transcript
from engine.cube import Side
from engine.records import from_data
from matches.analysis.access import announce
from matches.analysis.backends.base import Backend
from matches.analysis.backends.gnubg import judgements_in, neutral_mat
from matches.analysis.backends.processes import ProgramLimits
from matches.analysis.judging import LONGEST, judged
from matches.analysis.situations import situations_of, spoiled_games, with_one_game
from matches.analysis.stored_xg import stored_analysis
from matches.analysis.values import LEFT_OUT, AnalysedMatch, JudgedDecision, Situation
from matches.models import Analysis, Decision, Match, Submission

# Analysing one match with one program, game by game; needs neither database nor queue.


def analyse(transcript: Transcript, backend: Backend) -> AnalysedMatch:
    """Return every decision of a match as the program judges it; games that cannot be analysed are left out.

    Refused: `not_analysable`, `match_too_long_to_analyse`, and what `Backend.judge` refuses if it refuses every game.
    """
    games: list[AnalysedMatch] = []
    refused: dict[int, Refused] = {}
    for number, situations in games_to_analyse(transcript).items():
        try:
            games.append(analyse_game(transcript, number, situations, backend))
        except Refused as refusal:
            refused[number] = refusal
    if not games:
        raise next(iter(refused.values()))
    return replace(
        games[0],
        settings=_with_left_out(games[0].settings, {*spoiled_games(transcript), *refused}),
        cpu_seconds=sum(game.cpu_seconds for game in games),
        memory=max(game.memory for game in games),
        decisions=tuple(decision for game in games for decision in game.decisions),
    )


def games_to_analyse(transcript: Transcript) -> dict[int, list[Situation]]:
    """Return the decisions of each game whose plays are legal. Refused: `not_analysable`, `match_too_long_to_analyse`.

    Of a match without decisions there is one game, since the program has a say in that, too.
    """
    games: dict[int, list[Situation]] = {}
    for situation in situations_of(transcript):
        if max(situation.own_away, situation.opposing_away) > LONGEST:
            raise Refused("match_too_long_to_analyse", most=LONGEST)
        games.setdefault(situation.game, []).append(situation)
    return games or {1: []}


def analyse_game(
    transcript: Transcript, number: int, situations: Sequence[Situation], backend: Backend
) -> AnalysedMatch:
    """Return the decisions of one game, which the program is given with the scores and results of the others.

    Refused: what `Backend.judge` refuses.
    """
    opinion = backend.judge(with_one_game(transcript, number), situations)
    pairs = zip(situations, opinion.judgements, strict=True)
    return AnalysedMatch(
        backend=backend.name,
        version=opinion.version,
        settings=opinion.settings,
        cpu_seconds=opinion.cpu_seconds,
        memory=opinion.memory,
        decisions=judged((situation, judgement) for situation, judgement in pairs if judgement is not None),
    )


def _with_left_out(settings: Mapping[str, Any], games: Collection[int]) -> dict[str, Any]:
    return {**settings, **({LEFT_OUT: sorted(games)} if games else {})}


def record_hash(transcript: Transcript) -> str:
    """Return the SHA-256 of what is analysed: the canonical `.mat` with neutral names."""
    return hashlib.sha256(neutral_mat(transcript)).hexdigest()


# Analyses that came with a record: of eXtreme Gammon in `.xg` files, and of GNU Backgammon in SGF.


def senders_analysis(data: bytes, transcript: Transcript) -> AnalysedMatch | None:
    """Return the analysis in a file with its errors computed as everywhere here; None if it has none that fits."""
    try:
        match transcript.format:
            case "xg":
                return stored_analysis(data)
            case "sgf":
                return _of_sgf(data.decode("utf-8", "replace"), transcript)
    except Refused:
        return None
    return None


def _of_sgf(text: str, transcript: Transcript) -> AnalysedMatch | None:
    situations = situations_of(transcript)
    judgements = judgements_in(text, transcript, situations, complete=False)
    pairs = [(situation, judgement) for situation, judgement in zip(situations, judgements, strict=True) if judgement]
    if not pairs:
        return None
    return AnalysedMatch("gnubg", "", {}, 0.0, 0, judged(pairs))


# It has a Celery queue of its own, so that a flood of records delays nothing else (docs/analysis.md). A worker claims
# the row, analyses a game outside any transaction, then locks the row again and writes its decisions unless its claim
# was lost, and so on with the next game: a killed worker or an answer that is refused costs one game.


log = structlog.get_logger(__name__)

ANALYSE, ANALYSIS_QUEUE = "matches.analyse", "analysis"
"""The Celery task that `hint` publishes, and the queue that it is routed to."""
MAX_ATTEMPTS = 3
CLAIM_MARGIN = timedelta(minutes=10)
"""By which a claim lasts longer than a program may take, so that it expires only if its worker died."""
RETRY_AFTER = timedelta(seconds=30)
OVER_BUDGET = timedelta(minutes=10)
"""Until a club that has used up its CPU budget is looked at again."""
SWEEP_AT_ONCE = 20
"""Rows of which one sweep sends the messages, if fewer wait for a worker: they would pile up where none runs."""
GAVE_UP, NO_PROGRAM = "analysis_gave_up", "no_analysis_backend"
HOPELESS = frozenset({"not_analysable", "match_too_long_to_analyse", NO_PROGRAM})
"""Refusals that another attempt would repeat."""

PlayedHere = Callable[[Match], Transcript]
"""Returns the transcript of a match that was played here, with the plays marked that the program made."""


def enqueue_record(*, submission: Submission, swapped: bool, now: datetime) -> Analysis | None:
    """Have a record analysed; while an analysis of it waits or works, return that one. None if analyses are off.

    `swapped` says whether the left player of the record is side 1 of its match. A director may have corrected it, so
    it is changed in every analysis of the record.
    """
    match = submission.match
    submission.analyses.exclude(swapped=swapped).update(swapped=swapped)
    subject = Analysis(submission=submission, match=match, swapped=swapped, club=match.club if match else None)
    return _enqueue(subject, Q(submission=submission), now)


def enqueue_match(*, match: Match, now: datetime) -> Analysis | None:
    """Have a match that was played here analysed, as `enqueue_record` does with a record."""
    return _enqueue(Analysis(match=match, club=match.club), Q(match=match, submission=None), now)


def _enqueue(subject: Analysis, same: Q, now: datetime) -> Analysis | None:
    if settings.ANALYSIS_BACKEND == "off":
        return None
    waiting = Analysis.objects.filter(same, origin=Analysis.Origin.COMPUTED, state__in=_OPEN).first()
    if waiting is not None:
        return waiting
    subject.created_at = subject.sent_at = now
    subject.save()
    announce(subject)
    transaction.on_commit(lambda: hint(ANALYSE, subject.pk), robust=True)
    return subject


_OPEN = (Analysis.State.QUEUED, Analysis.State.WORKING)


def claim_lasts() -> timedelta:
    """Return how long a worker may hold a row before it is considered dead."""
    return timedelta(seconds=ProgramLimits(cpu_share=settings.ANALYSIS_CPU_SHARE).longest) + CLAIM_MARGIN


def analyse_next(
    *, analysis_id: int, backend: Backend | None, played_here: PlayedHere, now: datetime
) -> Analysis | None:
    """Claim a row, analyse its match and store the decisions; None if there was nothing to do.

    Games at which a program fails are tried again later and left out at last, and a row without others is given up;
    without a backend it is given up at once, until there is one.
    """
    claimed = _claim(analysis_id, now)
    if claimed is None:
        return None
    try:
        transcript = _transcript(claimed, played_here)
        _store_senders_analysis(claimed, transcript, now)
        if backend is None:
            _note_no_program()
            raise Refused(NO_PROGRAM)
        games = games_to_analyse(transcript)
    except Refused as refused:
        return _failed(claimed, refused, (), now)
    return _analyse_games(claimed, transcript, games, backend, now)


def _analyse_games(
    claimed: Analysis,
    transcript: Transcript,
    games: Mapping[int, Sequence[Situation]],
    backend: Backend,
    now: datetime,
) -> Analysis | None:
    """Analyse the games that earlier attempts have not, and store each at once; those refused are tried again.

    The claim is renewed with each game, since it lasts as long as a program may run for one.
    """
    digest, began = record_hash(transcript), monotonic()
    stored = _games_stored(claimed, backend, digest)
    refused: dict[int, Refused] = {}
    row: Analysis | None = claimed
    for number, situations in games.items():
        if number in stored:
            continue
        cpu_before, analysed = _cpu_of_children(), None
        try:
            analysed = analyse_game(transcript, number, situations, backend)
        except Refused as refusal:
            refused[number] = refusal
        spent = analysed.cpu_seconds if analysed is not None else _cpu_of_children() - cpu_before
        row = _renewed(claimed, analysed, digest, spent, now + timedelta(seconds=monotonic() - began))
        if row is None:
            return None
        claimed = row
    left_out = {*spoiled_games(transcript), *refused}
    if refused:
        return _failed(claimed, next(iter(refused.values())), left_out, now)
    return _finished(claimed, left_out, now)


def _games_stored(claimed: Analysis, backend: Backend, digest: str) -> set[int]:
    """Return the games that the same program has analysed in an earlier attempt; others are forgotten."""
    if (claimed.backend, claimed.record_sha256) != (backend.name, digest):
        claimed.decisions.all().delete()
    return set(claimed.decisions.order_by().values_list("game", flat=True).distinct())


@cache
def _note_no_program() -> None:
    """Log it once for each worker: the site works without a program, and the pages say how to install one."""
    log.info("no_analysis_program")


def _cpu_of_children() -> float:
    """Return the CPU seconds of all programs that this process has run so far."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def _transcript(analysis: Analysis, played_here: PlayedHere) -> Transcript:
    if analysis.submission is not None:
        if analysis.submission.transcript is None:
            raise Refused("not_analysable")
        return from_data(analysis.submission.transcript)
    return played_here(analysis.analysed_match)


def _lock(analysis_id: int) -> Analysis | None:
    rows = Analysis.objects.select_related("match", "submission").defer("submission__data")
    return for_update(rows.filter(pk=analysis_id)).first()


def _claim(analysis_id: int, now: datetime) -> Analysis | None:
    """Claim the row, unless it is finished, claimed by another worker, or its club has used up its budget."""
    with transaction.atomic():
        row = _lock(analysis_id)
        if row is None or not row.is_open:
            return None
        if row.claimed_at is not None and row.claimed_at > now - claim_lasts():
            return None
        if row.not_before is not None and row.not_before > now:
            return None
        if row.attempts >= MAX_ATTEMPTS:
            _give_up(row, GAVE_UP, now)
            return None
        if _is_over_budget(row, now):
            row.not_before = now + OVER_BUDGET
            row.save(update_fields=["not_before"])
            return None
        row.state, row.claimed_at, row.attempts = Analysis.State.WORKING, now, row.attempts + 1
        row.save(update_fields=["state", "claimed_at", "attempts"])
        announce(row)
        return row


def _is_over_budget(row: Analysis, now: datetime) -> bool:
    """Whether the analyses of the club have used up its CPU seconds of the last 24 hours."""
    recent = Analysis.objects.filter(club=row.club_id, finished_at__gt=now - timedelta(days=1))
    used = recent.aggregate(seconds=Sum("cpu_seconds"))["seconds"] or 0
    return bool(used >= settings.ANALYSIS_CPU_SECONDS)


def _locked_claim(claimed: Analysis) -> Analysis | None:
    """Lock the row again; None if the claim was lost to another worker."""
    row = _lock(claimed.pk)
    return row if row is not None and row.is_open and row.claimed_at == claimed.claimed_at else None


def _renewed(
    claimed: Analysis, game: AnalysedMatch | None, digest: str, cpu_seconds: float, at: datetime
) -> Analysis | None:
    """Store a game, if it was analysed, and renew the claim; None if it was lost. What gets on is not given up."""
    with transaction.atomic():
        row = _locked_claim(claimed)
        if row is None:
            return None
        row.claimed_at = at
        row.cpu_seconds += cpu_seconds
        if game is not None:
            row.attempts = 1
            _store(row, game, digest)
        else:
            row.save(update_fields=["claimed_at", "cpu_seconds"])
        return row


def _failed(claimed: Analysis, refused: Refused, left_out: Collection[int], now: datetime) -> Analysis | None:
    """Have the row tried again, or at last finish it without the games left out; give it up if there are no others."""
    with transaction.atomic():
        row = _locked_claim(claimed)
        if row is None:
            return None
        if refused.code != NO_PROGRAM:
            log.warning("analysis_failed", analysis=row.pk, code=refused.code, attempts=row.attempts)
        if refused.code not in HOPELESS and row.attempts < MAX_ATTEMPTS:
            row.state, row.claimed_at, row.not_before = Analysis.State.QUEUED, None, now + RETRY_AFTER * row.attempts
            row.save(update_fields=["state", "claimed_at", "not_before"])
            announce(row)
            return row
        if refused.code in HOPELESS or not row.decisions.exists():
            _give_up(row, refused.code, now)
            return row
        return _finished(row, left_out, now)


def _give_up(row: Analysis, code: str, now: datetime) -> None:
    row.state, row.failure, row.finished_at = Analysis.State.FAILED, code, now
    row.save(update_fields=["state", "failure", "finished_at", "cpu_seconds"])
    announce(row)
    if code != NO_PROGRAM:
        log.error("analysis_gave_up", analysis=row.pk, code=code, attempts=row.attempts)


def _store_senders_analysis(claimed: Analysis, transcript: Transcript, now: datetime) -> None:
    """Keep the analysis that came with a record, if any, apart from ours."""
    submission = claimed.submission
    if submission is None or submission.analyses.filter(origin=Analysis.Origin.SENDER).exists():
        return
    analysed = senders_analysis(bytes(submission.data), transcript)
    if analysed is None:
        return
    row = Analysis(
        match=claimed.match,
        submission=submission,
        club=claimed.club,
        swapped=claimed.swapped,
        origin=Analysis.Origin.SENDER,
        created_at=now,
    )
    row.state, row.finished_at, row.cpu_seconds = Analysis.State.DONE, now, analysed.cpu_seconds
    with transaction.atomic():
        _store(row, analysed, record_hash(transcript))
        announce(row)


def _finished(claimed: Analysis, left_out: Collection[int], now: datetime) -> Analysis | None:
    """Show the decisions; they replace every older analysis of the same record or match."""
    with transaction.atomic():
        row = _locked_claim(claimed)
        if row is None:
            return None
        row.state, row.finished_at, row.settings = Analysis.State.DONE, now, _with_left_out(row.settings, left_out)
        row.save()
        older = Analysis.objects.filter(match=row.match_id, submission=row.submission_id, origin=row.origin)
        older.exclude(pk=row.pk).exclude(state__in=_OPEN).delete()
        announce(row)
    return row


@transaction.atomic
def store_finished(row: Analysis, analysed: AnalysedMatch, digest: str, at: datetime) -> None:
    """Finish an analysis that waits with one that was made elsewhere, as of a day on which it used no budget."""
    _store(row, analysed, digest)
    row.state, row.finished_at, row.cpu_seconds = Analysis.State.DONE, at, analysed.cpu_seconds
    row.save(update_fields=["state", "finished_at", "cpu_seconds"])
    announce(row)


def _store(row: Analysis, analysed: AnalysedMatch, digest: str) -> None:
    row.backend, row.version, row.settings = analysed.backend, analysed.version, dict(analysed.settings)
    row.record_sha256 = digest
    row.save()
    erased = _erased_sides(row)
    Decision.objects.bulk_create(
        _stored(row, decision) for decision in analysed.decisions if decision.side not in erased
    )


def _erased_sides(row: Analysis) -> set[Side]:
    """Return the sides of the record whose players were erased while the analysis waited."""
    if row.match is None:
        return set()
    players = (row.match.player_1, row.match.player_0) if row.swapped else row.match.players
    return {side for side, player in enumerate(players) if player.erased_at is not None}


def _stored(row: Analysis, decision: JudgedDecision) -> Decision:
    fields = {name: getattr(decision, name) for name in _FIELDS}
    fields["kind"], fields["phase"] = decision.kind.value, decision.phase.value
    fields["candidates"] = [candidate.as_json for candidate in decision.candidates]
    return Decision(analysis=row, **fields)


_FIELDS = tuple(JudgedDecision.__dataclass_fields__)


def send_again(*, now: datetime) -> int:
    """Publish the task again for rows that are unclaimed or whose claim has expired; return how many."""
    if messages_in(ANALYSIS_QUEUE) >= SWEEP_AT_ONCE:
        return 0
    due = Q(state=Analysis.State.QUEUED) | Q(state=Analysis.State.WORKING, claimed_at__lte=now - claim_lasts())
    not_paused = Q(not_before=None) | Q(not_before__lte=now)
    rows = Analysis.objects.filter(due, not_paused, sent_at__lte=now - resend_after()).order_by("sent_at", "pk")
    ids = list(rows.values_list("pk", flat=True)[:SWEEP_AT_ONCE])
    Analysis.objects.filter(pk__in=ids).update(sent_at=now)
    for analysis_id in ids:
        hint(ANALYSE, analysis_id)
    return len(ids)


# Analyses that were given up because no program was installed, and are taken up again once one is.
#
# Only a worker of the queue `analysis` knows whether a program runs where it is. The sweep sends it one of the rows,
# and if it has a program, it puts all of them back into the queue.


def try_given_up(*, now: datetime) -> int:
    """Send the latest of these analyses to a worker, which may have a program by now; return how many were sent."""
    latest = _given_up().order_by("-pk").first()
    if latest is None:
        return 0
    Analysis.objects.filter(pk=latest.pk).update(sent_at=now)
    hint(ANALYSE, latest.pk)
    return 1


def queue_given_up(*, now: datetime) -> int:
    """Put the analyses back into the queue, the newest first and a bounded number at a time; return how many.

    It is for a worker with a program.

    Two workers that do it at once do no harm: a row is put back once.
    """
    rows = list(_given_up().order_by("-pk").values_list("pk", flat=True)[:SWEEP_AT_ONCE])
    return sum(_queue_again(pk, now) for pk in rows)


def _given_up() -> QuerySet[Analysis]:
    """The rows that no other analysis of the same record or match has replaced."""
    same = Q(submission=OuterRef("submission")) | Q(submission=None, match=OuterRef("match"))
    newer = Q(pk__gt=OuterRef("pk")) | Q(state__in=[Analysis.State.QUEUED, Analysis.State.WORKING])
    others = Analysis.objects.filter(same, newer, origin=OuterRef("origin")).exclude(pk=OuterRef("pk"))
    return Analysis.objects.filter(~Exists(others), state=Analysis.State.FAILED, failure=NO_PROGRAM)


@transaction.atomic
def _queue_again(pk: int, now: datetime) -> int:
    changed = (
        _given_up()
        .filter(pk=pk)
        .update(
            state=Analysis.State.QUEUED,
            failure="",
            attempts=0,
            claimed_at=None,
            not_before=None,
            finished_at=None,
            sent_at=now,
        )
    )
    if changed:
        announce(Analysis.objects.get(pk=pk))
        transaction.on_commit(lambda: hint(ANALYSE, pk), robust=True)
    return changed
