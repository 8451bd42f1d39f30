"""Labels for players, outcomes, results, reports and durations."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.translation import gettext, ngettext

from matches.models import Claim, Match, Provisional, Result
from matches.ratings import rated

KIND_OF_MULTIPLE = {1: "single", 2: "gammon", 3: "backgammon"}


def names(players: Sequence[str]) -> tuple[str, str]:
    """The players' names; “White” and “Black” where a record lacks them."""
    left, right = (name.strip() for name in players)
    return left or gettext("White"), right or gettext("Black")


def outcome(code: str) -> tuple[str, str]:
    """The label of an outcome and a sentence that explains it."""
    return {
        "accepted": (gettext("Accepted"), gettext("Every play is legal, and the score follows from the plays.")),
        "accepted_with_warnings": (
            gettext("Accepted with warnings"),
            gettext("The result stands as recorded, but some entries should be checked."),
        ),
        "incomplete": (gettext("Incomplete"), gettext("Every play so far is legal, but the match is not finished.")),
        "rejected": (gettext("Not accepted"), gettext("This record breaks the rules somewhere.")),
    }[code]


def length(points: int | None) -> str:
    """The length of a match, e.g. “7-point match”."""
    if points is None:
        return gettext("length unknown")
    if points == 0:
        return gettext("money session")
    return ngettext("{points}-point match", "{points}-point match", points).format(points=points)


def from_start(text: str, start: tuple[int, int]) -> str:
    """The length of a match in any words, with the score at which it begins, unless that is 0–0: “7 pt, from 2–0”."""
    if not any(start):
        return text
    return gettext("{length}, from {left}–{right}").format(length=text, left=start[0], right=start[1])


def manner(game: Mapping[str, Any]) -> str:
    """How a game was won, e.g. “gammon” or “resigned, gammon”."""
    kind = game["kind"]
    if kind == "resignation":
        multiple = KIND_OF_MULTIPLE.get(game["points"] // game["cube"]) if game["cube"] else None
        if multiple == "gammon":
            return gettext("gammon, resigned")
        if multiple == "backgammon":
            return gettext("backgammon, resigned")
        return gettext("resigned")
    return {
        "single": gettext("single game"),
        "gammon": gettext("gammon"),
        "backgammon": gettext("backgammon"),
        "drop": gettext("double passed"),
        "concession": gettext("conceded"),
        "flag": gettext("lost on time"),
        "unfinished": gettext("not finished"),
    }[kind]


def reporter_of(match: Match, report: Claim) -> str:
    """Name of the player who reports; for a report from the score sheet, who the sender says they are."""
    if report.side is not None:
        return match.names[report.side]
    if report.says_side is None:
        return gettext("Someone with the score sheet")
    return gettext("Someone claiming to be {name}").format(name=match.names[report.says_side])


def contest(match: Match, claim: Claim) -> str:
    """Who contests a report, and what, as a sentence; empty for a report from the score sheet."""
    if claim.side is None:
        return ""
    return gettext("{name} contests that {winner} won {score}.").format(
        name=match.names[1 - claim.side], winner=match.names[claim.winner], score=won_score(match, claim)
    )


def report(match: Match, claim: Claim) -> str:
    """A report as a sentence for directors, e.g. “Bob reports 7–5 for Bob.”"""
    return gettext("{sender} reports {score} for {winner}.").format(
        sender=reporter_of(match, claim), score=won_score(match, claim), winner=match.names[claim.winner]
    )


def provisional(match: Match, row: Provisional) -> list[str]:
    """A provisional result as sentences for directors: who would win, why it is not final, and who knows of it."""
    if row.result.winner is None:
        outcome = gettext("Nobody wins.")
    else:
        outcome = gettext("{name} wins.").format(name=match.names[row.result.winner])
    why = gettext("Provisional, based on {reason}.").format(reason=row.get_why_display())
    untold = [match.names[side] for side in row.sides if row.told[side] is None]
    return [outcome, why, *(gettext("{name} has not seen it.").format(name=name) for name in untold)]


def ending(match: Match, version: Result) -> str:
    """How a match ended by one version of its result, e.g. “conceded” or “void, still rated”."""
    if rated.is_still_rated(match, version):
        return gettext("void, still rated")
    return version.get_kind_display()


def ended(match: Match, winner: int | None, score: tuple[int, int] | None) -> str:
    """Who won, and how, as a sentence: “Bob won 7–5.”"""
    if winner is None:
        return gettext("Nobody won.")
    name = match.names[winner]
    if score is None:
        return gettext("{name} won.").format(name=name)
    score_text = score_of(match, winner, score)
    if score[winner] < match.length:
        return gettext("{name} won. The score was {score}.").format(name=name, score=score_text)
    return gettext("{name} won {score}.").format(name=name, score=score_text)


def points_won(count: int) -> str:
    return ngettext("%(count)s point", "%(count)s points", count) % {"count": count}


def result(game: Mapping[str, Any], players: tuple[str, str]) -> str:
    """The result of a game as a sentence, e.g. “Bob wins 2 points (gammon).”"""
    if game["winner"] is None:
        return gettext("The record of this game ends here.")
    return gettext("{name} wins {points} ({manner}).").format(
        name=players[game["winner"]], points=points_won(game["points"]), manner=manner(game)
    )


def shown_score(length: int, score: tuple[int, int]) -> tuple[int, int]:
    """The score as shown on pages: points beyond the match length are left out."""
    return min(score[0], length), min(score[1], length)


def final_score(match: Match, result: Result | None) -> tuple[int, int] | None:
    """The score of a result as shown beside who won.

    None where the winner was not ahead when it ended, by the clock or a ruling: nobody “won 0–0”.
    """
    if result is None or result.score is None:
        return None
    score = shown_score(match.length, result.score)
    return None if result.winner is not None and score[result.winner] <= score[1 - result.winner] else score


def score_of(match: Match, side: int, score: tuple[int, int]) -> str:
    """The score as shown on pages, with the points of this side first, e.g. “7–5”."""
    points = shown_score(match.length, score)
    return f"{points[side]}–{points[1 - side]}"


def won_score(match: Match, report: Claim) -> str:
    """The score of a report with the winner's points first, as in “Bob won 7–5”."""
    return score_of(match, report.winner, report.score)
