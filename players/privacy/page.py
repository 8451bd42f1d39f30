"""Pages for copies of a person's data, and for deleting a player's data."""

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache

from core import throttle
from core.access import Who, open_to
from core.messages import sentence
from core.repeats import Repeat, repeated
from engine.errors import Refused
from players import access
from players.accounts import services as account_services
from players.forms import RefusingForm
from players.people.leaving import parts_of
from players.people.services import check_managed_by_club
from players.privacy import services
from players.privacy.services import archive_download
from players.requests import by, me, page, refused_back, sent


class EraseForm(RefusingForm):
    """The erasure of a player, which cannot be undone and needs a tick."""

    sure = forms.BooleanField(
        label=gettext_lazy("Delete this person’s name and everything written about them"),
        error_messages={"required": gettext_lazy("Tick the box to confirm.")},
    )


@open_to(get=Who.SIGNED_IN)
@never_cache
def my_data(request: HttpRequest) -> HttpResponse:
    """Show what is kept about the user, the copies of it and the way to delete it."""
    player = account_services.ensure_player(user=me(request), by=by(request))
    exports = services.exports_for(me(request), player, timezone.now())
    return page(request, "players/privacy/my_data.html", {"exports": list(exports[:10])})


@open_to(post=Who.SIGNED_IN)
@repeated(Repeat.KEY)
def export_my_data(request: HttpRequest) -> HttpResponse:
    """Have a copy of the user's data made."""
    user = me(request)
    player = account_services.ensure_player(user=user, by=by(request))
    try:
        throttle.count(throttle.DATA_EXPORTS_BY, str(user.pk))
        services.request_export(player=player, user=user, by=by(request), now=timezone.now())
    except Refused as refused:
        return refused_back(request, refused, "my-data")
    messages.success(request, _("The data is being collected. This usually takes less than a minute."))
    return redirect("my-data")


@open_to(get=Who.OWN)
@never_cache
def download(request: HttpRequest, export: str) -> StreamingHttpResponse:
    """Return the ZIP file of a finished copy to whoever requested it."""
    row = access.data_export(me(request), export, timezone.now())
    return archive_download(request, row, "application/zip")


@open_to(get=Who.DIRECTORS)
@never_cache
def member_data(request: HttpRequest, slug: str, public_id: str) -> HttpResponse:
    """Show a director the copies of a member's data and the form to delete it."""
    return _member_page(request, slug, public_id, EraseForm())


def _member_page(request: HttpRequest, slug: str, public_id: str, form: EraseForm) -> HttpResponse:
    membership = access.member_for_director(request.user, slug, public_id)
    player, reason = membership.player, ""
    try:
        check_managed_by_club(player, membership.club)
    except Refused as refused:
        reason = sentence(refused.code, refused.params)
    exports = services.exports_for(me(request), player, timezone.now())
    context = {
        "club": membership.club,
        "player": player,
        "exports": list(exports[:10]),
        "form": form,
        "reason": reason,
        "parts": parts_of(player, timezone.now()),
    }
    return page(request, "players/privacy/member_data.html", context, form)


@open_to(post=Who.DIRECTORS)
@repeated(Repeat.KEY)
def export_member_data(request: HttpRequest, slug: str, public_id: str) -> HttpResponse:
    """Have a copy of the data of a player without an account made."""
    membership = access.member_for_director(request.user, slug, public_id)
    try:
        throttle.count(throttle.DATA_EXPORTS_BY, str(me(request).pk))
        services.request_export(
            player=membership.player, user=me(request), by=by(request), now=timezone.now(), club=membership.club
        )
    except Refused as refused:
        return refused_back(request, refused, "member-data", slug, public_id)
    messages.success(request, _("The data is being collected. This usually takes less than a minute."))
    return redirect("member-data", slug, public_id)


@open_to(post=Who.DIRECTORS)
@repeated(Repeat.STATE)
def erase_member(request: HttpRequest, slug: str, public_id: str) -> HttpResponse:
    membership = access.member_for_director(request.user, slug, public_id)
    form = EraseForm(sent(request))
    if form.is_valid():
        try:
            services.erase_member(player=membership.player, club=membership.club, by=by(request), now=timezone.now())
        except Refused as refused:
            form.refuse(refused)
        else:
            messages.success(request, _("The name and what was written about this person were deleted."))
            return redirect("club-members", slug)
    return _member_page(request, slug, public_id, form)
