"""What a player does about a match: report it, answer a report, object, send a record in, agree on a time."""

from django import forms
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_safe

from engine.errors import Refused
from matches import access
from matches.access import Seat
from matches.lifecycle.finish import check_report
from matches.models import Match, Submission
from matches.records.forms import RecordForm
from matches.records.intake import record_in, refuse_long_body
from matches.records.throttle import count_upload
from matches.reporting.forms import (
    AcceptForm,
    ActForm,
    NamesForm,
    NoteForm,
    ObjectionForm,
    ReportForm,
    ScoreForm,
    SheetReportForm,
    SheetScoreForm,
    TimesForm,
)
from matches.reporting.preview import preview_of, sheet_thanks
from matches.reporting.services import objections, proposals, records, reports, sheet_reports
from matches.reporting.views.acting import acting, page, seated, side_of, zone_for


def _act_form(request: HttpRequest, seat: Seat) -> ActForm:
    return ActForm(request.POST)


def _note_form(request: HttpRequest, seat: Seat) -> NoteForm:
    return NoteForm(request.POST)


def _report_form(request: HttpRequest, seat: Seat) -> forms.Form:
    if seat.side is None:
        return SheetReportForm(request.POST, match=seat.match)
    return ReportForm(request.POST, match=seat.match)


@never_cache
@require_safe
def preview(request: HttpRequest, public_id: str = "", token: str = "") -> HttpResponse:
    """What a report would do, before it is sent; nothing is written."""
    if not token and not request.user.is_authenticated:
        return redirect_to_login(request.get_full_path())
    seat = seated(request, public_id, token)
    kind = SheetScoreForm if seat.side is None else ScoreForm
    form = kind(request.GET, match=seat.match)
    if not form.is_valid():
        return page(request, seat.match, seat, filled=form)
    try:
        reports.refuse_settled_or_disputed(seat.match)
        check_report(length=seat.match.length, start=seat.match.start_score, winner=form.winner, score=form.score)
    except Refused as refused:
        return page(request, seat.match, seat, refused=refused, filled=form)
    return page(request, seat.match, seat, filled=form, more={"preview": preview_of(seat, form.winner, form.score)})


@acting(_report_form, sheet=True)
def claim(request: HttpRequest, seat: Seat, form: ReportForm | SheetReportForm) -> str:
    """Report a score; who has more points has won."""
    report = {
        "match": seat.match,
        "winner": form.winner,
        "score": form.score,
        "by": seat.by,
        "note": form.cleaned_data["note"],
        **form.common,
    }
    if seat.side is None:
        made = sheet_reports.report_from_sheet(says_side=form.says_side, **report).report
        return sheet_thanks(made)
    made = reports.report_score(side=seat.side, **report).report
    return _claimed(access.match_again(made.match), made.is_own_loss)


def _claimed(match: Match, is_own_loss: bool) -> str:
    if match.state == Match.State.SETTLED:
        return gettext("The result stands.")
    if match.state == Match.State.DISPUTED:
        return gettext("The other player reports something else. One of you concedes, or the director rules.")
    if is_own_loss:
        return gettext("Reported. The result stands shortly; until then you can take it back.")
    return gettext("Reported. The other player is asked to confirm.")


@acting(_act_form)
def confirm(request: HttpRequest, seat: Seat, form: ActForm) -> str:
    """Agree to what the other side reports."""
    reports.confirm(match=seat.match, side=side_of(seat), by=seat.by, **form.common)
    return gettext("Confirmed. The result stands.")


@acting(_note_form)
def contest(request: HttpRequest, seat: Seat, form: NoteForm) -> str:
    """Say that the report is wrong."""
    note = form.cleaned_data["note"]
    reports.contest(match=seat.match, side=side_of(seat), by=seat.by, note=note, **form.common)
    return gettext("Contested. The director rules.")


