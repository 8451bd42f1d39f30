"""Pages of this room."""

from http import HTTPStatus

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.cache import patch_vary_headers
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_http_methods, require_safe

from core.htmx import is_htmx
from core.messages import sentence, status_of
from core.numbers import parse_int
from engine.errors import Refused
from matches import access
from matches.models import MOST_BYTES, MOST_MEBIBYTES, Submission
from matches.records import selectors
from matches.records.downloads import as_attachment, download
from matches.records.forms import RecordForm
from matches.records.intake import record_in, refuse_long_body
from matches.records.masking import mask_for
from matches.records.services import submissions
from matches.records.throttle import count_upload


@csrf_exempt
@require_http_methods(["GET", "HEAD", "POST"])
def check(request: HttpRequest) -> HttpResponse:
    """Where a record is sent in. Whoever sends far too much is told so before the form is read for its token."""
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
    form.is_valid()  # Both fields may be missing; what that means is said by `record_in`.
    file, text = form.cleaned_data["file"], form.cleaned_data["text"]
    try:
        count_upload(request)
        data, name = record_in(file, text)
        submitted = submissions.submit(
            data=data,
            file_name=name,
            source=Submission.Source.UPLOAD if file else Submission.Source.PASTE,
            submitter=request.user if request.user.is_authenticated else None,
            now=timezone.now(),
        )
    except Refused as refused:
        return _check_page(request, refused, pasted=text)
    return redirect("submission", submitted.submission.public_id)


def _check_page(request: HttpRequest, refused: Refused | None = None, pasted: str = "") -> HttpResponse:
    context = {
        "most_bytes": MOST_BYTES,
        "most_mebibytes": MOST_MEBIBYTES,
        "pasted": pasted,
        "code": refused.code if refused else "",
        "error": sentence(refused.code, refused.params) if refused else "",
    }
    status = status_of(refused.code) if refused else HTTPStatus.OK
    return render(request, "matches/records/check.html", context, status=status)


@never_cache
@require_safe
def submission(request: HttpRequest, public_id: str) -> HttpResponse:
    """How far a record is; then the verdict. To htmx only the part that changes."""
    found = access.submission(public_id)
    context = selectors.submission_page(found, timezone.now(), mask_for(request.user, found))
    name = "matches/records/_submission.html" if is_htmx(request) else "matches/records/submission.html"
    return render(request, name, context)


@require_safe
def record(request: HttpRequest, public_id: str, extension: str) -> HttpResponse:
    """The match as a file."""
    found = access.submission(public_id)
    return as_attachment(download(found, extension, mask_for(request.user, found)))


@require_safe
def replay(request: HttpRequest, public_id: str) -> HttpResponse:
    """One position of the match: `?g=3&p=17`, `&flip=1` from the other side. To the replay's script only the board."""
    found = access.submission(public_id)
    if found.is_open:
        return redirect("submission", public_id)
    game, step = (parse_int(request.GET.get(name), 1) for name in ("g", "p"))
    mask = mask_for(request.user, found)
    context = selectors.replay_page(found, game, step, request.GET.get("flip") == "1", mask)
    name = "matches/records/_replay.html" if is_htmx(request) else "matches/records/replay.html"
    response = render(request, name, context)
    patch_vary_headers(response, ["HX-Request"])
    return response
