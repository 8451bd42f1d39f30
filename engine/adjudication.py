"""Adjudication: checks a transcript against the rules and gives a verdict (docs/rules.md §4)."""

from dataclasses import dataclass, replace

from engine.actions import Act, Action
from engine.chronicle import Stars
from engine.cube import Score, Side, is_crawford_game
from engine.errors import Refused
from engine.match import MAX_LENGTH, MatchState, apply, next_game
from engine.records import Limits, read
from engine.replayer import GameReplay
from engine.scoring import KIND_OF_MULTIPLE, WinKind
from engine.transcript import Game, Kind, Move, Place, StatedResult, Transcript
from engine.verdict import Finding, Frame, GameVerdict, Outcome, Severity, Verdict

ERROR, WARNING, NOTE = Severity.ERROR, Severity.WARNING, Severity.NOTE


@dataclass(frozen=True, slots=True)
class Check:
    """A file read and adjudicated."""

    format: str
    dialect: str
    transcript: Transcript | None
    """None if nothing could be read; the verdict then says why."""
    verdict: Verdict

    def __repr__(self) -> str:
        source = " ".join(word for word in (self.format, self.dialect) if word) or "unreadable"
        return f"<Check {source}: {self.verdict.outcome}>"


def check_record(data: bytes | str, limits: Limits | None = None) -> Check:
    """Read a record of any known format and adjudicate it; never raises on a bad record."""
    try:
        transcript = read(data, limits or Limits())
    except Refused as refused:
        finding = Finding(ERROR, refused.code, refused.params)
        verdict = Verdict(Outcome.REJECTED, ("", ""), None, (0, 0), (0, 0), None, (), (finding,))
        return Check("", "", None, verdict)
    return Check(transcript.format, transcript.dialect, transcript, adjudicate(transcript))


def adjudicate(transcript: Transcript) -> Verdict:
    """Return the verdict on a transcript: outcome, games, score and every finding. Never raises on bad input."""
    return _adjudicated(transcript)


def _adjudicated(transcript: Transcript, frames: list[Frame] | None = None) -> Verdict:
    """Return the verdict; the frames of the replay are appended to `frames` if it is given.

    A first game that starts one point short of the match may be the Crawford game or come after it. It is taken to come
    after it if only that gives a record without errors.
    """
    own_frames: list[Frame] | None = None if frames is None else []
    verdict = _Adjudication(transcript, own_frames).verdict()
    if verdict.outcome is Outcome.REJECTED and verdict.games and verdict.games[0].crawford:
        other_frames: list[Frame] | None = None if frames is None else []
        other = _Adjudication(transcript, other_frames, crawford_played=True).verdict()
        if other.outcome is not Outcome.REJECTED:
            verdict, own_frames = other, other_frames
    if frames is not None:
        frames += own_frames or []
    return verdict


def replay(transcript: Transcript) -> tuple[Frame, ...]:
    """Return every event of the match with the position before and after it."""
    frames: list[Frame] = []
    _adjudicated(transcript, frames)
    return tuple(frames)


def normalised(transcript: Transcript) -> Transcript:
    """Return the match in a uniform form: legal plays as single steps with their actual hits, and every result stated.

    What was not legal stays as recorded.
    """
    frames: list[Frame] = []
    # A record may give two games the same number, so here they are counted.
    counted = tuple(replace(game, number=number) for number, game in enumerate(transcript.games, start=1))
    verdict = _adjudicated(replace(transcript, games=counted), frames)
    plays = {(f.game, f.event): f for f in frames if f.kind is Kind.PLAY and f.legal}
    games = []
    for number, game in enumerate(transcript.games, start=1):
        events = list(game.events)
        for at, event in enumerate(events):
            frame = plays.get((number, at))
            if frame is not None and event.kind is Kind.PLAY:
                moves = tuple(Move((step.source, step.target), (True,) if step.hit else ()) for step in frame.steps)
                events[at] = event._replace(moves=moves)
        result = verdict.games[number - 1] if number <= len(verdict.games) else None
        claim = game.claim
        if claim is None and result is not None and result.winner is not None:
            claim = StatedResult(result.winner, result.points)
        start = result.start if result is not None else game.start
        games.append(replace(game, events=tuple(events), claim=claim, start=start))
    return replace(transcript, games=tuple(games))


