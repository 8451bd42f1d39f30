"""Pages of rankings, players, and a club's rating pools."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.cache import patch_vary_headers
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache

from core import downloads
from core.access import Who, open_to
from core.requests import is_htmx, parse_int
from matches.lifecycle.events import events
from matches.presentation.visibility import Viewer
from matches.rankings import histories, profiles, tables
from matches.rankings.profiles import completion_for
from matches.ratings.rated import merged_players
from matches.ratings.services import default_pool, provisional_among
from players import access
from players.accounts.services import ensure_player
from players.joining.actions import RefuseForm
from players.models import JoinRequest, Player
from players.people.pairs import persons
from players.people.rows import account_of
from players.requests import by, me
from players.selectors import open_requests

RIVALS = 12


def _page(request: HttpRequest) -> int:
    return parse_int(request.GET.get("page"), 1)


def _either(request: HttpRequest, whole: str, part: str, context: dict[str, object]) -> HttpResponse:
    """Render the page, or only the part that changes for an htmx request."""
    response = render(request, part if is_htmx(request) else whole, context)
    patch_vary_headers(response, ["HX-Request"])
    return response


@open_to(get=Who.EVERYBODY)
def ranking(request: HttpRequest) -> HttpResponse:
    """The ranking table: `?days=`, `?least=` matches, `?club=`, `?provisional=1`, `?q=`, `?page=`."""
    viewer = Viewer.of(request.user)
    filters = tables.opened(tables.RankingFilters.read(request.GET), request.user)
    context: dict[str, object] = {
        "ranking": tables.ranking(filters, _page(request), timezone.now(), viewer.player),
        "days": tables.DAYS,
        "least": tables.MIN_MATCHES,
        "clubs": tables.club_choices(),
    }
    return _either(request, "matches/rankings/rankings.html", "matches/rankings/_ranking.html", context)


@open_to(get=Who.EVERYBODY)
def ranking_csv(request: HttpRequest) -> HttpResponseBase:
    """The ranking as a file, with the filters of the page."""
    rows = histories.ranking_rows(tables.RankingFilters.read(request.GET), timezone.now(), request.user)
    return downloads.long_file(request, rows, "ranking.csv")


@open_to(get=Who.EVERYBODY)
def matches_csv(request: HttpRequest) -> HttpResponseBase:
    """The rated matches as a file: `?club=`, `?since=`, `?until=` (dates)."""
    rows = histories.match_rows(
        Viewer.of(request.user),
        club=request.GET.get("club", ""),
        since=histories.day(request.GET.get("since")),
        until=histories.day(request.GET.get("until")),
    )
    return downloads.long_file(request, rows, "rated-matches.csv")


@open_to(get=Who.EVERYBODY)
def players(request: HttpRequest) -> HttpResponse:
    """Find a player: `?q=`, `?page=`."""
    words = request.GET.get("q", "")[:80]
    people, rows = tables.players(words, _page(request))
    context: dict[str, object] = {"q": words, "page": people, "rows": rows}
    return _either(request, "matches/rankings/players.html", "matches/rankings/_players.html", context)


@open_to(get=Who.EVERYBODY)
def player(request: HttpRequest, public_id: str) -> HttpResponse:
    """A player's page: `?chart=all` draws every match."""
    shown_player = access.player(public_id)
    if shown_player.public_id != public_id:
        return redirect("player", shown_player.public_id)
    whole = request.GET.get("chart") == "all"
    viewer = Viewer.of(request.user)
    context = {
        "profile": profiles.profile(shown_player, timezone.now(), viewer, whole=whole),
        "me": shown_player.pk == viewer.player,
        "people": persons(shown_player) if shown_player.parts is not None else (),
        "may_challenge": _may_challenge(request, shown_player, viewer),
        "completion": completion_for(request.user, shown_player),
        "titles": events().titles([shown_player.pk]),
    }
    return render(request, "matches/rankings/player.html", context)


@open_to(get=Who.SIGNED_IN)
@never_cache
def own_player(request: HttpRequest) -> HttpResponse:
    """Lead to the reader's own page, which the menu of every page can then link without looking for the player."""
    return redirect("player", ensure_player(user=me(request), by=by(request)).public_id)


def _may_challenge(request: HttpRequest, shown_player: Player, viewer: Viewer) -> bool:
    """Whether the reader can challenge a player to a friendly match: both have an account, and neither has left."""
    has_account = shown_player.user_id is not None and not shown_player.has_left
    return request.user.is_authenticated and has_account and shown_player.pk != viewer.player


@open_to(get=Who.EVERYBODY)
def player_matches(request: HttpRequest, public_id: str) -> HttpResponse:
    """All matches of a player: `?result=`, `?rated=`, `?length=`, `?year=`, `?opponent=`, `?page=`."""
    shown_player = access.player(public_id)
    if shown_player.public_id != public_id:
        return redirect("player-matches", shown_player.public_id)
    filters = histories.HistoryFilters.read(request.GET)
    context: dict[str, object] = {
        "player": shown_player,
        "history": histories.history(shown_player, filters, _page(request), Viewer.of(request.user)),
        "lengths": histories.LENGTHS,
    }
    return _either(request, "matches/rankings/player_matches.html", "matches/rankings/_history.html", context)


@open_to(get=Who.EVERYBODY)
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


@open_to(get=Who.EVERYBODY)
def versus(request: HttpRequest, public_id: str, other_id: str) -> HttpResponse:
    first, second = access.player(public_id), access.player(other_id)
    if first == second:
        return redirect("choose-opponent", first.public_id)
    if (first.public_id, second.public_id) != (public_id, other_id):
        return redirect("versus", first.public_id, second.public_id)
    pool = default_pool()
    ratings = profiles.rating_of(first, pool), profiles.rating_of(second, pool)
    provisional = provisional_among(pool, [first.pk, second.pk])
    context: dict[str, object] = {
        "first": first,
        "second": second,
        "ratings": ratings,
        "provisional": [first.pk in provisional, second.pk in provisional],
        "versus": histories.versus(first, second, ratings, _page(request), Viewer.of(request.user)),
    }
    return render(request, "matches/rankings/versus.html", context)


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


@open_to(get=Who.DIRECTORS)
@never_cache
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
