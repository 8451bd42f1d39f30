"""The sheets of the floor page: a match, and entering again."""

from collections.abc import Collection
from datetime import datetime
from typing import Any, NamedTuple

from django.urls import reverse
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from formats.graph import MAIN
from matches.lifecycle.begun import has_begun
from matches.models import Match, Result
from matches.reporting.result_choice import PointsChip, result_choice
from players.access import Role
from players.actors import Actor
from players.models import Player
from tournaments.entries.check_in import attendees
from tournaments.entries.late import preview_undo, standing_late_entry, undo_late
from tournaments.entries.previews import bye_taken, reentry_view, refund_notes
from tournaments.entries.reentries import preview_reentry, reenter, reenterable
from tournaments.events.actions import event_url_args
from tournaments.floor import selectors
from tournaments.floor.journal import latest
from tournaments.floor.page.cards import CardLink, Post, action_url, gone_home, taken_by
from tournaments.floor.selectors import FloorView
from tournaments.floor.state import FloorMatchState, MatchOnFloor, TableState
from tournaments.floor.to_come import NOT_CALLED
from tournaments.ledger.accounts import fees_of, paid_for, plans_of
from tournaments.ledger.money import Currency
from tournaments.models import Division, Entry, Fixture, FloorEvent, FloorKind, Pairing, Slot, Table, Tournament
from tournaments.results.page.fixture import fixture_page
from tournaments.state.names import shown_entry
from tournaments.state.places import may_reenter
from tournaments.state.plans import is_continuous

# Re-entry on the floor: a button beside a match of the main bracket for its loser, and one that undoes it.


def reentry_posts(
    tournament: Tournament, fixtures: Collection[Fixture], now: datetime, *, with_undo: bool = False
) -> dict[int, list[Post]]:
    """Return fixture id -> the buttons for the losers of these decided matches who can enter again.

    `with_undo` adds those that undo the re-entry of a loser who has not played since, for pages without the list of all
    of them. The service decides whether that is still possible. No query for events without re-entry.
    """
    for row in fixtures:
        row.stage.division.tournament = tournament
    decided = [
        row for row in fixtures if row.stage.division.reentry_until is not None and row.status == Fixture.Status.DECIDED
    ]
    open_ = {division for division in {row.stage.division for row in decided} if may_reenter(division, now)}
    if not open_ and not (with_undo and decided):
        return {}
    posts: dict[int, list[Post]] = {row.pk: [] for row in decided}
    losers = _losers(decided)
    played = _have_played([newest for _fixture, _entry, newest in losers]) if with_undo else set()
    fees = {division: _fee(division) for division in open_}
    able = {entry for division in open_ for entry in reenterable(division, now)}
    for fixture, entry, newest in losers:
        newest.division = division = fixture.stage.division
        if newest == entry and newest.pk in able:
            posts[fixture.pk].append(_enter(newest, fees[division]))
        elif with_undo and newest.number > entry.number and newest.pk not in played:
            posts[fixture.pk].append(_undo(newest))
    return posts


def reentered(tournament: Tournament) -> list[tuple[str, str, Post]]:
    """Return the re-entries of an event that can still be undone; no query for events without re-entry.

    These are the player, until when it can be undone and what was paid for it, and the button that undoes it. That does
    not end with the time until which players can enter again.
    """
    running = {
        row.pk: row
        for row in tournament.divisions.all()
        if row.reentry_until is not None and row.status == Division.Status.RUNNING
    }
    if not running:
        return []
    again = Entry.objects.filter(division__in=running, number__gt=1, status=Entry.Status.IN)
    entries = list(again.select_related("player").order_by("division__order", "division_id", "pk"))
    played, paid = _have_played(entries), paid_for(entries)
    slots = Slot.objects.filter(entry__in=entries).order_by("-fixture__number")
    first = dict(slots.values_list("entry", "fixture__number"))
    rows = []
    for entry in entries:
        entry.division = running[entry.division_id]
        if entry.pk not in played and entry.pk in first:
            rows.append(_reentered(entry, first[entry.pk], paid.get(entry.pk, 0)))
    return rows


