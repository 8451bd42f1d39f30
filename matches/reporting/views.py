"""Pages of matches, and what players do on them: report, answer, object, send a record, agree on a time."""

import functools
from collections.abc import Callable
from datetime import datetime
from functools import partial
from http import HTTPStatus
from typing import Any
from zoneinfo import ZoneInfo

import segno
from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import BadRequest
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from core.links import absolute_url
from core.messages import sentence, status_of
from core.public_ids import new_form_key
from core.requests import is_htmx
from engine.errors import Refused
from matches import access
from matches.access import MatchSeat, action_url, match_url, side_of
from matches.lifecycle import arrivals, links
from matches.lifecycle.at_tables import Answered, Entered, Offered
from matches.lifecycle.events import events
from matches.lifecycle.finish import check_report
from matches.lifecycle.own_match import side_of as player_side_of
from matches.models import MOST_BYTES, MOST_MEBIBYTES, CalendarFeed, Match, Submission
from matches.play import starting
from matches.play.watching import where_of
from matches.records.downloads import File, as_attachment
from matches.records.intake import RecordForm, count_upload, record_in
from matches.records.submissions import RecordFile
from matches.reporting import appointments, calendars, my_matches, objections, records, reports
from matches.reporting import links as personal_links
from matches.reporting.appointments import zone_of
from matches.reporting.forms import (
    AcceptForm,
    ActForm,
    LengthAnswerForm,
    LengthOfferForm,
    NamesForm,
    NoteForm,
    ObjectionForm,
    ReportForm,
    RevokeLinkForm,
    RunningScoreForm,
    ScoreForm,
    SheetReportForm,
    SheetScoreForm,
    TapForm,
    TimesForm,
)
from matches.reporting.links import log_link_shown, withheld_side
from matches.reporting.match_page import match_page, version_of, watch_context
from matches.reporting.my_matches import MyMatch, what_next
from matches.reporting.reports import preview_of, sheet_thanks
from players.actors import Actor
from players.models import User
from players.pages import account_needed, me

# What the views of a match share: rendering its page, and a decorator for actions of one side.


INVALID = "form_invalid"
"""Code of a page that shows errors of form fields."""
FormFactory = Callable[[HttpRequest, MatchSeat], forms.Form]
Action = Callable[..., str]
"""Performs an action and returns the message of its success, or nothing where the next page shows it."""


def page(
    request: HttpRequest,
    match: Match,
    seat: MatchSeat | None,
    *,
    refused: Refused | None = None,
    filled: forms.Form | None = None,
    extra: dict[str, Any] | None = None,
) -> HttpResponse:
    """Render the page of a match; `filled` is a refused form, shown again with what was entered."""
    zone, now = zone_for(request, match, seat), timezone.now()
    invalid = filled is not None and filled.is_bound and bool(filled.errors)
    context = match_page(match, seat, now, request.user) | {
        "here": match_url(seat) if seat is not None else reverse("match", args=[match.public_id]),
        "next_match": _next(match, seat, now),
        "reader": f"{request.user.pk or 0}:{seat.side}" if seat is not None else "",
        "key": new_form_key(),
        "may_direct": seat is None and access.may_direct(request.user, match),
        "may_correct": seat is None and access.may_correct(request.user, match),
        "most_bytes": MOST_BYTES,
        "most_mebibytes": MOST_MEBIBYTES,
        "code": refused.code if refused else INVALID if invalid else "",
        "error": _error(refused, filled if invalid else None),
        "filled": filled,
        "link_generation": _own_link_generation(match, seat),
        **watch_context(match, seat, access.viewer_of(request.user, seat), now),
        **_forms(match, seat, zone, filled),
        **(extra or {}),
    }
    status: int = HTTPStatus.UNPROCESSABLE_ENTITY if invalid else HTTPStatus.OK
    if refused is not None:
        status = status_of(refused.code)
    with timezone.override(zone):
        return render(request, "matches/reporting/match.html", context, status=status)


def _own_link_generation(match: Match, seat: MatchSeat | None) -> int | None:
    """The generation of the reader's personal link, if they may revoke it: with their account, while it is of use."""
    if seat is None or seat.side is None or seat.token or match.is_over:
        return None
    return match.link_generations[seat.side]


def _next(match: Match, seat: MatchSeat | None, now: datetime) -> MyMatch | None:
    """The player's next match, if this one needs nothing more from them.

    The page links to that match but not to its personal link: holding one link must not give access to others.
    """
    if seat is None or seat.side is None or match.state == Match.State.OPEN:
        return None
    return what_next(match.players[seat.side], match, now)


