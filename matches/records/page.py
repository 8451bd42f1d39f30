"""Pages for checking records: their state and their verdict."""

from collections.abc import Mapping
from datetime import datetime
from http import HTTPStatus
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt, csrf_protect

from core.access import Who, open_to
from core.messages import sentence, status_of
from core.repeats import Repeat, repeated
from core.requests import is_htmx
from engine.errors import Refused
from matches import access
from matches.models import MAX_BYTES, MAX_MEBIBYTES, Submission, Verdict
from matches.presentation import labels
from matches.records import replays, submissions
from matches.records.board import draw
from matches.records.downloads import CONTENT_TYPES, as_attachment, download
from matches.records.intake import RecordForm, count_upload, record_in, refuse_long_body
from matches.records.names import Mask, mask_for
from matches.records.submissions import with_messages

# Context of the pages of a record: its state and its verdict.


SLOW_AFTER = 20.0
"""Seconds after which the page says that checking takes longer than usual."""
DRAWN_FINDINGS = 12
"""Findings of one severity that are shown with a board; the rest is collapsed."""


def submission_page(submission: Submission, now: datetime, mask: Mask, *, turned: bool = False) -> dict[str, Any]:
    """Context of a record in any state, with the names that the reader may see; `turned` puts the right side first."""
    context: dict[str, Any] = {"submission": submission, "file_name": mask.text(submission.file_name)}
    if submission.is_open:
        context["slow"] = (now - submission.created_at).total_seconds() > SLOW_AFTER
    elif submission.state == Submission.State.FAILED:
        context["failure"] = sentence(submission.failure, {})
    else:
        context |= _verdict(submission, latest_verdict(submission), mask, turned=turned)
    return context


def latest_verdict(submission: Submission) -> Verdict:
    return submission.verdicts.latest("created_at", "pk")


def _verdict(submission: Submission, verdict: Verdict, mask: Mask, *, turned: bool) -> dict[str, Any]:
    content = mask.verdict(verdict.content) if mask else verdict.content
    match = replays.ReplayedMatch(submission.transcript or {}, content)
    groups = list(_groups(content["findings"], labels.names(content["players"]), match))
    if turned:
        content = _turned(content)
    players = labels.names(content["players"])
    word, meaning = labels.outcome(content["outcome"])
    return {
        "verdict": verdict,
        "content": content,
        "word": word,
        "meaning": meaning,
        "players": players,
        "length": labels.length(content["length"]),
        "lines": [_line(index, game, players) for index, game in enumerate(content["games"], start=1)],
        "formats": tuple(CONTENT_TYPES),
        "groups": groups,
    }


def _turned(content: Mapping[str, Any]) -> dict[str, Any]:
    """Return the content of a verdict with the right player of the record as side 0 in names, scores and winners."""

    def other(winner: int | None) -> int | None:
        return None if winner is None else 1 - winner

    games = [
        {**game, "start": game["start"][::-1], "end": game["end"][::-1], "winner": other(game["winner"])}
        for game in content["games"]
    ]
    return {
        **content,
        "players": content["players"][::-1],
        "start": content["start"][::-1],
        "score": content["score"][::-1],
        "winner": other(content["winner"]),
        "games": games,
    }


def _line(index: int, game: Mapping[str, Any], players: tuple[str, str]) -> dict[str, Any]:
    winner = game["winner"]
    return {
        # The first step of its replay.
        "step": (index, 1),
        "number": game["number"],
        "start": game["start"],
        "end": game["end"],
        "crawford": game["crawford"],
        "winner": "" if winner is None else players[winner],
        "winner_side": winner,
        "manner": labels.manner(game),
        "cube": game["cube"],
        "points": game["points"],
    }