def _reentered(entry: Entry, first: int, paid: int) -> tuple[str, str, Post]:
    values = {"number": first, "amount": Currency.of(entry.division.tournament).with_name(paid)}
    text = _("Can be undone until M%(number)d begins.")
    if paid:
        text = _("Can be undone until M%(number)d begins. Undoing it makes %(amount)s due for refund.")
    return shown_entry(entry, staff=True), text % values, _undo(entry)


def _fee(division: Division) -> str:
    fee = fees_of(division, plans_of([division]).get(division.pk)).of(is_reentry=True)
    return Currency.of(division.tournament).with_name(fee) if fee else ""


def _losers(fixtures: Collection[Fixture]) -> list[tuple[Fixture, Entry, Entry]]:
    """Return the losers of the main-bracket matches among these, with their newest entries."""
    by_pk = {row.pk: row for row in fixtures}
    slots = Slot.objects.filter(fixture__in=by_pk, fixture__round__bracket__key=MAIN, entry__isnull=False)
    rows = slots.select_related("entry__player", "fixture").order_by("fixture_id", "side")
    results = Result.objects.filter(match__in=[row.match_id for row in fixtures]).order_by("version")
    # The last version of each match stays.
    winners: dict[int | None, int | None] = dict(results.values_list("match", "winner"))
    divisions = {row.stage.division_id for row in fixtures}
    entries = Entry.objects.filter(division__in=divisions, status=Entry.Status.IN).select_related("player")
    newest = {(entry.division_id, _person(entry)): entry for entry in entries.order_by("pk")}
    losers = []
    for slot in rows:
        entry, match_id = slot.entry, slot.fixture.match_id
        # A match that both forfeited has two losers.
        if entry is None or match_id not in winners or winners[match_id] == slot.side:
            continue
        last = newest.get((entry.division_id, _person(entry)))
        if last is not None:
            losers.append((by_pk[slot.fixture_id], entry, last))
    return losers


def _person(entry: Entry) -> int:
    return entry.player.merged_into_id or entry.player_id


def _have_played(entries: Collection[Entry]) -> set[int]:
    """Return the ids of the entries among these with a match that has begun or is over; one query."""
    slots = Slot.objects.filter(entry__in=entries, fixture__match__isnull=False).select_related("fixture__match")
    return {
        slot.entry_id
        for slot in slots
        if slot.entry_id and (match := slot.fixture.match) is not None and (has_begun(match) or match.is_over)
    }


def _enter(entry: Entry, fee: str) -> Post:
    name = {"name": entry.player.full_name, "fee": fee}
    label = " · ".join([_("%(name)s enters again") % name, *([fee] if fee else [])])
    fields = (("entry", entry.public_id), ("number", str(entry.number)))
    return Post(action_url(entry.division.tournament, "re-enter"), label, fields, f"re-enter-{entry.public_id}")


def _undo(entry: Entry) -> Post:
    label = _("Undo the re-entry of %(name)s") % {"name": shown_entry(entry, staff=True)}
    url = action_url(entry.division.tournament, "undo-re-entry")
    return Post(url, label, (("entry", entry.public_id),), f"undo-re-entry-{entry.public_id}")


def enter_again(*, entry: Entry, number: int, by: Actor, now: datetime) -> str:
    """Enter the player of an entry again and return what that did and what it costs.

    `number` names the newest entry that the reader saw: pressed twice, it enters the player once. Refused: as
    `reenter`.
    """
    later = entry.division.entries.filter(player=entry.player, number__gt=number, status=Entry.Status.IN)
    if (again := later.select_related("player").order_by("pk").first()) is not None:
        return _("%(name)s was entered.") % {"name": shown_entry(again, staff=True)}
    preview = preview_reentry(entry=entry, now=now)
    _whose_bye, *notes = reentry_view(preview).notes
    return " ".join([bye_taken(reenter(entry=entry, after=preview.seq, by=by, now=now)), *notes])