def _forms(match: Match, seat: MatchSeat | None, zone: ZoneInfo, filled: forms.Form | None) -> dict[str, forms.Form]:
    """The forms of the page: empty ones, and the refused one with what was entered."""
    if seat is None:
        return {}
    score: ScoreForm = SheetScoreForm(match=match) if seat.side is None else ScoreForm(match=match)
    empty: dict[str, forms.Form] = {
        "score_form": score,
        "times_form": TimesForm(match=match, zone=zone),
        "objection_form": ObjectionForm(),
    }
    kinds = {"score_form": ScoreForm, "times_form": TimesForm, "objection_form": ObjectionForm}
    if filled is None:
        return empty
    return empty | {name: filled for name, kind in kinds.items() if isinstance(filled, kind)}


def _error(refused: Refused | None, invalid: forms.Form | None) -> str:
    """The error message of a refused form; errors of a field start with its label."""
    if refused is not None:
        return sentence(refused.code, refused.params)
    if invalid is None:
        return ""
    errors_by_field = [
        f"{invalid.fields[name].label or name}: {' '.join(map(str, errors))}"
        if name in invalid.fields
        else " ".join(map(str, errors))
        for name, errors in invalid.errors.items()
    ]
    return " ".join([gettext("Nothing was sent."), *errors_by_field])


def zone_for(request: HttpRequest, match: Match, seat: MatchSeat | None) -> ZoneInfo:
    """The time zone for times on the page: the reader's account's, else their player's, else the club's."""
    user = request.user
    if isinstance(user, User) and user.time_zone:
        return ZoneInfo(timezone.get_current_timezone_name())
    if seat is not None and seat.side is not None:
        return zone_of(match, seat.side)
    return ZoneInfo(match.club.time_zone if match.club is not None else "UTC")


def seated(request: HttpRequest, public_id: str, token: str) -> MatchSeat:
    """Return the match and the reader's side, by link or account. Raise Http404 if they have none."""
    return access.match_for_link(token) if token else access.match_for_player(request.user, public_id)


def acting(
    form_of: FormFactory, *, sheet: bool = False, leads_to: Callable[[MatchSeat], str] = match_url
) -> Callable[[Action], Callable[..., HttpResponse]]:
    """Decorate a function that performs an action for one side, to make it a view that then redirects.

    It redirects to the page of the match, or to the URL that `leads_to` returns. If the action is refused, the page
    shows the reason and keeps what was entered. `sheet` allows the sheet link, too.
    """

    def decorate(action: Action) -> Callable[..., HttpResponse]:
        @never_cache
        @require_POST
        @functools.wraps(action)
        def view(request: HttpRequest, public_id: str = "", token: str = "", **route: str) -> HttpResponse:
            if not token and not request.user.is_authenticated:
                return redirect_to_login(reverse("match", args=[public_id]))
            seat = seated(request, public_id, token)
            if seat.side is None and not sheet:
                raise Http404
            form = form_of(request, seat)
            if not form.is_valid():
                return page(request, seat.match, seat, filled=form)
            try:
                message = action(request, seat, form, **route)
            except Refused as refused:
                seat.match.refresh_from_db()
                return page(request, seat.match, seat, refused=refused, filled=form)
            if message:
                messages.success(request, message)
            return redirect(leads_to(seat))

        return view

    return decorate


# Pages of matches: a match, “My matches”, and the links and the score sheet to hand out.
#
# Players use their account or a personal link; both show the same page with the same actions. Opening a page never
# changes anything.


@login_required
@never_cache
@require_safe
def mine(request: HttpRequest) -> HttpResponse:
    """“My matches”, with the next match first."""
    context = my_matches.my_matches(_user(request), timezone.now())
    feed = CalendarFeed.objects.filter(user=_user(request)).first()
    if feed is not None:
        path = reverse("calendar-feed", args=[calendars.token_of(feed)])
        context["calendar_url"] = absolute_url(request, path)
    return render(request, "matches/reporting/my_matches.html", context)


@never_cache
@require_safe
def match(request: HttpRequest, public_id: str) -> HttpResponse:
    """The page of a match, with forms for its players."""
    viewed, seat = access.match_and_seat(request.user, public_id)
    if request.method == "GET" and seat is not None and seat.side is not None and viewed.state == Match.State.OPEN:
        appointments.note_shown(match=viewed, side=seat.side, now=timezone.now())
    return _poll(request, viewed, seat) or page(request, viewed, seat)


