"""Pages and actions by which players start matches here."""

import functools

from django.contrib import messages
from django.core.exceptions import BadRequest
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from core.messages import sentence
from core.requests import is_htmx
from engine.errors import Refused
from matches.access import match_for_player
from matches.models import Challenge, Match
from matches.play.lobby import selectors
from matches.play.lobby.forms import AcceptForm, BlockForm, ChallengeForm, PracticeForm, ReviewForm
from matches.play.lobby.services import blocks, challenges, practice, reviews
from players import access
from players.accounts.services import ensure_player
from players.models import Player
from players.pages import View, account_needed, by, me, page


def refused_in_lobby(view: View) -> View:
    """Send the reader back to the lobby with the reason if the action is refused."""

    @functools.wraps(view)
    def wrapped(request: HttpRequest, **params: str) -> HttpResponseBase:
        try:
            return view(request, **params)
        except Refused as refused:
            messages.error(request, sentence(refused.code, refused.params))
            return redirect("lobby")

    return wrapped


@account_needed
@never_cache
@require_safe
def lobby(request: HttpRequest) -> HttpResponse:
    """Show the open challenges and the reader's friendlies; for htmx, only the lists. `?to=` names an opponent."""
    if is_htmx(request):
        return render(request, "matches/play/lobby/_lists.html", selectors.lobby_page(me(request), timezone.now()))
    return _lobby(request)


def _lobby(request: HttpRequest, *, challenge: ChallengeForm | None = None, code: str = "") -> HttpResponse:
    context = selectors.lobby_page(me(request), timezone.now())
    player = context["player"]
    if challenge is None:
        opponent = _named(request)
        challenge = ChallengeForm(
            pools=selectors.pools_for(player),
            initial={"opponent": opponent.shown_name, "to": opponent.public_id} if opponent else {},
        )
    context |= {"challenge_form": challenge, "practice_form": PracticeForm(auto_id="practice-%s"), "code": code}
    return page(request, "matches/play/lobby/lobby.html", context, challenge)


def _named(request: HttpRequest) -> Player | None:
    """The player that a link to the lobby names as opponent."""
    public_id = request.GET.get("to", "")
    return selectors.other_player(public_id) if public_id else None


def _to_board(match: Match) -> HttpResponse:
    return redirect("match-play", match.public_id)


@account_needed
@require_POST
@refused_in_lobby
def start_practice(request: HttpRequest) -> HttpResponse:
    """Start a practice match and go to its board."""
    form = PracticeForm(request.POST)
    if not form.is_valid():
        messages.error(request, gettext("Choose an opponent and a length from 1 to 15 points."))
        return redirect("lobby")
    player = ensure_player(user=me(request), by=by(request))
    match = practice.start_practice(player=player, by=by(request), now=timezone.now(), **form.wish)
    return _to_board(match)


@account_needed
@require_POST
def make_challenge(request: HttpRequest) -> HttpResponse:
    """Make a challenge, then show it in the lobby."""
    player = ensure_player(user=me(request), by=by(request))
    form = ChallengeForm(request.POST, pools=selectors.pools_for(player))
    if not form.is_valid():
        return _lobby(request, challenge=form)
    try:
        challenge = challenges.make_challenge(player=player, wish=form.wish, by=by(request), now=timezone.now())
    except Refused as refused:
        form.refuse(refused)
        return _lobby(request, challenge=form, code=refused.code)
    if challenge.opponent is None:
        messages.success(request, gettext("Your challenge is open. The match begins when somebody accepts it."))
    else:
        text = gettext("{name} can now accept your challenge.").format(name=challenge.opponent.shown_name)
        messages.success(request, text)
    return redirect("lobby")


@account_needed
@require_POST
@refused_in_lobby
def accept_challenge(request: HttpRequest, public_id: str) -> HttpResponse:
    """Accept a challenge and go to the board."""
    challenge, _ = selectors.challenge_for(me(request), public_id)
    player = ensure_player(user=me(request), by=by(request))
    match = challenges.accept(
        challenge=challenge, player=player, by=by(request), now=timezone.now(), not_rated=_as_read(request)
    )
    return _to_board(match)