def undo_reentry(*, entry: Entry, by: Actor, now: datetime) -> str:
    """Undo a re-entry and return what that did; undoing it twice changes nothing. Refused: as `undo_late`."""
    if entry.number == 1 or standing_late_entry(entry) is not None:
        undo_late(entry=entry, after=preview_undo(entry=entry).seq, by=by, now=now)
    undone = _("Late entry of %(name)s undone.") % {"name": shown_entry(entry, staff=True)}
    return " ".join([undone, *refund_notes(entry)])


class _PairSheet(NamedTuple):
    """What the sheet of a match offers if one of a pair leaves."""

    name: str
    posts: list[Post]
    links: list[CardLink]


# The sheets of a match and of a table on the floor: what can be done with them, and what a result leads to.


GOING_ON = (FloorMatchState.CALLED, FloorMatchState.PLAYING)
OVER = (FloorMatchState.REPORTED, FloorMatchState.SETTLED)


def match_sheet(fixture: Fixture, role: Role | None, by: Actor, now: datetime) -> dict[str, Any]:
    """Return the context of the sheet of a match: forms for scores, what a result leads to, and its other actions."""
    tournament = fixture.stage.division.tournament
    context = fixture_page(fixture, role, by, now)
    view = selectors.floor(tournament, now)
    on_floor = view.matches.get(fixture.pk)
    again = reentry_posts(tournament, [fixture], now, with_undo=True) if context["may_direct"] else {}
    context |= {
        "on_floor": on_floor,
        "reasons": (*view.reasons(on_floor), *_also_wanted(view, on_floor)) if on_floor is not None else (),
        "score_url": action_url(tournament, "score"),
        "move_url": action_url(tournament, "move"),
        "late_url": action_url(tournament, "late"),
        "start_url": action_url(tournament, "start-score"),
        "may_set_start": context["may_direct"] and _may_set_start(on_floor),
        "buttons": _buttons(tournament, on_floor),
        "again": again.get(fixture.pk),
        "tables": [table for table in view.tables.values() if table.match is None],
        "broken": _broken(view, on_floor),
        "absent": _absent(view, on_floor),
        "pairs": _pairs(fixture, view, on_floor, now, may_direct=context["may_direct"]),
        "unpair": _unpair(fixture, view, on_floor) if context["may_direct"] else [],
        "homes": _gone_home(view, on_floor) if context["may_direct"] else [],
    }
    if fixture.match is not None:
        names = context["names"]
        entered = latest(fixture, FloorKind.RUNNING_SCORE) if on_floor is not None else None
        running = (on_floor.score if on_floor is not None else None) or fixture.match.start_score
        context |= {
            "running": running,
            "entered": entered,
            "entered_by": _entered_by(entered, names) if entered is not None else "",
            "take_back_score_url": action_url(tournament, "take-back-score"),
            "result_url": action_url(tournament, "result"),
            "choice": result_choice(fixture.match, names, running, then=_consequences(fixture, names, view)),
            "running_sides": [
                (field, name, [PointsChip(each, each == points) for each in range(fixture.match.length)])
                for field, name, points in zip(("left", "right"), names, running, strict=True)
            ],
            "closing": _closing(fixture, on_floor, names, running) if context.get("may_rule") else None,
        }
    return context


def _also_wanted(view: FloorView, match: MatchOnFloor) -> tuple[str, ...]:
    """Return in which other divisions its people are wanted, while a match is not over and does not wait for one."""
    waits = any(reason.code == "wanted" for reason in match.reasons)
    return () if waits or match.state in OVER else view.also_wanted(match)


def _may_set_start(on_floor: MatchOnFloor | None) -> bool:
    """Whether a match that is not rated could begin at another score: it has not begun."""
    return on_floor is not None and on_floor.state in (*NOT_CALLED, FloorMatchState.CALLED)


