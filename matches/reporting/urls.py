"""URLs of matches: for accounts, for links, and for the API."""

from collections.abc import Callable, Iterator

from django.urls import URLPattern, path, re_path

from core.links import View, by_personal_link
from matches.lifecycle.links import TOKEN
from matches.records.intake import checks_length_first
from matches.reporting.api import appointments as api_appointments
from matches.reporting.api import length_offers as api_lengths
from matches.reporting.api import matches as api
from matches.reporting.api import reports as api_reports
from matches.reporting.calendars import TOKEN as FEED_TOKEN
from matches.reporting.views import appointments, length_offers, reports
from matches.reporting.views import matches as views

ID = r"(?P<public_id>[2-9a-z]{10})"
RECORD = r"(?P<record_id>[2-9a-z]{10})"
API = rf"^api/v1/matches/{ID}/"
PROPOSAL = r"(?P<proposal_id>[2-9a-z]{10})"


def _by_account(view: View) -> View:
    return view


def _actions(prefix: str, name: str, allow: Callable[[View], View]) -> Iterator[URLPattern]:
    yield re_path(rf"{prefix}report/$", allow(reports.preview), name=f"{name}-report")
    yield re_path(rf"{prefix}claim/$", allow(reports.report), name=f"{name}-claim")
    yield re_path(rf"{prefix}running-score/$", allow(reports.running_score), name=f"{name}-running-score")
    yield re_path(rf"{prefix}length/offer/$", allow(length_offers.offer), name=f"{name}-offer-length")
    yield re_path(rf"{prefix}length/accept/$", allow(length_offers.accept), name=f"{name}-accept-length")
    yield re_path(rf"{prefix}length/decline/$", allow(length_offers.decline), name=f"{name}-decline-length")
    yield re_path(rf"{prefix}confirm/$", allow(reports.confirm), name=f"{name}-confirm")
    yield re_path(rf"{prefix}contest/$", allow(reports.contest), name=f"{name}-contest")
    yield re_path(rf"{prefix}concede/$", allow(reports.concede), name=f"{name}-concede")
    yield re_path(rf"{prefix}withdraw/$", allow(reports.withdraw), name=f"{name}-withdraw")
    yield re_path(rf"{prefix}seen/$", allow(reports.acknowledge), name=f"{name}-seen")
    yield re_path(rf"{prefix}object/$", allow(reports.object_to_result), name=f"{name}-object")
    yield re_path(rf"{prefix}records/$", checks_length_first(allow(reports.send_record)), name=f"{name}-records")
    yield re_path(rf"{prefix}records/{RECORD}/names/$", allow(reports.identify_players), name=f"{name}-names")
    yield re_path(rf"{prefix}times/$", allow(reports.propose), name=f"{name}-times")
    yield re_path(rf"{prefix}times/{PROPOSAL}/accept/$", allow(reports.accept_time), name=f"{name}-accept-time")
    yield re_path(rf"{prefix}times/{PROPOSAL}/withdraw/$", allow(reports.withdraw_times), name=f"{name}-withdraw-times")
    yield re_path(rf"{prefix}play-here/$", allow(views.play_here), name=f"{name}-play-here")
    yield re_path(rf"{prefix}here/$", allow(appointments.arrive), name=f"{name}-here")
    yield re_path(rf"{prefix}no-show/$", allow(appointments.claim_no_show), name=f"{name}-no-show")
    yield re_path(rf"{prefix}appointment\.ics$", allow(views.appointment), name=f"{name}-appointment")


urlpatterns = [
    path("my/", views.mine, name="my-matches"),
    path("my/calendar/", appointments.renew_calendar_feed, name="renew-calendar-feed"),
    path("my/calendar/revoke/", appointments.revoke_calendar_feed, name="revoke-calendar-feed"),
    re_path(rf"^calendar/{FEED_TOKEN}\.ics$", appointments.calendar_feed, name="calendar-feed"),
    path("api/v1/me/calendar/", api_appointments.MyCalendar.as_view(), name="api-my-calendar"),
    re_path(rf"^matches/{ID}/$", views.match, name="match"),
    re_path(rf"^matches/{ID}/links/$", views.hand_out, name="match-links"),
    re_path(rf"^matches/{ID}/links/(?P<side>[01])/revoke/$", views.revoke_link, name="match-revoke-link"),
    *_actions(rf"^matches/{ID}/", "match", _by_account),
    re_path(rf"^m/{TOKEN}/$", views.link, name="match-link"),
    *_actions(rf"^m/{TOKEN}/", "link", by_personal_link),
    path("api/v1/matches/", api.MatchList.as_view(), name="api-matches"),
    re_path(rf"{API}$", api.MatchDetail.as_view(), name="api-match"),
    re_path(rf"{API}claims/$", api_reports.Reports.as_view(), name="api-match-claims"),
    re_path(rf"{API}claims/preview/$", api_reports.PreviewReport.as_view(), name="api-match-preview"),
    re_path(rf"{API}running-score/$", api_reports.RunningScore.as_view(), name="api-match-running-score"),
    re_path(rf"{API}length-offers/$", api_lengths.LengthOffers.as_view(), name="api-match-length-offers"),
    re_path(rf"{API}length-offers/accept/$", api_lengths.AcceptLength.as_view(), name="api-match-accept-length"),
    re_path(rf"{API}length-offers/decline/$", api_lengths.DeclineLength.as_view(), name="api-match-decline-length"),
    re_path(rf"{API}concede/$", api_reports.Concede.as_view(), name="api-match-concede"),
    re_path(rf"{API}seen/$", api_reports.Seen.as_view(), name="api-match-seen"),
    re_path(rf"{API}objections/$", api_reports.Objections.as_view(), name="api-match-objections"),
    re_path(rf"{API}confirm/$", api_reports.Confirm.as_view(), name="api-match-confirm"),
    re_path(rf"{API}contest/$", api_reports.Contest.as_view(), name="api-match-contest"),
    re_path(rf"{API}withdraw/$", api_reports.Withdraw.as_view(), name="api-match-withdraw"),
    re_path(rf"{API}records/$", api.MatchRecords.as_view(), name="api-match-records"),
    re_path(rf"{API}records/{RECORD}/names/$", api.RecordNames.as_view(), name="api-match-names"),
    re_path(rf"{API}here/$", api_appointments.Arrival.as_view(), name="api-match-here"),
    re_path(rf"{API}no-show/$", api_appointments.NoShow.as_view(), name="api-match-no-show"),
    re_path(rf"{API}proposals/$", api.Proposals.as_view(), name="api-match-proposals"),
    re_path(rf"{API}proposals/{PROPOSAL}/accept/$", api.AcceptProposal.as_view(), name="api-match-accept"),
    re_path(rf"{API}proposals/{PROPOSAL}/withdraw/$", api.WithdrawProposal.as_view(), name="api-match-withdraw-times"),
    re_path(rf"{API}links/$", api.MatchLinks.as_view(), name="api-match-links"),
    re_path(rf"{API}links/(?P<side>[01])/$", api.MatchLink.as_view(), name="api-match-link"),
]
