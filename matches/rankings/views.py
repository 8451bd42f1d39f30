"""Pages of rankings, players, and a club's rating pools."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

from django import forms
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.cache import patch_vary_headers
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from core import downloads
from core.requests import is_htmx, parse_int
from core.text_lengths import LONGEST_NAME
from engine.errors import Refused
from matches.lifecycle.events import events
from matches.models import PlayerRating, RatingImport, RatingPool
from matches.presentation.visibility import Viewer
from matches.rankings import histories, profiles, tables
from matches.rankings.formulas import formulas_of
from matches.rankings.imports import apply_import, preview_import, undo_import
from matches.rankings.profiles import completion_for
from matches.ratings.rated import merged_players
from matches.ratings.services import (
    LEAST_RATING,
    LEAST_SCALE,
    MOST_EXPERIENCE,
    MOST_RATING,
    MOST_SCALE,
    PoolSettings,
    create_pool,
    default_pool,
    update_pool,
)
from players import access
from players.forms import LONGEST_LIST, RefusingForm
from players.joining.actions import RefuseForm
from players.models import Club, JoinRequest, Player
from players.pages import account_needed, by, page, refused_back, sent
from players.people.rows import account_of
from players.selectors import open_requests

# Forms for a club's rating pools and imports.


class PoolForm(RefusingForm):
    """Settings of a pool."""

    name = forms.CharField(label=gettext_lazy("Name"), max_length=LONGEST_NAME)
    start_rating = forms.FloatField(
        label=gettext_lazy("Starting rating"), min_value=LEAST_RATING, max_value=MOST_RATING, initial=1500
    )
    start_experience = forms.IntegerField(
        label=gettext_lazy("Starting experience (points)"), min_value=0, max_value=MOST_EXPERIENCE, initial=0
    )
    ramp = forms.ChoiceField(label=gettext_lazy("K for new players falls with"), choices=RatingPool.RAMPS)
    k_scale = forms.FloatField(
        label=gettext_lazy("Scale of K"),
        min_value=LEAST_SCALE,
        max_value=MOST_SCALE,
        initial=1,
        help_text=gettext_lazy("1 is the FIBS formula; 0.5 halves every change."),
    )
    FIELD_OF: ClassVar[dict[str, str]] = {**RefusingForm.FIELD_OF, "pool_name_taken": "name"}

    @classmethod
    def of(cls, pool: RatingPool, data: Any = None) -> "PoolForm":
        """Return the form of an existing pool."""
        return cls(data, initial={name: getattr(pool, name) for name in cls.base_fields})

    @property
    def settings(self) -> PoolSettings:
        """The settings as a value."""
        return PoolSettings(**self.cleaned_data)


class ImportForm(RefusingForm):
    """CSV rows to preview or to import."""

    kind = forms.ChoiceField(label=gettext_lazy("Data"), choices=RatingImport.Kind.choices)
    text = forms.CharField(
        label=gettext_lazy("CSV"),
        max_length=LONGEST_LIST,
        widget=forms.Textarea(attrs={"rows": 8, "spellcheck": "false"}),
        help_text=gettext_lazy(
            "The first row names the columns. Starting ratings: name, rating, experience. "
            "Past matches: date (2025-11-27), winner, loser, length."
        ),
    )
    step = forms.ChoiceField(choices=[("preview", "preview"), ("apply", "apply")])
    FIELD_OF: ClassVar[dict[str, str]] = {
        **RefusingForm.FIELD_OF,
        **dict.fromkeys(
            ("import_empty", "import_too_long", "import_bad_row", "import_unreadable_row", "import_ambiguous",
             "import_same_player", "name_too_long", "too_many_names"),
            "text",
        ),
    }  # fmt: skip


# The pages of rankings and players.


RIVALS = 12


def _page(request: HttpRequest) -> int:
    return parse_int(request.GET.get("page"), 1)


def _either(request: HttpRequest, whole: str, part: str, context: dict[str, object]) -> HttpResponse:
    """Render the page, or only the part that changes for an htmx request."""
    response = render(request, part if is_htmx(request) else whole, context)
    patch_vary_headers(response, ["HX-Request"])
    return response


@require_safe
def ranking(request: HttpRequest) -> HttpResponse:
    """The ranking table: `?days=`, `?least=` matches, `?club=`, `?q=`, `?page=`."""
    viewer = Viewer.of(request.user)
    filters = tables.opened(tables.Filters.read(request.GET), request.user)
    context: dict[str, object] = {
        "ranking": tables.ranking(filters, _page(request), timezone.now(), viewer.player),
        "days": tables.DAYS,
        "least": tables.LEAST_MATCHES,
        "clubs": tables.club_choices(),
    }
    return _either(request, "matches/rankings/rankings.html", "matches/rankings/_ranking.html", context)


@require_safe
def ranking_csv(request: HttpRequest) -> HttpResponseBase:
    """The ranking as a file, with the filters of the page."""
    rows = histories.ranking_rows(tables.Filters.read(request.GET), timezone.now(), request.user)
    return downloads.long_file(request, rows, "ranking.csv")


@require_safe
def matches_csv(request: HttpRequest) -> HttpResponseBase:
    """The rated matches as a file: `?club=`, `?since=`, `?until=` (dates)."""
    rows = histories.match_rows(
        Viewer.of(request.user),
        club=request.GET.get("club", ""),
        since=histories.day(request.GET.get("since")),
        until=histories.day(request.GET.get("until")),
    )
    return downloads.long_file(request, rows, "rated-matches.csv")


@require_safe
def players(request: HttpRequest) -> HttpResponse:
    """Find a player: `?q=`, `?page=`."""
    words = request.GET.get("q", "")[:80]
    people, rows = tables.players(words, _page(request))
    context: dict[str, object] = {"q": words, "page": people, "rows": rows}
    return _either(request, "matches/rankings/players.html", "matches/rankings/_players.html", context)


@require_safe
def player(request: HttpRequest, public_id: str) -> HttpResponse:
    """A player's page: `?chart=all` draws every match."""
    shown_player = access.player(public_id)
    if shown_player.public_id != public_id:
        return redirect("player", shown_player.public_id)
    whole = request.GET.get("chart") == "all"
    viewer = Viewer.of(request.user)
    profile = profiles.profile(shown_player, timezone.now(), viewer, whole=whole)
    context = {
        "profile": profile,
        "me": shown_player.pk == viewer.player,
        "may_challenge": _may_challenge(request, shown_player, viewer),
        "completion": completion_for(request.user, shown_player),
        "titles": events().titles([shown_player.pk]),
    }
    return render(request, "matches/rankings/player.html", context)