def _broken(view: FloorView, match: MatchOnFloor | None) -> dict[str, Any] | None:
    """Return where a match can go if its table breaks, the first free table first; None if it is at no table."""
    if match is None or match.table is None or match.state not in GOING_ON:
        return None
    usable = (TableState.FREE, TableState.KEPT)
    free = [table for table in view.tables.values() if table.state in usable]
    called = match.state == FloorMatchState.CALLED
    return {
        "url": action_url(view.tournament, "out"),
        "table": view.tables[match.table].facts.public_id,
        "free": sorted(free, key=lambda table: usable.index(table.state)),
        "without": _("back to the queue") if called else _("no table for now"),
    }


def _unpair(fixture: Fixture, view: FloorView, match: MatchOnFloor | None) -> list[Post]:
    """Return the buttons that take back a pairing without rounds, each with why it is not made again at once."""
    is_free = match is not None and match.state in (*NOT_CALLED, FloorMatchState.CALLED)
    if match is None or not is_free or not is_continuous(fixture.stage):
        return []
    url, own = action_url(view.tournament, "take-back-pairing"), ("fixture", fixture.public_id)
    missing = []
    for side, name in enumerate(match.facts.names):
        people = [who for who, _person in view.facts.with_persons([match.facts.players[side]])]
        ids = dict(Player.objects.filter(pk__in=people).values_list("pk", "public_id")) if len(people) > 1 else {}
        fields = (own, ("code", Pairing.TakenBack.MISSING.value), ("side", str(side)))
        for label, named in [(view.names[who], (("person", ids[who]),)) for who in people if who in ids] + [(name, ())]:
            key = "-".join(["unpair", str(side), *(public_id for _field, public_id in named)])
            missing.append(Post(url, _("%(name)s is missing") % {"name": label}, (*fields, *named), key))
    apart = (own, ("code", Pairing.TakenBack.NOT_THESE_TWO.value))
    return [*missing, Post(url, str(capfirst(Pairing.TakenBack.NOT_THESE_TWO.label)), apart, "unpair-apart")]


def _gone_home(view: FloorView, match: MatchOnFloor | None) -> list[CardLink]:
    """Return the links for players of a match that has not begun who have gone home."""
    if match is None or match.facts.pair is None or match.state not in (*NOT_CALLED, FloorMatchState.CALLED):
        return []
    return list(gone_home(view.tournament, {player: view.names[player] for player in match.facts.pair}).values())


def _absent(view: FloorView, match: MatchOnFloor | None) -> list[Post]:
    """Return a button for each player because of whom a match is not called: that they are here."""
    reasons = match.reasons if match is not None else ()
    absent = [reason.params["player"] for reason in reasons if reason.code == "not_here"]
    public_ids = dict(Player.objects.filter(pk__in=absent).values_list("pk", "public_id")) if absent else {}
    return [
        Post(
            action_url(view.tournament, "here"),
            _("%(name)s is here") % {"name": view.names[player]},
            (("players", public_ids[player]),),
            f"here-{public_ids[player]}",
        )
        for player in absent
    ]


