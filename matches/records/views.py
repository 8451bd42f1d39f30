"""Pages for checking records."""

from http import HTTPStatus

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_http_methods, require_safe

from core.messages import sentence, status_of
from core.requests import is_htmx
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
    """The state of a record, then its verdict; only the part that changes for an htmx request."""
    row = access.submission(public_id)
    context = selectors.submission_page(row, timezone.now(), mask_for(request.user, row))
    name = "matches/records/_submission.html" if is_htmx(request) else "matches/records/submission.html"
    return render(request, name, context)


@require_safe
def record(request: HttpRequest, public_id: str, extension: str) -> HttpResponse:
    """Download the match as a file."""
    row = access.submission(public_id)
    return as_attachment(download(row, extension, mask_for(request.user, row)))