@acting(_act_form)
def concede(request: HttpRequest, seat: Seat, form: ActForm) -> str:
    """Give in to the other side's report in a dispute."""
    reports.concede(match=seat.match, side=side_of(seat), by=seat.by, **form.common)
    return gettext("You agree. The result stands.")


@acting(_act_form)
def withdraw_claim(request: HttpRequest, seat: Seat, form: ActForm) -> str:
    """Take one's own report back."""
    reports.withdraw_report(match=seat.match, side=side_of(seat), by=seat.by, **form.common)
    return gettext("You have taken your report back.")


@acting(_act_form)
def acknowledge(request: HttpRequest, seat: Seat, form: ActForm) -> str:
    """Say that one has seen the other side's report."""
    common = form.common
    reports.acknowledge(match=seat.match, side=side_of(seat), by=seat.by, after=common["after"], now=common["now"])
    return gettext("Marked as seen.")


@acting(lambda request, seat: ObjectionForm(request.POST))
def object_to_result(request: HttpRequest, seat: Seat, form: ObjectionForm) -> str:
    """Object to a result that came to stand without one's answer."""
    reason = form.cleaned_data["reason"]
    objections.object_to_result(match=seat.match, side=side_of(seat), reason=reason, by=seat.by, **form.common)
    return gettext("Your objection is before the director. The result stands until the director decides.")


@csrf_exempt
def send_record(request: HttpRequest, **route: str) -> HttpResponse:
    """Send in a record. What is far too long is refused by its announced length, before the form is read."""
    refuse_long_body(request)
    return _send_record(request, **route)


@csrf_protect
@acting(lambda request, seat: RecordForm(request.POST, request.FILES))
def _send_record(request: HttpRequest, seat: Seat, form: RecordForm) -> str:
    count_upload(request)
    file = form.cleaned_data["file"]
    data, name = record_in(file, form.cleaned_data["text"])
    records.submit_for_match(
        match=seat.match,
        side=seat.side,
        data=data,
        file_name=name,
        source=Submission.Source.UPLOAD if file else Submission.Source.PASTE,
        submitter=seat.by.user,
        by=seat.by,
        now=timezone.now(),
    )
    return gettext("The record has been sent and is being checked.")


@acting(lambda request, seat: NamesForm(request.POST))
def identify_players(request: HttpRequest, seat: Seat, form: NamesForm, record_id: str) -> str:
    """Tell which of a record's players is which."""
    common = form.common
    records.identify_players(
        submission=access.record_of(seat, record_id),
        swapped=form.cleaned_data["left"] == 1,
        side=side_of(seat),
        by=seat.by,
        after=common["after"],
        now=common["now"],
    )
    return gettext("Thank you. These names are remembered.")


@acting(lambda request, seat: TimesForm(request.POST, match=seat.match, zone=zone_for(request, seat.match, seat)))
def propose(request: HttpRequest, seat: Seat, form: TimesForm) -> str:
    """Offer times to play."""
    note = form.cleaned_data["note"]
    proposals.propose(match=seat.match, side=side_of(seat), times=form.times, by=seat.by, note=note, **form.common)
    return gettext("Your times are proposed.")


@acting(lambda request, seat: AcceptForm(request.POST))
def accept_time(request: HttpRequest, seat: Seat, form: AcceptForm, proposal_id: str) -> str:
    """Accept one of the times offered."""
    offered, at = access.proposal_of(seat, proposal_id), form.cleaned_data["time"]
    proposals.accept(match=seat.match, proposal=offered, side=side_of(seat), time=at, by=seat.by, **form.common)
    return gettext("You have an appointment.")


@acting(_act_form)
def withdraw_times(request: HttpRequest, seat: Seat, form: ActForm, proposal_id: str) -> str:
    """Take one's own times back."""
    offered = access.proposal_of(seat, proposal_id)
    proposals.withdraw_proposal(match=seat.match, proposal=offered, side=side_of(seat), by=seat.by, **form.common)
    return gettext("Your times are taken back.")
