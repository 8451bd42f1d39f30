"""The pages of rankings and players."""

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.cache import patch_vary_headers
from django.views.decorators.http import require_safe

from core import downloads as csv_files
from core.requests import is_htmx, parse_int
from matches.presentation.visibility import Viewer
from matches.rankings import exports, histories, profiles
from matches.rankings import tables as rankings
from matches.rankings.completion import completion_for
from matches.ratings.services.ratings import default_pool
from players import access
from players.models import Player

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
    filters = rankings.Filters.read(request.GET)
    viewer = Viewer.of(request.user)
    context: dict[str, object] = {
        "ranking": rankings.ranking(filters, _page(request), timezone.now(), viewer.player),
        "days": rankings.DAYS,
        "least": rankings.LEAST_MATCHES,
        "clubs": rankings.club_choices(),
    }
    return _either(request, "matches/rankings/rankings.html", "matches/rankings/_ranking.html", context)


@require_safe
def ranking_csv(request: HttpRequest) -> HttpResponseBase:
    """The ranking as a file, with the filters of the page."""
    filters = rankings.Filters.read(request.GET)
    rows = exports.ranking_rows(filters, timezone.now(), Viewer.of(request.user))
    return csv_files.long_file(request, rows, "ranking.csv")


@require_safe
def matches_csv(request: HttpRequest) -> HttpResponseBase:
    """The rated matches as a file: `?club=`, `?since=`, `?until=` (dates)."""
    rows = exports.match_rows(
        Viewer.of(request.user),
        club=request.GET.get("club", ""),
        since=exports.day(request.GET.get("since")),
        until=exports.day(request.GET.get("until")),
    )
    return csv_files.long_file(request, rows, "rated-matches.csv")


@require_safe
def players(request: HttpRequest) -> HttpResponse:
    """Find a player: `?q=`, `?page=`."""
    words = request.GET.get("q", "")[:80]
    shown, rows = rankings.players(words, _page(request))
    context: dict[str, object] = {"q": words, "page": shown, "rows": rows}
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
    shown, others = rankings.players(words, _page(request), but=shown_player.pk) if words else (None, [])
    context: dict[str, object] = {
        "player": shown_player,
        "q": words,
        "page": shown,
        "rows": others,
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