def _may_challenge(request: HttpRequest, shown_player: Player, viewer: Viewer) -> bool:
    """Whether the reader can challenge a player to a friendly match: both have an account."""
    return request.user.is_authenticated and shown_player.user_id is not None and shown_player.pk != viewer.player


@require_safe
def player_matches(request: HttpRequest, public_id: str) -> HttpResponse:
    """All matches of a player: `?result=`, `?rated=`, `?length=`, `?year=`, `?opponent=`, `?page=`."""
    shown_player = access.player(public_id)
    if shown_player.public_id != public_id:
        return redirect("player-matches", shown_player.public_id)
    filters = histories.Filters.read(request.GET)
    context: dict[str, object] = {
        "player": shown_player,
        "history": histories.history(shown_player, filters, _page(request), Viewer.of(request.user)),
        "lengths": histories.LENGTHS,
    }
    return _either(request, "matches/rankings/player_matches.html", "matches/rankings/_history.html", context)


@require_safe
def choose_opponent(request: HttpRequest, public_id: str) -> HttpResponse:
    """Choose an opponent to compare with: the most frequent ones, or `?q=`."""
    shown_player = access.player(public_id)
    words = request.GET.get("q", "")[:80]
    people, rows = tables.players(words, _page(request), but=shown_player.pk) if words else (None, [])
    context: dict[str, object] = {
        "player": shown_player,
        "q": words,
        "page": people,
        "rows": rows,
        "rivals": [] if words else histories.rivals(shown_player, RIVALS),
    }
    return render(request, "matches/rankings/choose_opponent.html", context)


