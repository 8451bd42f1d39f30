"""Pages and actions to start matches here."""

import functools
from collections.abc import Sequence
from typing import Any, ClassVar

from django import forms
from django.contrib import messages
from django.core.exceptions import BadRequest, ValidationError
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse_lazy
from django.utils import timezone
from django.utils.text import capfirst, format_lazy
from django.utils.translation import gettext, pgettext_lazy
from django.utils.translation import gettext_lazy as _
from django.views.decorators.cache import never_cache

from core import throttle
from core.access import View, Who, open_to
from core.messages import sentence
from core.public_ids import LENGTH
from core.repeats import Repeat, repeated
from core.requests import is_htmx
from core.text_lengths import MAX_NAME_LENGTH
from engine.errors import Refused
from matches.access import match_for_player
from matches.analysis.backends.chosen import installed_backend_name
from matches.lifecycle.play_rules import MAX_SPAN_DAYS
from matches.models import MAX_FRIENDLY, BotPlayer, Challenge, ClockPreset, Match, PracticeLevel, RatingPool
from matches.play.bots import PROGRAM_NAMES, RATING_OF_CLUB_BOT, RATINGS
from matches.play.lobby import selectors
from matches.play.lobby import services as blocks
from matches.play.lobby.selectors import is_called, player_with_id, players_called
from matches.play.lobby.services import ChallengeInput
from matches.play.watching import live_now
from matches.presentation.visibility import NOBODY
from players import access
from players.accounts.services import ensure_player
from players.forms import RefusingForm
from players.models import Player
from players.people.rows import player_of
from players.requests import by, me, page, sent

UNRATED, SITE = "", "site"
USUAL_LENGTH = 5


def _length(label: Any) -> forms.IntegerField:
    return forms.IntegerField(
        label=label,
        min_value=1,
        max_value=MAX_FRIENDLY,
        initial=USUAL_LENGTH,
        widget=forms.NumberInput(attrs={"inputmode": "numeric"}),
    )


BOTS = [
    (
        BotPlayer.Style.CLUB.value,
        format_lazy(_("Club Bot (a good club player, PR {rating})"), rating=RATING_OF_CLUB_BOT),
    ),
    (BotPlayer.Style.PIP.value, _("Pip Bot (only races)")),
    (BotPlayer.Style.RANDOM.value, _("Random Bot (moves at random)")),
]
AT_LEVEL = "level-"
"""What the values of levels begin with, since a bot and a level are both called `club`."""


def level_choice(level: PracticeLevel) -> str:
    """A level with its performance rating."""
    rating = RATINGS.get(level)
    if rating is None:
        return str(capfirst(level.label))
    return gettext("{level} (PR {rating})").format(level=capfirst(level.label), rating=rating)


class PracticeForm(RefusingForm):
    """A match against a bot, or at a level against the analysis program that is installed here."""

    style = forms.ChoiceField(label=_("Opponent"))
    length = _length(pgettext_lazy("match length", "Points"))

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        program = installed_backend_name()
        self.has_levels = bool(program)
        if not program:
            self.choose_among("style", BOTS)
        else:
            levels = [(f"{AT_LEVEL}{level.value}", level_choice(level)) for level in PracticeLevel]
            self.choose_among("style", [(PROGRAM_NAMES[program], levels), (_("This site’s bots"), BOTS)])
            self.initial.setdefault("style", f"{AT_LEVEL}{PracticeLevel.CLUB}")

    @property
    def wish(self) -> dict[str, Any]:
        """The arguments of `start_practice` that the form has."""
        style = self.cleaned_data["style"]
        level = style.removeprefix(AT_LEVEL) if style.startswith(AT_LEVEL) else None
        return {"style": style, "length": self.cleaned_data["length"], "level": level}