def _pairs(
    fixture: Fixture, view: FloorView, match: MatchOnFloor | None, now: datetime, *, may_direct: bool
) -> list[_PairSheet]:
    """Return what can be done for each pair of a match, until it is over, if one of the two leaves."""
    if match is None or match.state in OVER:
        return []
    people = [who for who, _person in view.facts.with_persons(match.facts.players)]
    if len(people) == len([player for player in match.facts.players if player is not None]):
        return []
    slots = fixture.slots.filter(entry__player__parts__isnull=False).select_related("entry__player").order_by("side")
    entries = [slot.entry for slot in slots if slot.entry is not None]
    public_ids = dict(Player.objects.filter(pk__in=people).values_list("pk", "public_id"))
    url, args = action_url(view.tournament, "excuse"), event_url_args(view.tournament)
    rows = {entry.pk: _PairSheet(shown_entry(entry, staff=True), [], []) for entry in entries}
    everybody = attendees(view.tournament, entries, now)
    without = {who.entry.pk for who in everybody if who.is_excused}
    for who in everybody:
        if who.is_excused or who.entry.pk not in without:
            label = _("{name} plays again") if who.is_excused else _("Plays without {name}")
            person = public_ids[who.person]
            fields = (("entry", who.entry.public_id), ("person", person), ("excused", "0" if who.is_excused else "1"))
            text = label.format(name=who.name(staff=True))
            rows[who.entry.pk].posts.append(Post(url, text, fields, f"excuse-{person}"))
    if may_direct:
        for entry in entries:
            own = [*args, entry.public_id]
            rows[entry.pk].links.append(CardLink(reverse("entry-withdraw", args=own) + "?from=floor", _("Withdraw")))
            if entry.number == 1:
                rows[entry.pk].links.append(CardLink(reverse("entry-substitute", args=own), _("Substitute")))
    return list(rows.values())


def _closing(
    fixture: Fixture, on_floor: MatchOnFloor | None, names: tuple[str, str], running: tuple[int, int]
) -> dict[str, Any] | None:
    """Return what a director can do with a match at closing time; None once it is reported, or played on the site."""
    match = fixture.match
    if on_floor is None or match is None or match.state != Match.State.OPEN or on_floor.state in OVER:
        return None
    tournament = fixture.stage.division.tournament
    lengths = range(max(running) + 1, match.length)
    leader = None if running[0] == running[1] else int(running[1] > running[0])
    return {
        "leader": None if leader is None else names[leader],
        "leader_then": "" if leader is None else _then(fixture, names, leader, None),
        "may_adjourn": on_floor.state == FloorMatchState.PLAYING,
        "may_settle": on_floor.state in (FloorMatchState.PLAYING, FloorMatchState.ADJOURNED),
        "lengths": list(lengths),
        "may_propose": on_floor.state == FloorMatchState.PLAYING,
        "offer": _offer(on_floor, names),
        "offered": on_floor.offer,
        "shortened": _shortened(on_floor, names),
        "position": _position(fixture) if on_floor.state == FloorMatchState.ADJOURNED else "",
        **{
            f"{name}_url": action_url(tournament, action)
            for name, action in (
                ("leader", "leader-wins"), ("settle", "settle"), ("adjourn", "adjourn"), ("shorten", "shorten-match"),
                ("propose", "propose-length"), ("withdraw", "withdraw-length"), ("take_back", "take-back-length"),
            )
        },
    }  # fmt: skip


def _offer(on_floor: MatchOnFloor, names: tuple[str, str]) -> str:
    """Return which shorter length the players can agree on, and who has agreed; empty if none is on offer."""
    offer = on_floor.offer
    if offer is None:
        return ""
    agreed = next(iter(offer.agreed), None)
    if agreed is None:
        text = _("The players of {match} are asked whether they agree to {length} points.")
        return text.format(match=f"M{on_floor.number}", length=offer.length)
    values = {"name": names[agreed], "other": names[1 - agreed], "length": offer.length}
    return _("%(name)s wants to play to %(length)d points. %(other)s has not answered yet.") % values


def _shortened(on_floor: MatchOnFloor, names: tuple[str, str]) -> dict[str, Any] | None:
    """Return how a match was shortened last, to be taken back; None if it has the length it began with."""
    fact = on_floor.shortened
    if fact is None:
        return None
    values = {"length": fact.params["length"], "was": fact.params["was"]}
    if fact.params.get("side") is None:
        text = _("{match} is played to {length} points instead of {was}.").format(match=f"M{on_floor.number}", **values)
    else:
        text = _("The players agreed to play to %(length)d points instead of %(was)d.") % values
    return {"fact": fact.id, "text": text, "at": fact.at}


