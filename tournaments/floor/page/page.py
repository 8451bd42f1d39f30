"""The page of the floor, and the parts of it that are sent alone when only they have changed."""

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from hashlib import sha256
from math import ceil
from typing import Any
from zoneinfo import ZoneInfo

from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from core.messages import sentence
from core.names import fold
from players.actors import Actor
from players.models import Player
from tournaments.draws.round_lengths import last_shortening
from tournaments.events.offers import to_decide
from tournaments.floor import selectors
from tournaments.floor.desk import waits_since
from tournaments.floor.kept.needs import kept_needs
from tournaments.floor.page.cards import (
    MAX_QUEUED,
    MAX_WAITING,
    CardLink,
    Cards,
    Post,
    action_url,
    closing_need,
    gone_home,
)
from tournaments.floor.page.flow import flow_parts
from tournaments.floor.page.forecast import chart_of, clock, ending_choices, evening_forecast, pilot_options
from tournaments.floor.page.sheets import reentered, reentry_posts
from tournaments.floor.selectors import FloorView
from tournaments.floor.state import Attention, AttentionKind, FloorMatchState, MatchFacts, MatchOnFloor, TableState
from tournaments.floor.times import clock_bank
from tournaments.floor.undo import UndoableAct, last_act, preview_undo
from tournaments.models import Autopilot, Division, Entry, Tournament
from tournaments.results.needs import (
    MAX_NEEDS,
    RoundNeed,
    latest_results,
    needs_of,
    reported_messages,
    round_need,
    to_make_final,
    unopposed,
    waiting_letters,
)
from tournaments.results.workers import failing_steps, stopped_work
from tournaments.standings.placings import champions

# Sending an open floor only those of its parts that have changed.
#
# Each part is an element with an id, rendered within the tag `{% part %}`. The page has the versions of its parts,
# which are hashes of what they show, and sends them with its requests (floor.js). Nothing is stored on the server.


HEADER = "Floor-Versions"
VERSION_LENGTH = 8


class Parts:
    """The parts of a floor that is being rendered, for a page that has these versions of them."""

    def __init__(self, seen: Mapping[str, str] | None = None) -> None:
        self.seen = seen or {}
        self.versions: dict[str, str] = {}
        self.changed: dict[str, SafeString] = {}

    def add(self, name: str, markup: SafeString, *, token: str) -> SafeString:
        """Add an element by its id. `token` is the request's CSRF token, which does not count as a change."""
        self.versions[name] = _version(markup.replace(token, "") if token else markup)
        if self.seen.get(name) != self.versions[name]:
            self.changed[name] = markup
        return markup

    def add_made_from(self, value: object, name: str, render: Callable[[], SafeString]) -> SafeString:
        """Add an element that is made from a value alone; it is rendered only if that has changed."""
        self.versions[name] = _version(repr(value))
        if self.seen.get(name) == self.versions[name]:
            return SafeString()
        self.changed[name] = render()
        return self.changed[name]

    @property
    def header(self) -> str:
        """The versions as the page sends them back."""
        return ",".join(f"{name}={version}" for name, version in self.versions.items())

    @property
    def swaps(self) -> list[SafeString]:
        """The elements that have changed, to be swapped by their ids."""
        return [
            mark_safe(markup.replace(f'id="{name}"', f'id="{name}" hx-swap-oob="true"', 1))  # noqa: S308, from templates
            for name, markup in self.changed.items()
        ]


def _version(text: str) -> str:
    return sha256(" ".join(text.split()).encode()).hexdigest()[:VERSION_LENGTH]


def versions_seen(request: HttpRequest) -> dict[str, str]:
    """Return the versions of the parts that the page has; empty if it has none."""
    pairs = (pair.partition("=") for pair in request.headers.get(HEADER, "").split(","))
    return {name: version for name, _separator, version in pairs if name}


def render_changes(request: HttpRequest, context: Mapping[str, object]) -> HttpResponse | None:
    """Return the parts that differ from those the page has, or None if it has other parts and needs the whole floor."""
    parts = Parts(versions_seen(request))
    if not parts.seen:
        return None
    render_to_string("tournaments/floor/_parts.html", {**context, "parts": parts, "is_part": True}, request)
    if parts.seen.keys() != parts.versions.keys():
        return None
    changes = {"parts": parts, "topics_shown": context["topics_shown"], "due_in": context["due_in"]}
    content = render_to_string("tournaments/floor/_changes.html", changes)
    # htmx swaps the elements that are marked, and leaves the rest of the page as it is.
    return HttpResponse(content, headers={"HX-Reswap": "none"})