@require_safe
def versus(request: HttpRequest, public_id: str, other_id: str) -> HttpResponse:
    """Two players head to head."""
    first, second = access.player(public_id), access.player(other_id)
    if first == second:
        return redirect("choose-opponent", first.public_id)
    if (first.public_id, second.public_id) != (public_id, other_id):
        return redirect("versus", first.public_id, second.public_id)
    pool = default_pool()
    ratings = profiles.rating_of(first, pool), profiles.rating_of(second, pool)
    context: dict[str, object] = {
        "first": first,
        "second": second,
        "ratings": ratings,
        "versus": histories.versus(first, second, ratings, _page(request), Viewer.of(request.user)),
    }
    return render(request, "matches/rankings/versus.html", context)


# Pages of a club's rating pools: settings, ratings, and imports with preview and undo.


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
    compared = formulas_of(rating_pool) if request.GET.get("formulas") == "1" else None
    return _pools_page(request, club, rating_pool, form, formulas=compared)


def _pools_page(request: HttpRequest, club: Club, pool: RatingPool, *bound: Any, **extra: Any) -> HttpResponse:
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
                return _pools_page(request, club, rating_pool, form, preview=preview_import(pool=rating_pool, **rows))
            apply_import(pool=rating_pool, by=by(request), now=timezone.now(), **rows)
        except Refused as refused:
            form.refuse(refused)
        else:
            messages.success(request, _("Imported. Ratings are being recalculated."))
            return redirect("club-pool", slug, pk)
    return _pools_page(request, club, rating_pool, form)


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


# Requests to join a club: a director compares who asks with the player they say they are.


REQUESTS_SHOWN = 10
LATEST = 5
"""Matches of each side that a director compares."""


class JoinRequestRow(NamedTuple):
    """A request, with what helps a director to answer it."""

    request: JoinRequest
    sides: Sequence[tuple[str, Player, Sequence[histories.HistoryLine]]]
    """Whoever asks, and the player they say they are: a heading, the player and their latest matches."""
    rivals: int
    """How many others claim the same player."""
    is_taken: bool
    """Whether the player they claim has an account by now."""
    form: RefuseForm


@account_needed
@never_cache
@require_safe
def join_requests(request: HttpRequest, slug: str) -> HttpResponse:
    """List the requests to join a club, for its directors."""
    club = access.club_for_director(request.user, slug)
    requests, viewer = list(open_requests(club)), Viewer.of(request.user)
    claims = Counter(row.claimed_id for row in requests if row.claimed_id)
    same = merged_players()
    shown = requests[:REQUESTS_SHOWN]
    rows = [_join_request_row(row, claims[row.claimed_id or 0] - 1, viewer, same) for row in shown]
    context = {"club": club, "rows": rows, "more": max(len(requests) - REQUESTS_SHOWN, 0)}
    return render(request, "matches/rankings/join_requests.html", context)


def _join_request_row(row: JoinRequest, rivals: int, viewer: Viewer, same: Mapping[int, int]) -> JoinRequestRow:
    players = [(_("Asks to join"), row.user.player)]
    if row.claimed is not None:
        players.append((_("Says to be"), row.claimed))
    sides = [(heading, player, histories.latest(player, viewer, same, LATEST)) for heading, player in players]
    is_taken = row.claimed is not None and account_of(row.claimed) is not None
    return JoinRequestRow(row, sides, max(rivals, 0), is_taken, RefuseForm(auto_id=f"{row.public_id}-%s"))
