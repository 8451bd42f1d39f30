"""The steps of an event above every page of its directors: arrivals, draw, floor, prizes, closing and summary."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from django.db.models import Count, Exists, OuterRef, Q, Subquery
from django.db.models.functions import Coalesce
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from formats.settings import BY_ROUND, ELIMINATION
from prizes.page.cash import CLOSING, PRIZES, cash_url
from prizes.prizes import prizes_of
from tournaments.events.actions import desk_url, division_url_args, event_url_args
from tournaments.events.selectors import ENDED
from tournaments.ledger.money import Currency
from tournaments.models import CashCount, Division, Draw, Entry, Fixture, Offer, PrizePlan, Stage, Tournament
from tournaments.state.figures import is_being_played, is_to_come
from tournaments.state.plans import is_continuous

TO_DO, NOW, DONE = "to-do", "now", "done"


class StepLink(NamedTuple):
    label: str
    url: str
    is_current: bool = False


class EventStep(NamedTuple):
    """A step of the event: where it leads, and how far it is."""

    key: str
    label: str
    url: str
    """Empty if the step has to be taken in each of several divisions: then `choices` has their links."""
    state: str
    """`to-do`, `now` or `done`."""
    fact: str
    is_current: bool = False
    choices: Sequence[StepLink] = ()

    @property
    def state_label(self) -> str:
        return {TO_DO: _("to do"), NOW: _("now"), DONE: _("done")}[self.state]


class Group(NamedTuple):
    """Links of *More* below a title, which may be empty."""

    title: str
    links: Sequence[StepLink]


class Reader(NamedTuple):
    """Who reads a page: a director, an assistant (neither of the two), or a helper of the event."""

    may_direct: bool
    only_helps: bool


class Head(NamedTuple):
    """The head of a page: the steps, the other pages, and the divisions or settings among which the page can go on."""

    steps: Sequence[EventStep]
    more: Sequence[Group]
    divisions: Sequence[StepLink]
    settings: Sequence[StepLink]


_BY_DIVISION = {"arrivals", "draw", "console", "rounds"}
"""Pages that show one division, or can."""
_SETTINGS = {"event-edit", "floor-settings", "division-settings"}
"""The pages of *Settings*, of the event, its tables and its divisions: each has the links of all."""
_HELP = {
    "arrivals": "arrivals",
    "cash": "cash",
    "draw": "draw",
    "fixture": "correction",
    "floor": "call",
    "paper": "paper",
    "prizes": "prizes",
}
"""Page -> the entry of the help that is about it, if there is one."""
_JACKPOTS = "jackpots"
_STEP_OF = {"rounds": "draw", _JACKPOTS: "arrivals"}
"""Page -> the step that it belongs to, if that has another name."""


def head(tournament: Tournament, division: Division | None, *, page: str, reader: Reader, has_floor: bool) -> Head:
    """Return the head of `page`, opened at a division or, if None, at the event's only one or at the event.

    `has_floor` is the event's. The number of queries depends neither on the number of entries nor, until the event
    is over, on that of the divisions.
    """
    rows = _divisions(tournament)
    divisions = [row for row in rows if row.offer_id is None]
    steps = _with_now(list(_steps(tournament, divisions, rows, reader, has_floor=has_floor)))
    if division is None and len(divisions) == 1:
        division = divisions[0]
    return Head(
        [step._replace(is_current=step.key == _STEP_OF.get(page, page)) for step in steps],
        list(_more(tournament, divisions, page, reader, has_floor=has_floor)),
        _other_divisions(tournament, divisions, division, page, reader),
        list(_settings(tournament, divisions, division, page, has_floor=has_floor)) if page in _SETTINGS else [],
    )


def after_play(tournament: Tournament, *, may_direct: bool) -> EventStep | None:
    """Return what comes after the last match for this reader: prizes, closing or the summary; None before that."""
    divisions = _divisions(tournament)
    if not _is_played(divisions):
        return None
    steps = _with_now(list(_after(tournament, divisions, Reader(may_direct, only_helps=False))))
    return next((step for step in steps if step.state == NOW), steps[-1])


def _divisions(tournament: Tournament) -> list[Division]:
    """Return the divisions of an event, without the lists of side events that have not started."""
    drafts = Draw.objects.filter(stage__division=OuterRef("pk"), state=Draw.State.DRAFT)
    plans = PrizePlan.objects.filter(division=OuterRef("pk"), published=True)
    counts = CashCount.objects.filter(tournament=tournament, reopened=None)
    is_in = Q(entries__status=Entry.Status.IN)
    # Counting derives nothing, so that a division that a page leaves out counts, too.
    divisions_counted = Division.every.filter(tournament=tournament).exclude(status=Division.Status.CANCELLED)
    rows = divisions_counted.exclude(offer__isnull=False, status=Division.Status.ENTRIES).annotate(
        entered=Count("entries", filter=is_in),
        here=Count("entries", filter=is_in & Q(entries__checked_in_at__isnull=False)),
        has_draft=Exists(drafts),
        has_prizes=Exists(plans),
        cash_is_closed=Exists(counts),
        has_offers=Exists(Offer.objects.filter(tournament=tournament)),
        left=_count(is_to_come()),
        playing=_count(is_being_played()),
    )
    divisions: list[Division] = list(rows.prefetch_related("stages").order_by("order", "pk"))
    for division in divisions:
        division.tournament = tournament
    return divisions


def _count(fixtures: Q) -> Coalesce:
    rows = Fixture.objects.filter(fixtures, stage__division=OuterRef("pk")).order_by().values("stage__division")
    return Coalesce(Subquery(rows.annotate(number=Count("pk")).values("number")), 0)


def _sum(divisions: Sequence[Division], name: str) -> int:
    return sum(getattr(row, name) for row in divisions)


def _with_now(steps: list[EventStep]) -> list[EventStep]:
    """Return the steps with the first that is not done marked as the present one."""
    present = next((step for step in steps if step.state != DONE), None)
    return [step._replace(state=NOW) if step is present else step for step in steps]


def _is_played(divisions: Sequence[Division]) -> bool:
    return bool(divisions) and all(row.status == Division.Status.FINISHED for row in divisions)


def _steps(
    tournament: Tournament,
    divisions: Sequence[Division],
    with_lists: Sequence[Division],
    reader: Reader,
    *,
    has_floor: bool,
) -> Iterator[EventStep]:
    """Return the steps; `with_lists` are the divisions with the lists of side events, which draw themselves."""
    drawn = [row for row in divisions if row.status != Division.Status.ENTRIES]
    is_drawn = bool(divisions) and len(drawn) == len(divisions)
    yield EventStep("arrivals", _("Arrivals"), _url(tournament, "check-in"), _state(is_drawn), _arrived(divisions))
    draws = [StepLink(row.name, url) for row in divisions if (url := _draw_url(row, reader))]
    if draws:
        url = draws[0].url if len(draws) == 1 else ""
        choices = draws if len(draws) > 1 else ()
        yield EventStep(
            "draw",
            pgettext("of a tournament", "Draw"),
            url,
            _state(is_drawn),
            _drawn(divisions, drawn),
            choices=choices,
        )
    started = [row for row in with_lists if row.status != Division.Status.ENTRIES]
    yield _floor(tournament, with_lists, started, reader, has_floor=has_floor)
    yield from _after(tournament, with_lists, reader)


def _state(is_done: bool) -> str:
    return DONE if is_done else TO_DO


def _url(tournament: Tournament, name: str) -> str:
    return reverse(name, args=event_url_args(tournament))


def _arrived(divisions: Sequence[Division]) -> str:
    entered, here = _sum(divisions, "entered"), _sum(divisions, "here")
    if here:
        return _("%(here)d of %(entered)d here") % {"here": here, "entered": entered}
    return ngettext("%(count)d entered", "%(count)d entered", entered) % {"count": entered}


def _draw_url(division: Division, reader: Reader) -> str:
    """Return where a director draws a division and sees its draw; for others its public page, if it is drawn."""
    is_drawn = division.status != Division.Status.ENTRIES
    if not reader.may_direct:
        return _public_url(division) if is_drawn else ""
    return reverse("rounds" if is_drawn and _has_rounds(division) else "draw", args=division_url_args(division))


def _has_rounds(division: Division) -> bool:
    stages = division.stages.all()
    drawn = [stage for stage in stages if stage.format in BY_ROUND and stage.status != Stage.Status.PLANNED]
    return any(not is_continuous(stage) for stage in drawn)


def _has_bracket(division: Division) -> bool:
    stages = sorted(division.stages.all(), key=lambda stage: stage.number)
    return not stages or stages[0].format in ELIMINATION


def _public_url(division: Division) -> str:
    """Return the public page of a division: a bracket if its first stage is one, otherwise standings."""
    return reverse("division" if _has_bracket(division) else "standings", args=division_url_args(division))


def _drawn(divisions: Sequence[Division], drawn: Sequence[Division]) -> str:
    drafts = sum(row.has_draft for row in divisions if row.status == Division.Status.ENTRIES)  # type: ignore[attr-defined]
    if drafts:
        return ngettext("%(count)d draft", "%(count)d drafts", drafts) % {"count": drafts}
    if not drawn or len(divisions) == 1:
        return _("done") if drawn else _("not drawn")
    return _("%(drawn)d of %(count)d drawn") % {"drawn": len(drawn), "count": len(divisions)}


def _floor(
    tournament: Tournament,
    divisions: Sequence[Division],
    drawn: Sequence[Division],
    reader: Reader,
    *,
    has_floor: bool,
) -> EventStep:
    is_played = _is_played(divisions)
    fact = _("not open")
    if is_played:
        fact = _("played")
    elif drawn:
        playing, left = _sum(divisions, "playing"), _sum(divisions, "left")
        fact = (
            ngettext("%(count)d playing", "%(count)d playing", playing) % {"count": playing}
            if playing
            else ngettext("%(count)d to play", "%(count)d to play", left) % {"count": left}
        )
    opens = has_floor or (reader.may_direct and tournament.is_open)
    name, label = ("floor", _("Floor")) if opens else ("console", _("Console"))
    return EventStep("floor" if opens else "console", label, _url(tournament, name), _state(is_played), fact)


def _after(tournament: Tournament, divisions: Sequence[Division], reader: Reader) -> Iterator[EventStep]:
    """Return the steps after the last match that the reader may take."""
    is_played = _is_played(divisions)
    if reader.may_direct:
        yield _prizes(tournament, divisions, is_played=is_played)
        yield _closing(tournament, divisions, is_played=is_played)
    is_over = tournament.status == Tournament.Status.FINISHED
    fact = _("done") if is_over else _("so far")
    yield EventStep("summary", _("Summary"), _url(tournament, "event-report"), _state(is_over), fact)


def _prizes(tournament: Tournament, divisions: Sequence[Division], *, is_played: bool) -> EventStep:
    published = [row for row in divisions if row.has_prizes]  # type: ignore[attr-defined]
    url, is_done, fact = cash_url(tournament, PRIZES), False, _("not set")
    if not published and is_played and not _has_fees(divisions):
        return EventStep("prizes", _("Prizes"), url, DONE, _("none"))
    if not published and len(divisions) == 1:
        url = reverse("prize-plan", args=division_url_args(divisions[0]))
    if published:
        fact = _("published")
    if published and is_played:
        due = sum(max(0, prize.open) for row in published for prize in prizes_of(row).every_row)
        is_done = not due
        fact = _("%(amount)s due") % {"amount": Currency.of(tournament).text(due)} if due else _("done")
    return EventStep("prizes", _("Prizes"), url, _state(is_done), fact)


def _closing(tournament: Tournament, divisions: Sequence[Division], *, is_played: bool) -> EventStep:
    is_closed = any(row.cash_is_closed for row in divisions)  # type: ignore[attr-defined]
    without_money = is_played and not is_closed and not _has_fees(divisions)
    fact = _("none") if without_money else _("closed") if is_closed else _("open")
    return EventStep(
        "close", pgettext("cash desk", "Close"), cash_url(tournament, CLOSING), _state(is_closed or without_money), fact
    )


def _has_fees(divisions: Sequence[Division]) -> bool:
    return any(row.fee for row in divisions)


# Everything else: the pages of the divisions and of the event.


def _more(
    tournament: Tournament, divisions: Sequence[Division], page: str, reader: Reader, *, has_floor: bool
) -> Iterator[Group]:
    yield Group("", list(_event_links(tournament, page, reader, has_floor=has_floor)))
    for division in divisions:
        if links := list(_division_links(division, reader)):
            yield Group(division.name if len(divisions) > 1 else "", links)
    yield Group("", [StepLink(_("Help"), f"{reverse('help-directors')}#{_HELP.get(page, 'steps')}")])


def _division_links(division: Division, reader: Reader) -> Iterator[StepLink]:
    args = division_url_args(division)
    if division.status != Division.Status.ENTRIES:
        yield StepLink(_("Bracket") if _has_bracket(division) else _("Standings"), _public_url(division))
        if reader.may_direct and _has_rounds(division):
            yield StepLink(_("Rounds"), reverse("rounds", args=args))


def _event_links(tournament: Tournament, page: str, reader: Reader, *, has_floor: bool) -> Iterator[StepLink]:
    if not has_floor:
        yield StepLink(_("Console"), _url(tournament, "console"), page == "console")
    if reader.may_direct:
        yield StepLink(_("Cash desk"), _url(tournament, "cash"), page == "cash")
    yield StepLink(_("Paper"), _url(tournament, "paper"), page == "paper")
    if not reader.only_helps:
        yield StepLink(_("Log"), _url(tournament, "event-log"), page == "log")
    if reader.may_direct:
        yield StepLink(_("Helpers"), _url(tournament, "helpers"))
        yield StepLink(_("Settings"), _url(tournament, "event-edit"), page in _SETTINGS)


def _settings(
    tournament: Tournament, divisions: Sequence[Division], division: Division | None, page: str, *, has_floor: bool
) -> Iterator[StepLink]:
    yield StepLink(_("Event"), _url(tournament, "event-edit"), page == "event-edit")
    if has_floor:
        yield StepLink(_("Tables"), _url(tournament, "floor-settings"), page == "floor-settings")
    for row in divisions:
        is_current = page == "division-settings" and row == division
        yield StepLink(row.name, reverse("division-settings", args=division_url_args(row)), is_current)
    if tournament.status not in ENDED:
        yield StepLink(_("Add a division"), _url(tournament, "division-create"))


def _other_divisions(
    tournament: Tournament, divisions: Sequence[Division], division: Division | None, page: str, reader: Reader
) -> list[StepLink]:
    has_jackpots = reader.may_direct and any(row.has_offers for row in divisions)  # type: ignore[attr-defined]
    at_desk = page == _JACKPOTS or (page == "arrivals" and has_jackpots)
    if not at_desk and (len(divisions) < 2 or page not in _BY_DIVISION):
        return []
    links = [StepLink(row.name, _url_at(row, page), row == division) for row in divisions]
    if page in ("arrivals", _JACKPOTS):
        every = [StepLink(_("All"), _url(tournament, "check-in"), division is None and page != _JACKPOTS)]
        side = [StepLink(_("Jackpots"), _url(tournament, _JACKPOTS), page == _JACKPOTS)]
        return [*every, *(links if len(divisions) > 1 else ()), *(side if at_desk else ())]
    return links


def _url_at(division: Division, page: str) -> str:
    """Return the URL of the same page for another division, or of the console."""
    if page in ("arrivals", _JACKPOTS):
        return desk_url(division)
    if page == "draw":
        return reverse(page, args=division_url_args(division))
    return f"{_url(division.tournament, 'console')}?division={division.public_id}"
