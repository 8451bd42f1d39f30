"""Actions of a player: report a match, answer a report, object, send a record, agree on a time."""

from django import forms
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from engine.errors import Refused
from matches import access
from matches.access import MatchSeat, side_of
from matches.lifecycle.events import events
from matches.lifecycle.finish import check_report
from matches.lifecycle.running_scores import Entered
from matches.models import Match, Submission
from matches.records.forms import RecordForm
from matches.records.intake import record_in
from matches.records.services.submissions import RecordFile
from matches.records.throttle import count_upload
from matches.reporting.forms import (
    AcceptForm,
    ActForm,
    NamesForm,
    NoteForm,
    ObjectionForm,
    ReportForm,
    RunningScoreForm,
    ScoreForm,
    SheetReportForm,
    SheetScoreForm,
    TimesForm,
)
from matches.reporting.preview import preview_of, sheet_thanks
from matches.reporting.services import late_reports, objections, proposals, records, reports, sheet_reports
from matches.reporting.views.acting import acting, page, seated, zone_for


def _act_form(request: HttpRequest, seat: MatchSeat) -> ActForm:
    return ActForm(request.POST)


def _note_form(request: HttpRequest, seat: MatchSeat) -> NoteForm:
    return NoteForm(request.POST)


def _report_form(request: HttpRequest, seat: MatchSeat) -> forms.Form:
    if seat.side is None:
        return SheetReportForm(request.POST, match=seat.match)
    return ReportForm(request.POST, match=seat.match)


@never_cache
@require_safe
def preview(request: HttpRequest, public_id: str = "", token: str = "") -> HttpResponse:
    """Show what a report would do before it is sent; nothing is stored."""
    if not token and not request.user.is_authenticated:
        return redirect_to_login(request.get_full_path())
    seat = seated(request, public_id, token)
    form_class = SheetScoreForm if seat.side is None else ScoreForm
    form = form_class(request.GET, match=seat.match)
    if not form.is_valid():
        return page(request, seat.match, seat, filled=form)
    try:
        reports.refuse_settled_or_disputed(seat.match)
        check_report(length=seat.match.length, start=seat.match.start_score, winner=form.winner, score=form.score)
    except Refused as refused:
        return page(request, seat.match, seat, refused=refused, filled=form)
    return page(request, seat.match, seat, filled=form, extra={"preview": preview_of(seat, form.winner, form.score)})


@acting(_report_form, sheet=True)
def report(request: HttpRequest, seat: MatchSeat, form: ReportForm | SheetReportForm) -> str:
    """Report a score; the side with more points has won."""
    params = {
        "match": seat.match,
        "report": reports.ScoreReport(form.winner, form.score, form.cleaned_data["note"]),
        "by": seat.by,
        **form.common,
    }
    if form.cleaned_data["kept"]:
        stored = late_reports.report_late(side=seat.side, says_side=form.says_side, **params).report
    elif seat.side is None:
        stored = sheet_reports.report_from_sheet(says_side=form.says_side, **params).report
    else:
        stored = reports.report_score(side=seat.side, **params).report
    if seat.side is None:
        return sheet_thanks(stored)
    return _reported(access.refetch(seat.match), stored.is_own_loss)


def _reported(match: Match, is_own_loss: bool) -> str:
    """The message after a report, by what it led to."""
    if match.state == Match.State.SETTLED:
        return gettext("The result stands.")
    if match.state == Match.State.DISPUTED:
        return gettext(
            "The other player reported a different result. One of you has to agree to the other’s report, "
            "or the director rules."
        )
    if is_own_loss:
        return gettext("Reported. You can withdraw the report for a short time; then the result stands.")
    return gettext("Reported. The other player has to confirm it.")


@acting(lambda request, seat: RunningScoreForm(request.POST, match=seat.match))
def running_score(request: HttpRequest, seat: MatchSeat, form: RunningScoreForm) -> str:
    """Enter how the match stands; it goes on."""
    entered = Entered(seat.match, side_of(seat), form.score)
    events().record_score(entered, by=seat.by, now=timezone.now())
    return gettext("The score so far is saved.")


@acting(_act_form)
def confirm(request: HttpRequest, seat: MatchSeat, form: ActForm) -> str:
    """Confirm the other side's report."""
    reports.confirm(match=seat.match, side=side_of(seat), by=seat.by, **form.common)
    return gettext("Confirmed. The result stands.")