class ChallengeForm(RefusingForm):
    """A friendly match, offered to one player or to everybody."""

    opponent = forms.CharField(
        label=_("Opponent"),
        max_length=MAX_NAME_LENGTH,
        required=False,
        help_text=_("Three letters of a name. Leave empty to let anybody accept."),
        widget=forms.TextInput(
            attrs={
                "autocomplete": "off",
                "hx-get": reverse_lazy("find-opponents"),
                "hx-trigger": "input changed delay:250ms",
                "hx-target": "#opponents",
                "hx-swap": "outerHTML",
            }
        ),
    )
    to = forms.CharField(required=False, max_length=LENGTH, widget=forms.HiddenInput)
    """Public id of the player whose page led here, or who was chosen of those that the typed letters find; it counts
     while these letters are theirs."""
    length = _length(pgettext_lazy("match length", "Points"))
    clock = forms.ChoiceField(label=_("Clock"), choices=ClockPreset.choices, initial=ClockPreset.TABLE)
    turn_days = forms.IntegerField(
        label=_("Correspondence: days for each turn"), min_value=1, max_value=MAX_SPAN_DAYS, initial=2
    )
    ratings = forms.ChoiceField(
        label=_("Ratings"),
        required=False,
        help_text=_(
            "Your opponent agrees to this by accepting. At most 3 matches a day and 10 a week between the same two "
            "players are rated."
        ),
    )

    FIELD_OF: ClassVar[dict[str, str]] = {
        **RefusingForm.FIELD_OF,
        "challenge_self": "opponent",
        "challenge_of_bot": "opponent",
        "challenge_blocked": "opponent",
        "opponent_without_account": "opponent",
        "address_unconfirmed": "ratings",
    }

    def __init__(self, *args: Any, pools: Sequence[tuple[str, str]] = (), **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.choose_among("ratings", [(UNRATED, _("not rated")), (SITE, _("In the site’s ratings")), *pools])

    def clean(self) -> dict[str, Any]:
        """Find the opponent: the one player with an account who has this name, None if it was left empty."""
        cleaned = super().clean() or {}
        name = cleaned.get("opponent", "").strip()
        named = player_with_id(cleaned.get("to", ""))
        if not name:
            cleaned["opponent"] = None
        elif named is not None and is_called(named, name):
            cleaned["opponent"] = named
        else:
            cleaned["opponent"] = self._player_called(name)
        return cleaned

    def _player_called(self, name: str) -> Player | None:
        players = players_called(name)
        if not players:
            self.add_error("opponent", ValidationError(_("No player with an account has exactly this name.")))
        elif len(players) > 1:
            text = _("Several players have this name. Choose one, or open their page to challenge them.")
            self.add_error("opponent", ValidationError(text))
        else:
            return players[0]
        return None

    @property
    def wish(self) -> ChallengeInput:
        data = self.cleaned_data
        pool = data["ratings"]
        return ChallengeInput(
            length=data["length"],
            opponent=data["opponent"],
            clock=data["clock"],
            turn_days=data["turn_days"],
            rated=pool != UNRATED,
            pool=RatingPool.objects.get(pk=pool) if pool not in (UNRATED, SITE) else None,
        )


class AcceptChallengeForm(forms.Form):
    """What the page said about the match that is being accepted."""

    not_rated = forms.ChoiceField(choices=Challenge.NotRated, required=False)


class ReviewForm(RefusingForm):
    """Whether a friendly match counts for the ratings, as an officer decides."""

    match = forms.CharField(min_length=LENGTH, max_length=LENGTH)
    rated = forms.TypedChoiceField(choices=[("yes", ""), ("no", "")], coerce=lambda value: value == "yes")


class BlockForm(RefusingForm):
    player = forms.CharField(min_length=LENGTH, max_length=LENGTH)


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


@never_cache
@open_to(get=Who.EVERYBODY)
def lobby(request: HttpRequest) -> HttpResponseBase:
    """Show visitors what can be played here, and members their lobby."""
    if request.user.is_authenticated or is_htmx(request):
        return _members_lobby(request)
    return render(request, "matches/play/lobby/visitor.html", {"live_now": live_now(NOBODY, timezone.now())})


@open_to(get=Who.SIGNED_IN)
def _members_lobby(request: HttpRequest) -> HttpResponse:
    """The open challenges and the reader's friendlies; for htmx, only the lists. `?to=` names an opponent."""
    if is_htmx(request):
        return render(request, "matches/play/lobby/_lists.html", selectors.lobby_page(me(request), timezone.now()))
    return _lobby(request)


def _lobby(request: HttpRequest, *, challenge: ChallengeForm | None = None, code: str = "") -> HttpResponse:
    context = selectors.lobby_page(me(request), timezone.now())
    player = context["player"]
    opponents: list[selectors.Opponent] = []
    if challenge is not None and challenge.has_error("opponent"):
        opponents = _opponents(request, player, challenge.data.get("opponent", ""))
    if challenge is None:
        opponent = _named(request)
        challenge = ChallengeForm(
            pools=selectors.pools_for(player),
            initial={"opponent": opponent.shown_name, "to": opponent.public_id} if opponent else {},
        )
    context |= {"challenge_form": challenge, "practice_form": PracticeForm(auto_id="practice-%s"), "code": code}
    context["opponents"] = opponents
    return page(request, "matches/play/lobby/lobby.html", context, challenge)


def _opponents(request: HttpRequest, player: Player | None, name: str) -> list[selectors.Opponent]:
    """Find players to challenge. Refused: `too_many_attempts`, so that nobody copies a list of names."""
    throttle.count(throttle.NAME_SEARCHES_BY, str(me(request).pk))
    return selectors.find_opponents(player, name)


@open_to(get=Who.SIGNED_IN)
@never_cache
def find_opponents(request: HttpRequest) -> HttpResponse:
    """The players whom the letters in `?opponent=` find, as choices of the form of a challenge."""
    name = request.GET.get("opponent", "")
    try:
        context: dict[str, Any] = {"opponents": _opponents(request, player_of(me(request)), name)}
    except Refused as refused:
        context = {"refusal": sentence(refused.code, refused.params)}
    return render(request, "matches/play/lobby/_opponents.html", context)


def _named(request: HttpRequest) -> Player | None:
    """The player that a link to the lobby names as opponent."""
    public_id = request.GET.get("to", "")
    return selectors.other_player(public_id) if public_id else None


def _to_board(match: Match) -> HttpResponse:
    return redirect("match-play", match.public_id)


@open_to(get=Who.SIGNED_IN, post=Who.SIGNED_IN)
@never_cache
@refused_in_lobby
@repeated(Repeat.KEY)
def practice(request: HttpRequest) -> HttpResponse:
    """Choose an opponent for a practice match; POST starts the match and goes to its board."""
    form = PracticeForm(sent(request), auto_id="practice-%s")
    if not form.is_valid():
        running = [row for row in selectors.running_friendlies(player_of(me(request))) if row["practice"]]
        context = {"practice_form": form, "running": running}
        return page(request, "matches/play/lobby/practice.html", context, form)
    player = ensure_player(user=me(request), by=by(request))
    match = blocks.start_practice(player=player, by=by(request), now=timezone.now(), **form.wish)
    return _to_board(match)


@open_to(post=Who.SIGNED_IN)
@refused_in_lobby
@repeated(Repeat.KEY)
def make_challenge(request: HttpRequest) -> HttpResponse:
    player = ensure_player(user=me(request), by=by(request))
    form = ChallengeForm(request.POST, pools=selectors.pools_for(player))
    if not form.is_valid():
        return _lobby(request, challenge=form)
    try:
        challenge = blocks.make_challenge(player=player, wish=form.wish, by=by(request), now=timezone.now())
    except Refused as refused:
        form.refuse(refused)
        return _lobby(request, challenge=form, code=refused.code)
    if challenge.opponent is None:
        messages.success(request, gettext("Your challenge is open. The match begins when somebody accepts it."))
    else:
        text = gettext("{name} can now accept your challenge.").format(name=challenge.opponent.shown_name)
        messages.success(request, text)
    return redirect("lobby")


@open_to(post=Who.PLAYERS)
@refused_in_lobby
@repeated(Repeat.STATE)
def accept_challenge(request: HttpRequest, public_id: str) -> HttpResponse:
    challenge, _ = selectors.challenge_for(me(request), public_id)
    player = ensure_player(user=me(request), by=by(request))
    match = blocks.accept(
        challenge=challenge, player=player, by=by(request), now=timezone.now(), not_rated=_as_read(request)
    )
    return _to_board(match)


def _as_read(request: HttpRequest) -> str:
    """Why the match is not rated, as the page of the reader said. Raise BadRequest for what no page says."""
    form = AcceptChallengeForm(request.POST)
    if not form.is_valid():
        raise BadRequest("No page says so.")
    return str(form.cleaned_data["not_rated"])


@open_to(post=Who.PLAYERS)
@refused_in_lobby
@repeated(Repeat.STATE)
def decline_challenge(request: HttpRequest, public_id: str) -> HttpResponse:
    challenge, player = _challenge_of_player(request, public_id)
    blocks.decline(challenge=challenge, player=player, by=by(request), now=timezone.now())
    messages.success(request, gettext("Declined."))
    return redirect("lobby")


@open_to(post=Who.PLAYERS)
@refused_in_lobby
@repeated(Repeat.STATE)
def withdraw_challenge(request: HttpRequest, public_id: str) -> HttpResponse:
    challenge, player = _challenge_of_player(request, public_id)
    blocks.withdraw(challenge=challenge, player=player, by=by(request), now=timezone.now())
    messages.success(request, gettext("Your challenge is withdrawn."))
    return redirect("lobby")


def _challenge_of_player(request: HttpRequest, public_id: str) -> tuple[Challenge, Player]:
    """Return a challenge and the reader's player. Raise Http404 for a user without a player."""
    challenge, player = selectors.challenge_for(me(request), public_id)
    if player is None:
        raise Http404
    return challenge, player


@open_to(post=Who.PLAYERS)
@refused_in_lobby
@repeated(Repeat.KEY)
def rematch(request: HttpRequest, public_id: str) -> HttpResponse:
    """Ask for a rematch; if the opponent has asked already, go to its board."""
    seat = match_for_player(request.user, public_id)
    player = ensure_player(user=me(request), by=by(request))
    match = blocks.want_rematch(
        match=seat.match, player=player, by=by(request), now=timezone.now(), not_rated=_as_read(request)
    )
    if match is not None:
        return _to_board(match)
    messages.success(request, gettext("The rematch begins when your opponent accepts it."))
    return redirect("lobby")


@open_to(post=Who.SIGNED_IN)
@refused_in_lobby
@repeated(Repeat.STATE)
def block_player(request: HttpRequest) -> HttpResponse:
    form = BlockForm(request.POST)
    if not form.is_valid():
        raise Http404
    other = selectors.other_player(form.cleaned_data["player"])
    player = ensure_player(user=me(request), by=by(request))
    blocks.block(player=player, other=other, by=by(request), now=timezone.now())
    text = gettext("{name} can no longer play friendly matches with you.").format(name=other.shown_name)
    messages.success(request, text)
    return redirect("lobby")


@open_to(post=Who.SIGNED_IN)
@repeated(Repeat.STATE)
def unblock_player(request: HttpRequest, public_id: str) -> HttpResponse:
    """Allow friendly matches with a player again."""
    other = selectors.other_player(public_id)
    player = ensure_player(user=me(request), by=by(request))
    blocks.unblock(player=player, other=other, by=by(request))
    text = gettext("{name} can play friendly matches with you again.").format(name=other.shown_name)
    messages.success(request, text)
    return redirect("lobby")


@open_to(get=Who.DIRECTORS, post=Who.DIRECTORS)
@never_cache
@repeated(Repeat.STATE)
def friendlies(request: HttpRequest, slug: str = "") -> HttpResponse:
    """List friendlies to look at, of a club or of players without one; POST takes one out of the ratings or back in."""
    club = access.club_or_site(request.user, slug)
    if request.method != "POST":
        context = {"club": club, "groups": blocks.friendlies_to_review(club, timezone.now())}
        return render(request, "matches/play/lobby/friendlies.html", context)
    form = ReviewForm(request.POST)
    if not form.is_valid():
        raise BadRequest("The match or the decision is missing.")
    match, rated = blocks.match_to_review(club, form.cleaned_data["match"]), form.cleaned_data["rated"]
    try:
        blocks.decide_rated(match=match, club=club, rated=rated, by=by(request), now=timezone.now())
    except Refused as refused:
        messages.error(request, sentence(refused.code, refused.params))
    else:
        text = gettext("The match counts again.") if rated else gettext("The match no longer counts.")
        messages.success(request, text)
    return redirect(request.path)