def _groups(
    findings: list[Mapping[str, Any]], players: tuple[str, str], match: replays.ReplayedMatch
) -> list[dict[str, Any]]:
    titles = {"error": gettext("Errors"), "warning": gettext("Warnings"), "note": gettext("Notes")}
    groups = []
    for severity, title in titles.items():
        of_severity = [finding for finding in with_messages(findings) if finding["severity"] == severity]
        with_board = 0 if severity == "note" else DRAWN_FINDINGS
        rows = [_finding(finding, players, match, number < with_board) for number, finding in enumerate(of_severity)]
        if rows:
            groups.append(
                {
                    "severity": severity,
                    "title": title,
                    "total": len(rows),
                    # Those with a board.
                    "first": rows[:DRAWN_FINDINGS],
                    "rest": rows[DRAWN_FINDINGS:],
                }
            )
    return groups


def _finding(
    finding: Mapping[str, Any], players: tuple[str, str], match: replays.ReplayedMatch, drawn: bool
) -> dict[str, Any]:
    diagram = replays.diagram_of(finding, players) if drawn else None
    params = finding["params"]
    return {
        "severity": finding["severity"],
        "code": finding["code"],
        "message": finding["message"],
        "place": _place(finding),
        "roll": params.get("dice", ""),
        "play": params.get("play", ""),
        "nearest": finding["nearest"],
        # Game and step in the replay.
        "step": match.step_of(finding),
        "xgid": f"XGID={finding['xgid'].removeprefix('XGID=')}" if finding["xgid"] else "",
        "scene": draw(diagram) if diagram else None,
    }


def _place(finding: Mapping[str, Any]) -> str:
    """The place of a finding, e.g. “Game 3 · Roll 17 · line 45 of the file”."""
    parts = []
    if finding["game"] is not None:
        parts.append(gettext("Game {number}").format(number=finding["game"]))
    if finding["ply"] is not None:
        parts.append(gettext("Roll %(number)s") % {"number": finding["ply"]})
    if finding["line"] is not None:
        parts.append(gettext("line {number} of the file").format(number=finding["line"]))
    return " · ".join(parts)


@csrf_exempt
@open_to(get=Who.EVERYBODY, post=Who.EVERYBODY)
@repeated(Repeat.KEY)
def check(request: HttpRequest) -> HttpResponse:
    """The page to check a record. A body that is too long is refused before the form is read for its CSRF token."""
    try:
        refuse_long_body(request)
    except Refused as refused:
        return _check_page(request, refused)
    return _check(request)


@csrf_protect
def _check(request: HttpRequest) -> HttpResponse:
    if request.method != "POST":
        return _check_page(request)
    form = RecordForm(request.POST, request.FILES)
    form.is_valid()  # Both fields are optional; `record_in` checks them together.
    file, text = form.cleaned_data["file"], form.cleaned_data["text"]
    try:
        count_upload(request)
        data, name = record_in(file, text)
        submitted = submissions.submit(
            file=submissions.RecordFile(data, Submission.Source.UPLOAD if file else Submission.Source.PASTE, name),
            submitter=request.user if request.user.is_authenticated else None,
            now=timezone.now(),
        )
    except Refused as refused:
        return _check_page(request, refused, pasted=text)
    return redirect("submission", submitted.submission.public_id)


def _check_page(request: HttpRequest, refused: Refused | None = None, pasted: str = "") -> HttpResponse:
    context = {
        "most_bytes": MAX_BYTES,
        "most_mebibytes": MAX_MEBIBYTES,
        "pasted": pasted,
        "code": refused.code if refused else "",
        "error": sentence(refused.code, refused.params) if refused else "",
    }
    status = status_of(refused.code) if refused else HTTPStatus.OK
    return render(request, "matches/records/check.html", context, status=status)


@never_cache
@open_to(get=Who.EVERYBODY)
def submission(request: HttpRequest, public_id: str) -> HttpResponse:
    """The state of a record, then its verdict; only the part that changes for an htmx request."""
    row = access.submission(public_id)
    context = submission_page(row, timezone.now(), mask_for(request.user, row))
    name = "matches/records/_submission.html" if is_htmx(request) else "matches/records/submission.html"
    return render(request, name, context)


@open_to(get=Who.EVERYBODY)
def record(request: HttpRequest, public_id: str, extension: str) -> HttpResponse:
    row = access.submission(public_id)
    return as_attachment(download(row, extension, mask_for(request.user, row)))
