"""Verdicts in words: names of players, outcomes, how a game ended."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.translation import gettext, ngettext

from matches.models import Claim, Match, Result
from matches.ratings import rated

KIND_OF_MULTIPLE = {1: "single", 2: "gammon", 3: "backgammon"}


def names(players: Sequence[str]) -> tuple[str, str]:
    """The players' names; a record may lack them, but somebody sat on each side."""
    left, right = (name.strip() for name in players)
    return left or gettext("White"), right or gettext("Black")


def outcome(code: str) -> tuple[str, str]:
    """The outcome in a word or two, and what it means."""
    return {
        "accepted": (gettext("Accepted"), gettext("Every play is legal, and the score follows from the plays.")),
        "accepted_with_warnings": (
            gettext("Accepted with remarks"),
            gettext("The match stands as recorded; some things in it deserve a look."),
        ),
        "incomplete": (gettext("Incomplete"), gettext("Legal as far as it goes, but the match is not over.")),
        "rejected": (gettext("Not accepted"), gettext("Something in this record cannot have happened by the rules.")),
    }[code]


def unreadable() -> str:
    """What "not accepted" means where there was nothing to judge."""
    return gettext("No match could be read from it, so nothing was judged.")


def length(points: int | None) -> str:
    """How long the match is."""
    if points is None:
        return gettext("length unknown")
    if points == 0:
        return gettext("money session")
    return ngettext("{points}-point match", "{points}-point match", points).format(points=points)


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
        "drop": gettext("double dropped"),
        "concession": gettext("match given up"),
        "flag": gettext("lost on time"),
        "unfinished": gettext("not finished"),
    }[kind]


def reporter_of(match: Match, report: Claim) -> str:
    """Who a report is from; of one from the score sheet, who they say they are."""
    if report.side is not None:
        return match.players[report.side].shown_name
    if report.says_side is None:
        return gettext("Somebody with the score sheet")
    return gettext("Somebody who says they are {name}").format(name=match.players[report.says_side].shown_name)


def report(match: Match, claim: Claim) -> str:
    """A report as one sentence, for directors: “Bob reports 7–5 for Bob”."""
    return gettext("{sender} reports {score} for {winner}.").format(
        sender=reporter_of(match, claim),
        score=score_of(match, claim.winner, claim.score),
        winner=match.players[claim.winner].shown_name,
    )


def ending(match: Match, version: Result) -> str:
    """How a match ended by one version of its result, e.g. “conceded” or “void, still rated”."""
    if rated.is_still_rated(match, version):
        return gettext("void, still rated")
    return version.get_kind_display()


def points_won(count: int) -> str:
    """A number of points."""
    return ngettext("{count} point", "{count} points", count).format(count=count)


def result(game: Mapping[str, Any], players: tuple[str, str]) -> str:
    """The result of a game as a sentence."""
    if game["winner"] is None:
        return gettext("The record of this game ends here.")
    return gettext("{name} wins {points} ({manner}).").format(
        name=players[game["winner"]], points=points_won(game["points"]), manner=manner(game)
    )


def shown_score(length: int, score: tuple[int, int]) -> tuple[int, int]:
    """A score as it is shown everywhere: points beyond the match length are won but not shown."""
    return min(score[0], length), min(score[1], length)


def score_of(match: Match, side: int, score: tuple[int, int]) -> str:
    """A score as it is shown, with the points of this side first, e.g. “7–5”."""
    shown = shown_score(match.length, score)
    return f"{shown[side]}–{shown[1 - side]}"


def duration(seconds: int) -> str:
    """A waiting time in words: in hours from two hours on, else in minutes."""
    minutes = max(1, seconds // 60)
    if minutes >= 2 * 60 and minutes % 60 == 0:
        return ngettext("{count} hour", "{count} hours", minutes // 60).format(count=minutes // 60)
    return ngettext("{count} minute", "{count} minutes", minutes).format(count=minutes)
