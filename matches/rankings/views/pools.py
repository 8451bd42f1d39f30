"""Pages of a club's rating pools: settings, ratings, and imports with preview and undo."""

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
from players.models import Club
from players.pages import account_needed, by, page, refused_back, sent

SHOWN = 200


def pool_of(club: Club, pk: int) -> RatingPool:
    """Return a pool of this club. Raise Http404 for any other."""
    pool = RatingPool.objects.select_related("club").filter(pk=pk, club=club).first()
    if pool is None:
        raise Http404
    return pool


@account_needed
@require_http_methods(["GET", "HEAD", "POST"])
def pools(request: HttpRequest, slug: str) -> HttpResponse:
    """List the pools of a club, and create one."""
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
    """Show a pool with its ratings and imports, and change its settings."""
    club = access.club_for_director(request.user, slug)
    rating_pool = pool_of(club, pk)
    form = PoolForm.of(rating_pool, sent(request))
    if form.is_valid():
        try:
            update_pool(pool=rating_pool, settings=form.settings, by=by(request))
        except Refused as refused:
            form.refuse(refused)
        else:
            messages.success(request, _("Saved. Ratings are being recalculated."))
            return redirect("club-pool", slug, pk)
    return _page(request, club, rating_pool, form)


def _page(request: HttpRequest, club: Club, pool: RatingPool, *bound: Any, **extra: Any) -> HttpResponse:
    forms = {"form": PoolForm.of(pool), "import_form": ImportForm()}
    for form in bound:
        forms["import_form" if isinstance(form, ImportForm) else "form"] = form
    context = {
        "club": club,
        "pool": pool,
        "ratings": PlayerRating.objects.filter(pool=pool).select_related("player")[:SHOWN],
        "imports": pool.imports.select_related("by")[:SHOWN],
        **forms,
        **extra,
    }
    return page(request, "matches/rankings/pool.html", context, *bound)


@account_needed
@require_POST
def import_rows(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Preview an import, or apply it in the second step."""
    club = access.club_for_director(request.user, slug)
    rating_pool = pool_of(club, pk)
    form = ImportForm(request.POST)
    if form.is_valid():
        rows = {"kind": form.cleaned_data["kind"], "text": form.cleaned_data["text"]}
        try:
            if form.cleaned_data["step"] == "preview":
                return _page(request, club, rating_pool, form, preview=preview_import(pool=rating_pool, **rows))
            apply_import(pool=rating_pool, by=by(request), now=timezone.now(), **rows)
        except Refused as refused:
            form.refuse(refused)
        else:
            messages.success(request, _("Imported. Ratings are being recalculated."))
            return redirect("club-pool", slug, pk)
    return _page(request, club, rating_pool, form)


@account_needed
@require_POST
def undo(request: HttpRequest, slug: str, pk: int, source: int) -> HttpResponse:
    """Undo an import."""
    club = access.club_for_director(request.user, slug)
    row = RatingImport.objects.filter(pk=source, pool=pool_of(club, pk)).first()
    if row is None:
        raise Http404
    try:
        undo_import(source=row, by=by(request), now=timezone.now())
    except Refused as refused:
        return refused_back(request, refused, "club-pool", slug, str(pk))
    messages.success(request, _("Import undone. Ratings are being recalculated."))
    return redirect("club-pool", slug, pk)