@never_cache
@require_safe
def link(request: HttpRequest, token: str) -> HttpResponse:
    """The page of a match for a holder of one of its links."""
    seat = access.match_for_link(token)
    return _poll(request, seat.match, seat) or page(request, seat.match, seat)


def _poll(request: HttpRequest, match: Match, seat: MatchSeat | None) -> HttpResponse | None:
    """Answer an open page that polls for changes: 204, or an instruction to reload; None for any other request."""
    if not is_htmx(request):
        return None
    if request.GET.get("after") == version_of(match, access.viewer_of(request.user, seat), timezone.now()):
        return HttpResponse(status=HTTPStatus.NO_CONTENT)
    return HttpResponse(headers={"HX-Refresh": "true"})


def _user(request: HttpRequest) -> User:
    if not isinstance(request.user, User):
        raise Http404
    return request.user


@never_cache
@require_safe
def appointment(request: HttpRequest, public_id: str = "", token: str = "") -> HttpResponse:
    """Download the appointment as a calendar file; for the players only."""
    if not token and not request.user.is_authenticated:
        return redirect_to_login(request.get_full_path())
    seat = seated(request, public_id, token)
    agreed = arrivals.appointment(seat.match) if seat.side is not None else None
    if agreed is None or agreed.agreed_at is None:
        raise Http404
    return as_attachment(_calendar(request, seat, agreed.agreed_at))


def _calendar(request: HttpRequest, seat: MatchSeat, at: datetime) -> File:
    now = timezone.now()
    where = where_of([seat.match], access.viewer_of(request.user, seat), now)[seat.match.pk]
    event = calendars.appointment_event(seat.match, where, at, absolute_url(request, match_url(seat)))
    data = calendars.written([event], now)
    return File(f"match-{seat.match.public_id}.ics", "text/calendar; charset=utf-8", data)


@login_required
@never_cache
@require_safe
def hand_out(request: HttpRequest, public_id: str) -> HttpResponse:
    """The score sheet with its QR code and the personal links, for those who run the match."""
    match, by = access.match_for_director(request.user, public_id), Actor.of(_user(request))
    withheld = withheld_side(match, by)
    log_link_shown(match=match, by=by)
    context = {
        "match": match,
        "sheet": _qr_code(request, match, None),
        "personal": [_personal_link(request, match, side) for side in (0, 1) if side != withheld],
        "withheld": match.players[withheld] if withheld is not None else None,
        "is_logged": withheld is None and player_side_of(match, by) is not None,
        "games": range(1, 2 * match.length),
    }
    return render(request, "matches/reporting/hand_out.html", context)


@login_required
@require_POST
def revoke_link(request: HttpRequest, public_id: str, side: str) -> HttpResponse:
    """Revoke the personal link of a side; for its player and for those who run the match."""
    match = access.match_for_link_owner(request.user, public_id, int(side))
    form = RevokeLinkForm(request.POST)
    if not form.is_valid():
        raise BadRequest("The generation of the link is missing.")
    generation = form.cleaned_data["generation"]
    personal_links.revoke_link(match=match, side=int(side), generation=generation, by=Actor.of(_user(request)))
    messages.success(request, gettext("The personal link was revoked. There is a new one."))
    return redirect("match-links" if access.may_direct(request.user, match) else "match", match.public_id)


def _personal_link(request: HttpRequest, match: Match, side: int) -> dict[str, Any]:
    """The personal link of a side with its player and generation."""
    owner = {"player": match.players[side], "side": side, "generation": match.link_generations[side]}
    return owner | _qr_code(request, match, side)


def _qr_code(request: HttpRequest, match: Match, side: int | None) -> dict[str, str]:
    """URL and QR code (SVG) of a link of the match."""
    url = absolute_url(request, reverse("match-link", args=[links.token_for(match, side)]))
    svg = segno.make(url, error="m").svg_inline(scale=4, border=2, omitsize=True, svgclass="qr", lineclass=None)
    return {"url": url, "svg": svg}


@acting(lambda request, seat: TapForm(request.POST), leads_to=lambda seat: action_url(seat, "play"))
def play_here(request: HttpRequest, seat: MatchSeat, form: TapForm) -> str:
    """Open the reader's match for play here, and go to its board."""
    starting.open_by_player(match=seat.match, by=seat.by, now=timezone.now())
    return ""


# Actions of a player: report a match, answer a report, object, send a record, agree on a time.


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
        stored = reports.report_late(side=seat.side, says_side=form.says_side, **params).report
    elif seat.side is None:
        stored = reports.report_from_sheet(says_side=form.says_side, **params).report
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
    """Enter the running score of a match that goes on."""
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
    """Send a record of the match, as a file or as pasted text."""
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
    appointments.propose(
        match=seat.match, side=side_of(seat), offer=appointments.Offer(form.times, note), by=seat.by, **form.common
    )
    return gettext("Times proposed.")