# The context of the floor's page: what needs the director, the tables, what comes next, and the forecast.


ENDED, CANCELLED = Division.Status.FINISHED, Division.Status.CANCELLED
URGENT = ("dispute", "objection", "refused")
LATEST_SHOWN = 5


def floor_page(tournament: Tournament, by: Actor, now: datetime, *, complete: bool = False) -> dict[str, Any]:
    """Return the context of the floor of an event for `by`; only the first matches that wait unless `complete`."""
    view = selectors.floor(tournament, now)
    needs = needs_of(tournament, view.rounds, by)
    cards = Cards(view, needs)
    divisions = list(tournament.divisions.all())
    messages = reported_messages(tournament, divisions, by)
    kept, not_back = kept_needs(tournament, now)
    urgent = [need for need in needs if need.kind in URGENT]
    others = [need for need in needs if need.kind not in URGENT]
    homes = gone_home(tournament, {player: view.names[player] for player in _unanswered(view)})
    attention = [_floor_need(item, cards, homes) for item in view.state.attention]
    closing = closing_need(view, cards)
    round_needs = _round_needs(divisions)
    side_events = to_decide(tournament, divisions, now)
    queue, waiting = cards.queue(), view.waiting
    latest = latest_results(tournament, LATEST_SHOWN)
    flows, faulty = flow_parts(view, cards, latest)
    lost = {fixture: loser for flow in flows for fixture, loser in flow.lost.items()}
    again = reentry_posts(tournament, [row.fixture for row in latest], now)
    undoable = last_act(tournament, by)
    zone = ZoneInfo(tournament.time_zone)
    held_up = sum(len(flow.hold_ups) + (flow.blocked is not None) for flow in flows)
    stopped, waits = stopped_work(), [*waiting_letters(tournament, now), *failing_steps(tournament)]
    return {
        "stopped_work": stopped,
        "waits": waits,
        "flows": flows,
        "faulty": faulty,
        "view": view,
        "tournament": tournament,
        "club": tournament.club,
        "divisions": divisions,
        "is_open": view.is_open,
        "several": cards.several,
        "now": now,
        "clock": clock(now, zone),
        "urgent": urgent,
        "attention": attention,
        "closing": closing,
        "round_needs": round_needs,
        "side_events": side_events,
        "needs": others[:MAX_NEEDS],
        "needs_count": len(
            [*needs, *attention, *round_needs, *side_events, *messages, *stopped, *kept, *waits, *faulty]
        )
        + (closing is not None)
        + held_up,
        "kept": kept[:MAX_NEEDS],
        "not_back": not_back,
        "messages_reported": messages[:MAX_NEEDS],
        "unopposed": unopposed(needs),
        "to_make_final": to_make_final(needs),
        "has_provisional": any(need.provisional is not None for need in needs),
        "cards": cards.all(),
        "counts": cards.counts(),
        "shares_tables": any(table.state == TableState.ELSEWHERE for table in view.tables.values()),
        "suggestion": _suggestion(view, cards),
        "queue": cards.queue_rows(queue if complete else queue[:MAX_QUEUED]),
        "waiting": cards.queue_rows(waiting if complete else waiting[:MAX_WAITING]),
        "adjourned": cards.queue_rows(view.adjourned),
        "queue_count": len(queue),
        "waiting_count": len(waiting),
        "nobody_waits": not (view.state.suggestions or queue or waiting or flows),
        "hidden_count": 0 if complete else max(0, len(queue) - MAX_QUEUED) + max(0, len(waiting) - MAX_WAITING),
        "complete": complete,
        "pause": view.state.pause,
        "paused_until": _paused_until(view, zone),
        "calls_itself": view.facts.autopilot == Autopilot.CALL,
        "calls_wait": _calls_wait(view, zone),
        "last_call": _last_call(view),
        "undoable": undoable,
        "undo_preview": preview_undo(undoable),
        "undo_left": _milliseconds_left(undoable, now),
        "called_count": sum(row.state == FloorMatchState.CALLED for row in view.matches.values()),
        "latest": [(row, again.get(row.fixture.pk, []), lost.get(row.fixture.pk)) for row in latest],
        "reentered": reentered(tournament),
        "champions": _champions(by, divisions),
        "is_over": bool(divisions) and all(row.status in (ENDED, CANCELLED) for row in divisions),
        "default_tables": _default_tables(view),
        "not_here": _not_here(view, homes),
        "new_day": _new_day(view) if view.state.not_here or flows else None,
        # Called when it is rendered, after everything else.
        "due_in": lambda: _due_in(view, timezone.now()),
    }