def _position(fixture: Fixture) -> str:
    """Return the position of an adjourned match, as it was typed; empty if none was."""
    adjourned = latest(fixture, FloorKind.ADJOURNED)
    return str(adjourned.params.get("position", "")) if adjourned is not None else ""


def _entered_by(score: FloorEvent, names: tuple[str, str]) -> str:
    """Return who entered a running score: one of the players, or the member of the staff who did."""
    if (side := score.params.get("side")) is not None:
        return names[side]
    return score.user.display_name if score.user is not None else ""


def _consequences(fixture: Fixture, names: tuple[str, str], view: FloorView) -> tuple[str, str]:
    """Return for each winner what follows; empty if nothing does."""
    first, second = (_then(fixture, names, winner, view) for winner in (0, 1))
    prefix = _("Then:")
    return (f"{prefix} {first}" if first else "", f"{prefix} {second}" if second else "")


def _then(fixture: Fixture, names: tuple[str, str], winner: int, view: FloorView | None) -> str:
    """Return what happens if this side wins, in words; with `view` also what becomes of the table."""
    slots = Slot.objects.filter(fixture__stage=fixture.stage_id, source_fixture=fixture.number)
    ways = {slot.source: slot.fixture.number for slot in slots.select_related("fixture")}
    parts = []
    for source, side in ((Slot.Source.WINNER, winner), (Slot.Source.LOSER, 1 - winner)):
        if source in ways:
            parts.append(_("%(name)s goes to M%(number)s.") % {"name": names[side], "number": ways[source]})
    row = view.matches.get(fixture.pk) if view is not None else None
    if row is not None and row.table is not None:
        parts.append(_("Table {table} is free.").format(table=row.where.table))
    return " ".join(parts)


def _buttons(tournament: Tournament, match: MatchOnFloor | None) -> list[tuple[str, str]]:
    """Return the actions with one tap that a match has in its state, each with its label."""
    if match is None or match.state in OVER:
        return []
    actions: list[tuple[str, str]] = []
    if match.state == FloorMatchState.PLAYING and match.facts.clocks is None:
        actions.append(("clocks", _("Put clocks on")))
    if match.state == FloorMatchState.ADJOURNED:
        actions.append(("let-go-on", _("Let it go on")))
    if match.state in NOT_CALLED:
        codes = {reason.code for reason in match.reasons}
        if codes <= {"rests", "no_table", "no_accessible_table", "wanted"}:
            actions.append(("call", _("Call to a table")))
        if "rests" in codes:
            actions.append(("waive-rest", _("Waive the rest")))
        if match.facts.pinned:
            actions.append(("release", _("No longer put first")))
        elif match.facts.held:
            actions.append(("release", _("Can be called again")))
        else:
            actions.append(("pin", _("Put first")))
            actions.append(("hold", _("Do not call yet")))
    if match.state == FloorMatchState.CALLED:
        actions.append(("start", pgettext("verb", "Start")))
        actions.append(("call-again", _("Call again")))
        actions.append(("take-back", _("Take back the call")))
    return [(action_url(tournament, action), label) for action, label in actions]


def table_sheet(tournament: Tournament, table: Table, now: datetime) -> dict[str, Any]:
    view = selectors.floor(tournament, now)
    shown = view.tables[table.pk]
    return {
        "tournament": tournament,
        "club": tournament.club,
        "url_args": event_url_args(tournament),
        "table": shown,
        "is_out": shown.state == TableState.OUT,
        "taken_by": taken_by(shown.elsewhere) if shown.state == TableState.ELSEWHERE and shown.elsewhere else "",
        "own_hall_url": action_url(tournament, "own-hall"),
        "callable": view.queue[:8],
        "call_url": action_url(tournament, "call"),
        "free_url": action_url(tournament, "free"),
        "out_url": action_url(tournament, "out"),
        "back_url": action_url(tournament, "back"),
    }