class _Adjudication:
    """The state of an adjudication over the games of a match."""

    def __init__(
        self, transcript: Transcript, frames: list[Frame] | None = None, *, crawford_played: bool = False
    ) -> None:
        self.transcript = transcript
        self.length = transcript.length or 0
        self.frames = frames
        self.findings = [
            Finding(
                _SEVERITIES.get(problem.severity, ERROR),
                problem.code,
                problem.params,
                problem.game,
                None,
                problem.place,
            )
            for problem in transcript.problems
        ]
        self.games: list[GameVerdict] = []
        self.stars = Stars(used=_marks_hits(transcript))
        self.start = self._start_score()
        self.state = self._first_state(crawford_played=crawford_played)
        self.score = self.start
        if crawford_played:
            self._report(WARNING, "crawford_already_played", game=transcript.games[0])
        if transcript.jacoby and self.length:
            self._report(ERROR, "jacoby_in_match")
        self.winner: Side | None = None

    def verdict(self) -> Verdict:
        if self.transcript.length is None:
            self._report(ERROR, "length_missing")
        elif not 0 <= self.transcript.length <= MAX_LENGTH:
            self._report(ERROR, "bad_length", length=self.transcript.length, most=MAX_LENGTH)
        if not self.transcript.games:
            self._report(ERROR, "no_games")
        for index, game in enumerate(self.transcript.games):
            if self.winner is not None:
                self._report(ERROR, "play_after_match", game=game)
                break
            if self._adjudicate(index, game):
                self._report(NOTE, "too_many_findings", game=game)
                break
        self._report_absent_stars()
        outcome = self._outcome()
        if outcome in _COMPLETE and not _each_side_moved(self.transcript):
            self._report(WARNING, "side_never_moved")
            outcome = Outcome.INCOMPLETE
        return Verdict(
            outcome,
            self.transcript.players,
            self.transcript.length,
            self.start,
            self.score,
            self.winner,
            tuple(self.games),
            tuple(self.findings),
        )

    def _start_score(self) -> Score:
        first = self.transcript.games[0].start if self.transcript.games else None
        start = first or self.transcript.start or (0, 0)
        if min(start) < 0 or (self.length and max(start) >= self.length):
            place = self.transcript.games[0].place if self.transcript.games else Place()
            params = {"left": start[0], "right": start[1], "length": self.length}
            self.findings.append(Finding(ERROR, "bad_score", params, place=place))
            return (0, 0)
        if self.length and start != (0, 0):
            self.findings.append(Finding(NOTE, "start_score", {"left": start[0], "right": start[1]}))
        return start

    def _first_state(self, *, crawford_played: bool) -> MatchState:
        """Return the state before the first game. An impossible length is reported but kept."""
        rule = self.transcript.crawford_rule
        crawford = is_crawford_game(length=self.length, score=self.start, played=crawford_played, rule=rule)
        return MatchState(
            self.length,
            self.start,
            crawford_rule=rule,
            jacoby=self.transcript.jacoby and not self.length,
            crawford=crawford,
            crawford_played=crawford_played,
        )

    def _report(
        self, severity: Severity, code: str, game: Game | None = None, place: Place | None = None, **params: object
    ) -> None:
        where = place or (game.place if game else Place())
        self.findings.append(Finding(severity, code, params, game.number if game else None, None, where))

    def _report_absent_stars(self) -> None:
        """Note that a record does not mark hits, if there were any and none is marked."""
        if self.stars.missing and self.transcript.format == "mat":
            self._report(NOTE, "stars_absent")

    def _outcome(self) -> Outcome:
        severities = {finding.severity for finding in self.findings}
        if ERROR in severities:
            return Outcome.REJECTED
        unfinished = any(game.kind is WinKind.UNFINISHED for game in self.games)
        if unfinished or (self.length and self.winner is None):
            return Outcome.INCOMPLETE
        return Outcome.ACCEPTED_WITH_WARNINGS if WARNING in severities else Outcome.ACCEPTED

    # One game

    def _adjudicate(self, index: int, game: Game) -> bool:
        """Adjudicate a game; return True if it has so many faults that the rest of the record is not checked."""
        self._check_header(index, game)
        one_short_each = self.length > 1 and self.score.count(self.length - 1) == len(_SIDES)
        if game.crawford and not self.state.crawford and not one_short_each:
            self._report(ERROR, "not_crawford", game=game)
        played = GameReplay(game=game, state=self.state, stars=self.stars, frames=self.frames, findings=self.findings)
        played.run()
        following = self.transcript.games[index + 1] if index + 1 < len(self.transcript.games) else None
        if played.over:
            self._compare_with_claim(played, following)
        else:
            self._conclude(played, following)
        self._add_result(played)
        return played.exhausted

    def _check_header(self, index: int, game: Game) -> None:
        if game.start is None or index == 0 or game.start == self.score:
            return
        stated, counted = game.start, self.score
        if self.length and tuple(min(points, self.length) for points in counted) == stated:
            return
        self._report(
            ERROR,
            "score_contradicts",
            game=game,
            stated=f"{stated[0]}–{stated[1]}",
            counted=f"{counted[0]}–{counted[1]}",
        )
        if min(stated) >= 0 and (not self.length or max(stated) < self.length):
            self.score = stated
            self.state = apply(self.state, Action(Act.SET_SCORE, score=stated))

    def _add_result(self, played: GameReplay) -> None:
        start = self.score
        self.state = played.after or next_game(played.state)
        if played.conceded_match and played.winner is not None:
            left, right = start
            self.score = (left + played.points, right) if played.winner == 0 else (left, right + played.points)
        else:
            self.score = self.state.score
        if self.state.is_over:
            self.winner = self.state.winner
        crawford, cube = played.state.crawford, played.state.cube
        self.games.append(
            GameVerdict(
                played.game.number,
                start,
                self.score,
                crawford,
                played.winner,
                played.kind,
                cube,
                played.points,
                rests_on_words=_rests_on_words(played),
            )
        )

    # How the game ended

    def _needed(self, winner: Side) -> int:
        """Return the points the winner still needs for the match; 0 in money play."""
        return max(0, self.length - self.score[winner])

    def _compare_with_claim(self, played: GameReplay, following: Game | None) -> None:
        """Compare the result on the board with the stated one."""
        claim, winner = played.game.claim, played.winner
        if winner is None:
            return
        if claim is None:
            if self.transcript.format == "mat" and not played.conceded_match:
                played.report(WARNING, "result_missing")
            return
        if claim.winner != winner:
            played.report(ERROR, "wrong_winner")
        if claim.winner != winner or played.conceded_match:
            return
        needed = self._needed(winner)
        if claim.points is not None and claim.points != played.points:
            params = {"stated": claim.points, "counted": played.points}
            capped = following is None and 0 < needed <= claim.points < played.points
            played.report(WARNING if capped else ERROR, "points_capped" if capped else "wrong_points", params)
        if claim.match and self.length and played.points < needed:
            played.report(ERROR, "match_not_won", {"needed": needed, "counted": played.points})

    def _conclude(self, played: GameReplay, following: Game | None) -> None:
        """End a game that did not end on the board: by a stated drop or resignation, or as unfinished."""
        claim = played.game.claim or self._claim_of_resignation(played) or self._claim_of_next_header(played, following)
        if claim is None:
            if following is not None:
                played.report(ERROR, "game_unfinished")
            return
        if claim.winner not in _SIDES or (played.resignation is not None and claim.winner == played.resignation.side):
            played.report(ERROR, "wrong_winner")
            return
        points = claim.points if claim.points is not None else self._points_of_resignation(played)
        if played.doubler == claim.winner and points == played.state.cube:
            played.report(WARNING, "drop_missing")
            played.drop_double()
            return
        self._give_up(played, claim, points, following)

    def _claim_of_resignation(self, played: GameReplay) -> StatedResult | None:
        return (
            None if played.resignation is None else StatedResult(1 - played.resignation.side, played.resignation.points)
        )

    def _points_of_resignation(self, played: GameReplay) -> int:
        resignation = played.resignation
        if resignation is not None and resignation.points is not None:
            return resignation.points
        return (resignation.value if resignation is not None and resignation.value else 1) * played.state.cube

    def _claim_of_next_header(self, played: GameReplay, following: Game | None) -> StatedResult | None:
        """Return the result that the score in the next header implies, if one side has gained points."""
        if following is None or following.start is None:
            return None
        won = [after - before for after, before in zip(following.start, self.score, strict=True)]
        if sorted(won)[0] != 0 or max(won) <= 0:
            return None
        played.report(WARNING, "result_missing")
        return StatedResult(won.index(max(won)), max(won))

    def _give_up(self, played: GameReplay, claim: StatedResult, points: int, following: Game | None) -> None:
        """End the game by resignation, or the match by concession if the points can only mean that."""
        winner, needed, cube = claim.winner, self._needed(claim.winner), played.state.cube
        multiple, odd = divmod(points, cube)
        if claim.match and points < needed:
            played.report(ERROR, "match_not_won", {"needed": needed, "counted": points})
        if odd == 0 and multiple in KIND_OF_MULTIPLE:
            if played.resignation is None:
                played.report(NOTE, "resignation_implied", {"points": points})
            if multiple > played.max_to_lose(1 - winner):
                played.report(WARNING, "resigned_too_much", {"points": points})
            played.resign(1 - winner, multiple)
        elif self.length and following is None and (points == needed or points > 3 * cube):
            played.report(WARNING, "match_conceded", {"stated": points, "needed": needed})
            played.concede(1 - winner)
        else:
            played.report(ERROR, "impossible_points", {"stated": points, "cube": cube})
            played.end_by_ruling(winner, points)


def _each_side_moved(transcript: Transcript) -> bool:
    """Whether both sides roll and play somewhere in the record."""
    moved: set[int] = set()
    for game in transcript.games:
        for event in game.events:
            if event.kind in _MOVED:
                moved.add(event.side)
            if len(moved) == len(_SIDES):
                return moved == set(_SIDES)
    return False


def _rests_on_words(played: GameReplay) -> bool:
    """Whether the result of a game is only stated, not shown by the plays or a recorded resignation."""
    if played.winner is None:
        return False
    implied = played.kind is WinKind.RESIGNATION and played.resignation is None
    return implied or played.kind in _GIVEN_UP or not any(event.kind in _MOVED for event in played.game.events)


def _marks_hits(transcript: Transcript) -> bool:
    return any(True in move.hits for game in transcript.games for event in game.events for move in event.moves or ())


_SIDES = (0, 1)
_MOVED = (Kind.PLAY, Kind.ILLEGAL)
_GIVEN_UP = (WinKind.CONCESSION, WinKind.FLAG)
_COMPLETE = (Outcome.ACCEPTED, Outcome.ACCEPTED_WITH_WARNINGS)
_SEVERITIES = {severity.value: severity for severity in Severity}