def _milliseconds_left(undoable: UndoableAct | None, now: datetime) -> int:
    """Return for how long nothing follows from the result that would be undone; 0 if something may follow already."""
    if undoable is None or undoable.settle_at is None:
        return 0
    return max(0, int((undoable.settle_at - now).total_seconds() * 1000))


def forecast_context(view: FloorView, by: Actor) -> dict[str, Any]:
    """Return the context of the forecast, which takes longer than the rest of the floor."""
    evening = evening_forecast(view)
    pilot = pilot_options(evening)
    return {
        "chart": chart_of(evening),
        "pilot": pilot,
        "other_ways": pilot[1:],
        "shortened": last_shortening(view.tournament),
        "endings": ending_choices(evening, by),
    }


def _default_tables(view: FloorView) -> int | None:
    """Return the number of tables that the floor would open with; None if it is open."""
    if view.is_open:
        return None
    entered = Entry.objects.filter(division__tournament=view.tournament, status=Entry.Status.IN).count()
    return view.tournament.tables_for(entered)


def _champions(by: Actor, divisions: list[Division]) -> list[tuple[Division, str]]:
    if by.user is None:
        return []
    winners = champions(by.user, divisions)
    return [(division, winners[division.pk]) for division in divisions if winners.get(division.pk)]


def _due_in(view: FloorView, now: datetime) -> int | None:
    """Return in how many milliseconds the page changes next although nothing happens; None if that is not known."""
    moments = [view.state.changes_at, view.tournament.ends_at]
    ahead = [moment for moment in moments if moment is not None and moment > view.now]
    return max(1, ceil((min(ahead) - now) / timedelta(milliseconds=1))) if ahead else None


def _unanswered(view: FloorView) -> list[int]:
    """Return the players who did not answer their call, and those who are not here."""
    called = [item.fixture for item in view.state.attention if item.kind != AttentionKind.SLOW]
    return [*(player for fixture in called for player in view.matches[fixture].facts.pair or ()), *view.state.not_here]


def _not_here(view: FloorView, homes: Mapping[int, CardLink]) -> dict[str, Any] | None:
    """Return who is not called because they are not here, with a button for each and one for all; None if nobody.

    The button for all leaves out who did not come to a match.
    """
    absent = view.state.not_here
    if not absent:
        return None
    public_ids = dict(Player.objects.filter(pk__in=absent).values_list("pk", "public_id"))
    url = action_url(view.tournament, "here")
    did_not_come = view.state.presence.no_shows
    no_shows = {player for player in absent if not did_not_come.isdisjoint(view.facts.persons([player]))}
    expected = [public_ids[player] for player in absent if player not in no_shows]
    rows = [
        {
            "name": view.names[player],
            "is_no_show": player in no_shows,
            "post": Post(url, _("Here"), (("players", public_ids[player]),), f"here-{public_ids[player]}"),
            "home": homes.get(player),
        }
        for player in sorted(absent, key=lambda player: fold(view.names[player]))
    ]
    return {
        "text": ngettext("%(count)d not here", "%(count)d not here", len(absent)) % {"count": len(absent)},
        "rows": rows,
        "all": Post(url, _("All here"), (("players", " ".join(expected)),), "here-all") if expected else None,
    }


def _new_day(view: FloorView) -> Post | None:
    """Return the button that opens the floor without check-in on a day on which nobody is here yet, else None."""
    mode = (("mode", view.facts.autopilot.value),)
    post = Post(action_url(view.tournament, "autopilot"), _("Open the floor"), mode, "open-floor")
    return post if view.state.presence.is_new_day else None


def _paused_until(view: FloorView, zone: ZoneInfo) -> str:
    """Return when the pause ends; empty if there is none, or nobody has said when."""
    pause = view.state.pause
    return clock(pause.until, zone) if pause is not None and pause.until is not None else ""


def _calls_wait(view: FloorView, zone: ZoneInfo) -> str:
    """Return that the autopilot waits for a desk without a connection, and since when; empty if it does not."""
    since = waits_since(view.tournament, view.now) if view.facts.autopilot == Autopilot.CALL else None
    text = _("Calls wait: the desk has had no connection since {time}.")
    return text.format(time=clock(since, zone)) if since is not None else ""