@acting(_note_form)
def contest(request: HttpRequest, seat: MatchSeat, form: NoteForm) -> str:
    """Contest the other side's report."""
    note = form.cleaned_data["note"]
    reports.contest(match=seat.match, side=side_of(seat), by=seat.by, note=note, **form.common)
    return gettext("Contested. A director will rule.")


@acting(_act_form)
def concede(request: HttpRequest, seat: MatchSeat, form: ActForm) -> str:
    """Concede a dispute."""
    reports.concede(match=seat.match, side=side_of(seat), by=seat.by, **form.common)
    return gettext("You agreed to the other report. The result stands.")


@acting(_act_form)
def withdraw(request: HttpRequest, seat: MatchSeat, form: ActForm) -> str:
    """Withdraw the player's own report."""
    reports.withdraw_report(match=seat.match, side=side_of(seat), by=seat.by, **form.common)
    return gettext("Your report is withdrawn.")


@acting(_act_form)
def acknowledge(request: HttpRequest, seat: MatchSeat, form: ActForm) -> str:
    """Acknowledge the other side's report."""
    common = form.common
    reports.acknowledge(match=seat.match, side=side_of(seat), by=seat.by, after=common["after"], now=common["now"])
    return gettext("Marked as seen.")


@acting(lambda request, seat: ObjectionForm(request.POST))
def object_to_result(request: HttpRequest, seat: MatchSeat, form: ObjectionForm) -> str:
    """Object to a result that was accepted without the player's answer."""
    reason = form.cleaned_data["reason"]
    objections.object_to_result(match=seat.match, side=side_of(seat), reason=reason, by=seat.by, **form.common)
    return gettext("Your objection was sent to the director. The result stands until the director decides.")


@acting(lambda request, seat: RecordForm(request.POST, request.FILES))
def send_record(request: HttpRequest, seat: MatchSeat, form: RecordForm) -> str:
    """Send a record."""
    count_upload(request)
    file = form.cleaned_data["file"]
    data, name = record_in(file, form.cleaned_data["text"])
    records.submit_for_match(
        match=seat.match,
        side=seat.side,
        file=RecordFile(data, Submission.Source.UPLOAD if file else Submission.Source.PASTE, name),
        by=seat.by,
        now=timezone.now(),
    )
    return gettext("The record has been sent and is being checked.")


@acting(lambda request, seat: NamesForm(request.POST))
def identify_players(request: HttpRequest, seat: MatchSeat, form: NamesForm, record_id: str) -> str:
    """Say which of a record's players is which."""
    common = form.common
    records.identify_players(
        submission=access.record_of(seat, record_id),
        swapped=form.cleaned_data["left"] == 1,
        side=side_of(seat),
        by=seat.by,
        after=common["after"],
        now=common["now"],
    )
    return gettext("Thank you. These names will be remembered.")


@acting(lambda request, seat: TimesForm(request.POST, match=seat.match, zone=zone_for(request, seat.match, seat)))
def propose(request: HttpRequest, seat: MatchSeat, form: TimesForm) -> str:
    """Propose times to play."""
    note = form.cleaned_data["note"]
    proposals.propose(
        match=seat.match, side=side_of(seat), offer=proposals.Offer(form.times, note), by=seat.by, **form.common
    )
    return gettext("Times proposed.")


@acting(lambda request, seat: AcceptForm(request.POST))
def accept_time(request: HttpRequest, seat: MatchSeat, form: AcceptForm, proposal_id: str) -> str:
    """Accept one of the proposed times."""
    offered, at = access.proposal_of(seat, proposal_id), form.cleaned_data["time"]
    proposals.accept(proposal=offered, side=side_of(seat), time=at, by=seat.by, **form.common)
    return gettext("Time agreed.")


@acting(_act_form)
def withdraw_times(request: HttpRequest, seat: MatchSeat, form: ActForm, proposal_id: str) -> str:
    """Withdraw the player's own proposed times."""
    offered = access.proposal_of(seat, proposal_id)
    proposals.withdraw_proposal(proposal=offered, side=side_of(seat), by=seat.by, **form.common)
    return gettext("Your proposed times are withdrawn.")
