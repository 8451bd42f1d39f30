"""A club's rating pools: settings, ratings, and imports with preview and undo."""

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from engine.errors import Refused
from matches.models import PlayerRating, RatingImport, RatingPool
from matches.rankings.forms import ImportForm, PoolForm
from matches.rankings.services.imports import apply_import, preview_import, undo_import
from matches.ratings.services.pools import create_pool, update_pool
from players import access
from players.accounts.views.pages import account_needed, by, page, refused_back, sent
from players.models import Club

SHOWN = 200


def pool_of(club: Club, pk: int) -> RatingPool:
    """A pool of this club; 404 for any other."""
    found = RatingPool.objects.select_related("club").filter(pk=pk, club=club).first()
    if found is None:
        raise Http404
    return found


@account_needed
@require_http_methods(["GET", "HEAD", "POST"])
def pools(request: HttpRequest, slug: str) -> HttpResponse:
    """The pools of a club, and a new one."""
    club = access.club_for_director(request.user, slug)
    form = PoolForm(sent(request))
    if form.is_valid():
        try:
            pool = create_pool(club=club, settings=form.settings, by=by(request))
        except Refused as refused:
            form.refuse(refused)
        else:
            return redirect("club-pool", slug, pool.pk)
    rows = RatingPool.objects.filter(club=club).order_by("name")
    return page(request, "matches/rankings/pools.html", {"club": club, "pools": rows, "form": form}, form)


@account_needed
@require_http_methods(["GET", "HEAD", "POST"])
def pool(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """One pool: its ratings, its settings, what was imported."""
    club = access.club_for_director(request.user, slug)
    found = pool_of(club, pk)
    form = PoolForm.of(found, sent(request))
    if form.is_valid():
        try:
            update_pool(pool=found, settings=form.settings, by=by(request))
        except Refused as refused:
            form.refuse(refused)
        else:
            messages.success(request, _("Saved. The ratings are being calculated anew."))
            return redirect("club-pool", slug, pk)
    return _page(request, club, found, form)


def _page(request: HttpRequest, club: Club, pool: RatingPool, *bound: Any, **more: Any) -> HttpResponse:
    forms = {"form": PoolForm.of(pool), "import_form": ImportForm()}
    for form in bound:
        forms["import_form" if isinstance(form, ImportForm) else "form"] = form
    context = {
        "club": club,
        "pool": pool,
        "ratings": PlayerRating.objects.filter(pool=pool).select_related("player")[:SHOWN],
        "imports": pool.imports.select_related("by")[:SHOWN],
        **forms,
        **more,
    }
    return page(request, "matches/rankings/pool.html", context, *bound)


@account_needed
@require_POST
def bring_in(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Import rows: first a preview, then the same rows are applied."""
    club = access.club_for_director(request.user, slug)
    found = pool_of(club, pk)
    form = ImportForm(request.POST)
    if form.is_valid():
        rows = {"kind": form.cleaned_data["kind"], "text": form.cleaned_data["text"]}
        try:
            if form.cleaned_data["step"] == "preview":
                return _page(request, club, found, form, preview=preview_import(pool=found, **rows))
            apply_import(pool=found, by=by(request), now=timezone.now(), **rows)
        except Refused as refused:
            form.refuse(refused)
        else:
            messages.success(request, _("Imported. The ratings are being calculated anew."))
            return redirect("club-pool", slug, pk)
    return _page(request, club, found, form)


@account_needed
@require_POST
def undo(request: HttpRequest, slug: str, pk: int, source: int) -> HttpResponse:
    """Take an import out again."""
    club = access.club_for_director(request.user, slug)
    row = RatingImport.objects.filter(pk=source, pool=pool_of(club, pk)).first()
    if row is None:
        raise Http404
    try:
        undo_import(source=row, by=by(request), now=timezone.now())
    except Refused as refused:
        return refused_back(request, refused, "club-pool", slug, str(pk))
    messages.success(request, _("The import is undone. The ratings are being calculated anew."))
    return redirect("club-pool", slug, pk)