def _round_needs(divisions: list[Division]) -> list[tuple[Division, RoundNeed, str]]:
    """Return the rounds that a director has to pair, publish or look at, with why one could not be paired."""
    needs = [(division, round_need(division)) for division in divisions]
    return [
        (division, need, sentence(need.refusal["code"], need.refusal["params"]) if need.refusal else "")
        for division, need in needs
        if need is not None
    ]


def _suggestion(view: FloorView, cards: Cards) -> dict[str, Any] | None:
    """Return the match to call now, with the table and the reason; None if there is none."""
    if not view.state.suggestions:
        return None
    first = view.state.suggestions[0]
    match, table = view.matches[first.fixture], view.tables[first.table]
    return {
        "match": match.facts,
        "label": cards.label_of(match),
        "names": " – ".join(match.facts.names),
        "table": table.facts,
        "reason": view.explain(first.reason),
        "url": cards.sheet_url(match),
        "others": len(view.state.suggestions) - 1,
    }


def _last_call(view: FloorView) -> MatchOnFloor | None:
    """Return the match that was called last and has not started, if the autopilot calls by itself."""
    if view.facts.autopilot != Autopilot.CALL:
        return None
    calls = [
        (match.called_at, match.fixture)
        for match in view.matches.values()
        if match.state == FloorMatchState.CALLED and match.called_at is not None
    ]
    return view.matches[max(calls)[1]] if calls else None


def _floor_need(item: Attention, cards: Cards, homes: Mapping[int, CardLink]) -> dict[str, Any]:
    """Return what a director can do about a missing player or a slow match."""
    match = cards.view.matches[item.fixture]
    facts = match.facts
    called = clock(match.called_at, cards.zone) if match.called_at else ""
    minutes = clock_bank(facts.length, match.score or (0, 0))
    common = {"table": match.where.table, "time": called, "minutes": minutes}
    kind = item.kind
    fixture = (("fixture", facts.public_id),)
    posts: tuple[Post, ...] = ()
    missing: tuple[Post, ...] = ()
    if kind == AttentionKind.SLOW:
        label, icon = _("Slow"), "clock"
        text = " · ".join([_("Table %(table)s") % common, _("Clocks: %(minutes)s minutes each") % common])
        key = f"clocks-{facts.public_id}"
        posts = (Post(action_url(cards.view.tournament, "clocks"), _("Put clocks on"), fixture, key),)
    elif kind == AttentionKind.NO_SHOW:
        label, icon = _("No-show"), "away"
        text = _("Called to table %(table)s at %(time)s. The no-show time is over.") % common
        missing = _missing(facts, cards)
    else:
        label, icon = _("Not at the table"), "away"
        text = _("Called to table %(table)s at %(time)s.") % common
        key = f"again-{facts.public_id}"
        posts = (Post(action_url(cards.view.tournament, "call-again"), _("Call again"), fixture, key),)
    if kind != AttentionKind.SLOW:
        key = f"start-{facts.public_id}"
        posts += (Post(action_url(cards.view.tournament, "start"), _("Both are here"), fixture, key),)
    return {
        "label": label,
        "icon": icon,
        "number": match.number,
        "names": " – ".join(facts.names),
        "text": text,
        "since": clock(item.since, cards.zone),
        "url": cards.sheet_url(match),
        "posts": posts,
        "missing": missing,
        "homes": [homes[player] for player in facts.pair or () if player in homes]
        if kind != AttentionKind.SLOW
        else [],
    }


def _missing(match: MatchFacts, cards: Cards) -> tuple[Post, ...]:
    """Return a button for each person and each pair that may be missing, and one for both: it forfeits the match."""
    url, own = action_url(cards.view.tournament, "no-show"), ("fixture", match.public_id)
    people = [[who for who, _person in cards.view.facts.with_persons([player])] for player in match.players]
    pairs = [who for side in people if len(side) > 1 for who in side]
    ids = dict(Player.objects.filter(pk__in=pairs).values_list("pk", "public_id")) if pairs else {}
    posts = []
    for side, name in enumerate(match.names):
        missing = [(cards.view.names[who], [who]) for who in people[side] if who in ids] + [(name, people[side])]
        for label, players in missing:
            named = [ids[who] for who in players if who in ids]
            fields = (own, ("side", str(side)), *(("missing", public_id) for public_id in named))
            posts.append(Post(url, label, fields, "-".join(["no-show", str(side), *named, match.public_id])))
    return (*posts, Post(url, _("Both"), (own, ("side", "both")), f"no-show-both-{match.public_id}"))