def _as_read(request: HttpRequest) -> str:
    """Why the match is not rated, as the page of the reader said. Raise BadRequest for what no page says."""
    form = AcceptForm(request.POST)
    if not form.is_valid():
        raise BadRequest("No page says so.")
    return str(form.cleaned_data["not_rated"])


@account_needed
@require_POST
@refused_in_lobby
def decline_challenge(request: HttpRequest, public_id: str) -> HttpResponse:
    """Decline a challenge made to the reader."""
    challenge, player = _challenge_of_player(request, public_id)
    challenges.decline(challenge=challenge, player=player, by=by(request), now=timezone.now())
    messages.success(request, gettext("Declined."))
    return redirect("lobby")


@account_needed
@require_POST
@refused_in_lobby
def withdraw_challenge(request: HttpRequest, public_id: str) -> HttpResponse:
    """Withdraw the reader's own challenge."""
    challenge, player = _challenge_of_player(request, public_id)
    challenges.withdraw(challenge=challenge, player=player, by=by(request), now=timezone.now())
    messages.success(request, gettext("Your challenge is withdrawn."))
    return redirect("lobby")


def _challenge_of_player(request: HttpRequest, public_id: str) -> tuple[Challenge, Player]:
    """Return a challenge and the reader's player. Raise Http404 for a user without a player."""
    challenge, player = selectors.challenge_for(me(request), public_id)
    if player is None:
        raise Http404
    return challenge, player


@account_needed
@require_POST
@refused_in_lobby
def rematch(request: HttpRequest, public_id: str) -> HttpResponse:
    """Ask for a rematch; if the opponent has asked already, go to its board."""
    seat = match_for_player(request.user, public_id)
    player = ensure_player(user=me(request), by=by(request))
    match = challenges.want_rematch(
        match=seat.match, player=player, by=by(request), now=timezone.now(), not_rated=_as_read(request)
    )
    if match is not None:
        return _to_board(match)
    messages.success(request, gettext("The rematch begins when your opponent accepts it."))
    return redirect("lobby")


@account_needed
@require_POST
@refused_in_lobby
def block_player(request: HttpRequest) -> HttpResponse:
    """Block a player for friendly matches."""
    form = BlockForm(request.POST)
    if not form.is_valid():
        raise Http404
    other = selectors.other_player(form.cleaned_data["player"])
    player = ensure_player(user=me(request), by=by(request))
    blocks.block(player=player, other=other, by=by(request), now=timezone.now())
    text = gettext("{name} can no longer play friendly matches with you.").format(name=other.shown_name)
    messages.success(request, text)
    return redirect("lobby")


@account_needed
@require_POST
def unblock_player(request: HttpRequest, public_id: str) -> HttpResponse:
    """Allow friendly matches with a player again."""
    other = selectors.other_player(public_id)
    player = ensure_player(user=me(request), by=by(request))
    blocks.unblock(player=player, other=other, by=by(request))
    text = gettext("{name} can play friendly matches with you again.").format(name=other.shown_name)
    messages.success(request, text)
    return redirect("lobby")


@account_needed
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def friendlies(request: HttpRequest, slug: str) -> HttpResponse:
    """List the friendlies of members to look at; POST takes one out of the ratings or puts it back."""
    club = access.club_for_director(request.user, slug)
    if request.method != "POST":
        context = {"club": club, "pairs": reviews.pairs_to_review(club, timezone.now())}
        return render(request, "matches/play/lobby/friendlies.html", context)
    form = ReviewForm(request.POST)
    if not form.is_valid():
        raise BadRequest("The match or the decision is missing.")
    match, rated = reviews.match_to_review(club, form.cleaned_data["match"]), form.cleaned_data["rated"]
    try:
        reviews.decide_rated(match=match, club=club, rated=rated, by=by(request), now=timezone.now())
    except Refused as refused:
        messages.error(request, sentence(refused.code, refused.params))
    else:
        text = gettext("The match counts again.") if rated else gettext("The match no longer counts.")
        messages.success(request, text)
    return redirect("club-friendlies", slug)