@acting(lambda request, seat: AcceptForm(request.POST))
def accept_time(request: HttpRequest, seat: MatchSeat, form: AcceptForm, proposal_id: str) -> str:
    """Accept one of the proposed times."""
    offered, at = access.proposal_of(seat, proposal_id), form.cleaned_data["time"]
    appointments.accept(proposal=offered, side=side_of(seat), time=at, by=seat.by, **form.common)
    return gettext("Time agreed.")


@acting(_act_form)
def withdraw_times(request: HttpRequest, seat: MatchSeat, form: ActForm, proposal_id: str) -> str:
    """Withdraw the player's own proposed times."""
    offered = access.proposal_of(seat, proposal_id)
    appointments.withdraw_proposal(proposal=offered, side=side_of(seat), by=seat.by, **form.common)
    return gettext("Your proposed times are withdrawn.")


# Coming to an appointment, and the calendar feed of an account.


@acting(lambda request, seat: TapForm(request.POST))
def arrive(request: HttpRequest, seat: MatchSeat, form: TapForm) -> str:
    """Say that the player is there for the appointment."""
    arrivals.arrive(match=seat.match, side=side_of(seat), by=seat.by, now=timezone.now())
    return gettext("Your opponent can see that you are here.")


@acting(lambda request, seat: TapForm(request.POST))
def claim_no_show(request: HttpRequest, seat: MatchSeat, form: TapForm) -> str:
    """Claim the match because the opponent has not come."""
    arrivals.claim_no_show(match=seat.match, side=side_of(seat), by=seat.by, now=timezone.now())
    return gettext("You have won the match by forfeit.")


@never_cache
@require_safe
def calendar_feed(request: HttpRequest, feed_token: str) -> HttpResponse:
    """The appointments and deadlines of an account as a calendar, for whoever has its secret URL."""
    data = calendars.feed(calendars.user_of(feed_token), timezone.now(), partial(absolute_url, request))
    return HttpResponse(data, content_type="text/calendar; charset=utf-8")


@account_needed
@require_POST
def renew_calendar_feed(request: HttpRequest) -> HttpResponse:
    """Make a secret URL for the reader's calendar; an earlier one stops working."""
    calendars.renew(user=me(request), now=timezone.now())
    messages.success(request, gettext("Here is your calendar link. Earlier ones no longer work."))
    return redirect("my-matches")


@account_needed
@require_POST
def revoke_calendar_feed(request: HttpRequest) -> HttpResponse:
    """Stop the secret URL of the reader's calendar."""
    calendars.revoke(user=me(request))
    messages.success(request, gettext("Your calendar link no longer works."))
    return redirect("my-matches")


# Actions of a player who agrees with the opponent on a shorter match.


@acting(lambda request, seat: LengthOfferForm(request.POST, match=seat.match))
def offer(request: HttpRequest, seat: MatchSeat, form: LengthOfferForm) -> str:
    """Offer a shorter length; if the opponent has offered the same, the match has it."""
    length = form.cleaned_data["length"]
    move = Offered(seat.match, side_of(seat), length, form.score)
    return _recorded(seat, move, gettext("Offered. The match stays as it is until your opponent agrees."))


@acting(lambda request, seat: LengthAnswerForm(request.POST))
def accept(request: HttpRequest, seat: MatchSeat, form: LengthAnswerForm) -> str:
    """Agree to the length that is on offer."""
    move = Answered(seat.match, side_of(seat), form.cleaned_data["offer"], accepted=True)
    return _recorded(seat, move, gettext("You agree. Your opponent has not answered yet."))


@acting(lambda request, seat: LengthAnswerForm(request.POST))
def decline(request: HttpRequest, seat: MatchSeat, form: LengthAnswerForm) -> str:
    """Decline the length that is on offer, or withdraw it."""
    move = Answered(seat.match, side_of(seat), form.cleaned_data["offer"], accepted=False)
    return _recorded(seat, move, gettext("The match keeps its length."))


def _recorded(seat: MatchSeat, move: Offered | Answered, unchanged: str) -> str:
    """Record an offer or an answer; return the new length if both agree, else that nothing has changed so far."""
    events().record_length(move, by=seat.by, now=timezone.now())
    length = access.refetch(seat.match).length
    if length == seat.match.length:
        return unchanged
    return gettext("Agreed: you play to {length} points.").format(length=length)
