"""Kept acts that a person has to decide, in words: what was done, on which device, and what is there now."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from django.db.models import Exists, OuterRef, Q, QuerySet, Value
from django.db.models.functions import Concat
from django.utils import timezone
from django.utils.formats import date_format, time_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from matches.models import Match
from players.kept.acts import NOTE, UNDO
from players.kept.outboxes import MAX_AGE, text_of
from players.models import KeptAct, Outbox
from tournaments.models import Division, Entry, Fixture, Table, Tournament
from tournaments.state.names import display_name, match_names, shown_entry

QUIET = timedelta(seconds=150)
"""A browser that has acts and was not heard for longer has not been back."""
LAST = 1_000_000
"""The place of an act that is about no match."""
MAX_DIGITS = 9


@dataclass(frozen=True, slots=True)
class KeptNeed:
    """A kept act of an event with the words for it; for the staff, who see names in full."""

    act: KeptAct
    fixture: Fixture | None
    """The match that it is about, if it is about one that is still there."""
    pair: str
    """Who the reader saw in the match, such as “Ann – Bea”; empty if it is about none."""
    text: str
    """What was done, such as “Ann 7–4”."""
    sender: str
    """Whose browser it was, such as “Alice, Firefox, Android”."""
    time: str
    """When it was done; empty if that is not known."""
    arrived: str
    now_there: str = ""
    """The players of the match now, if they are others than the reader saw."""
    table: str = ""
    """The label of the table that it names."""

    @property
    def is_note(self) -> bool:
        return self.act.action == NOTE

    @property
    def label(self) -> str:
        """Its line under “Needs you”."""
        if self.is_note:
            return f"{_('Note')} · {self.text}"
        text = f"M{self.fixture.number} {self.text}" if self.fixture is not None else self.text
        return _("Kept: %(text)s") % {"text": text}

    @property
    def source(self) -> str:
        """Where and when it was done, such as “Alice, Firefox, Android, 20:14”."""
        if not self.time:
            return _("%(sender)s, time unknown, arrived %(time)s") % {"sender": self.sender, "time": self.arrived}
        return f"{self.sender}, {self.time}"

    @property
    def carried(self) -> str:
        """Who has sent it for somebody else; empty if nobody has."""
        carrier = self.act.carried_by
        return _("Sent by %(name)s.") % {"name": carrier.display_name} if carrier is not None else ""

    @property
    def why(self) -> str:
        return text_of(self.act)


def outboxes_of(tournament: Tournament) -> QuerySet[Outbox]:
    """Return the outboxes about an event or about one of its matches."""
    divisions = Division.objects.filter(tournament=tournament).order_by()
    topics = divisions.annotate(own_topic=Concat(Value("division:"), "public_id")).values("own_topic")
    matches = Match.objects.filter(parent_topic__in=topics).order_by()
    own = matches.annotate(own_topic=Concat(Value("match:"), "public_id")).values("own_topic")
    return Outbox.objects.filter(Q(topic=tournament.topic) | Q(topic__in=own))


def kept_acts_of(tournament: Tournament) -> QuerySet[KeptAct]:
    return KeptAct.objects.filter(outbox__in=outboxes_of(tournament).values("pk")).select_related(
        "outbox__user", "carried_by", "decided_by"
    )


def kept_needs(tournament: Tournament, now: datetime) -> tuple[list[KeptNeed], list[str]]:
    """Return what was kept and waits for a decision, and which browsers of the staff have not been back.

    The earlier match comes first, since a later one may follow from it. One query if there is nothing.
    """
    waiting = KeptAct.objects.filter(outbox=OuterRef("pk"), is_open=True)
    rows = outboxes_of(tournament).annotate(is_waiting=Exists(waiting)).filter(Q(is_waiting=True) | Q(left__gt=0))
    boxes = list(rows.select_related("user").order_by("pk"))
    if not boxes:
        return [], []
    acts = KeptAct.objects.filter(outbox__in=[box.pk for box in boxes if box.is_waiting], is_open=True)
    needs = described(tournament, acts.select_related("outbox__user", "carried_by", "decided_by"), now)
    return needs, [text for box in boxes if (text := _not_back(tournament, box, now))]


def _not_back(tournament: Tournament, box: Outbox, now: datetime) -> str:
    """Return how many acts a browser of the staff still had when it was heard last; empty if it may yet send them."""
    silent = now - box.heard_at
    if box.topic != tournament.topic or box.left == 0 or not QUIET < silent <= MAX_AGE:
        return ""
    values = {"sender": _sender(box, {}), "count": box.left, "time": clock_of(box.heard_at, now, tournament)}
    return (
        ngettext(
            "%(sender)s: had %(count)d act at %(time)s and has not been back.",
            "%(sender)s: had %(count)d acts at %(time)s and has not been back.",
            box.left,
        )
        % values
    )


def described(tournament: Tournament, acts: Iterable[KeptAct], now: datetime) -> list[KeptNeed]:
    """Return kept acts of an event with the words for them, in the order in which they are decided; a few queries."""
    rows = list(acts)
    named = _Named(tournament, rows)
    needs = [named.need(row, now) for row in rows]
    return sorted(
        needs,
        key=lambda need: (
            need.fixture.number if need.fixture is not None else LAST,
            need.act.typed_at or need.act.arrived_at,
            need.act.pk,
        ),
    )


class _Named:
    """What the contents of kept acts name. A name that is not of the event stays unknown."""

    def __init__(self, tournament: Tournament, acts: list[KeptAct]) -> None:
        self.tournament = tournament
        ids = {text for act in acts for text in _texts(act.content)}
        matches = {act.outbox.topic.removeprefix("match:") for act in acts}
        self.fixtures = list(
            Fixture.objects.filter(
                Q(public_id__in=ids) | Q(match__public_id__in=matches), stage__division__tournament=tournament
            ).select_related("stage__division", "match__player_0__merged_into", "match__player_1__merged_into")
        )
        entries = Entry.objects.filter(
            Q(public_id__in=ids) | Q(player__public_id__in=ids), division__tournament=tournament
        ).select_related("player__merged_into")
        self.names: dict[str, str] = {}
        for entry in entries.order_by("pk"):
            self.names[entry.public_id] = shown_entry(entry, staff=True)
            self.names[entry.player.public_id] = display_name(entry.player, staff=True)
        for fixture in self.fixtures:
            if fixture.match is not None:
                self.names |= {
                    player.public_id: display_name(player, staff=True)
                    for player in fixture.match.players
                    if player.public_id not in self.names
                }
        self.tables = dict(
            Table.objects.filter(tournament=tournament, public_id__in=ids).values_list("public_id", "label")
        )

    def need(self, act: KeptAct, now: datetime) -> KeptNeed:
        fixture = self.fixture_of(act)
        pair = self.pair_of(act)
        there = match_names(fixture, staff=True) if fixture is not None else ("", "")
        return KeptNeed(
            act,
            fixture,
            " – ".join(pair),
            self.text(act, pair, fixture),
            _sender(act.outbox, {side: name for side, name in enumerate(there) if name}),
            clock_of(act.typed_at, now, self.tournament) if act.typed_at is not None else "",
            clock_of(act.arrived_at, now, self.tournament),
            " – ".join(there) if any(there) and pair and list(there) != pair else "",
            self.tables.get(str(fields_of(act).get("table")), ""),
        )

    def fixture_of(self, act: KeptAct) -> Fixture | None:
        of_match = act.outbox.topic.removeprefix("match:")
        for row in self.fixtures:
            if row.public_id == act.content.get("fixture") or (row.match and row.match.public_id == of_match):
                return row
        return None

    def pair_of(self, act: KeptAct) -> list[str]:
        pair = act.content.get("pair")
        names = [self.names.get(str(row), "") for row in pair] if isinstance(pair, list) else []
        return names if len(names) == 2 and all(names) else []

    def text(self, act: KeptAct, pair: list[str], fixture: Fixture | None) -> str:
        """Return what was done, from what the act says it does; its label only if that cannot be worded."""
        fields = fields_of(act)
        if pair and (text := self.text_of_match(act, pair, fixture)):
            return text
        names = [self.names[text] for text in _texts(fields) if text in self.names]
        if act.action == "here" and names:
            return _("{name} is here.").format(name=names[0])
        if act.action == "away" and names and (minutes := number_in(fields, "minutes")):
            return _("%(name)s is away for %(minutes)d minutes") % {"name": names[0], "minutes": minutes}
        if act.action == NOTE and isinstance(fields.get("text"), str):
            return _("“{text}”").format(text=fields["text"])
        if act.action == UNDO:
            undone = act.outbox.acts.filter(number=number_in(fields, "of") or 0).first()
            return _("Undo: %(act)s") % {"act": undone.label if undone is not None else act.label}
        return act.label or _("Something that cannot be read")

    def text_of_match(self, act: KeptAct, pair: list[str], fixture: Fixture | None) -> str:
        """Return what was done at a match of these two; empty if it cannot be worded."""
        fields = fields_of(act)
        score, side, note = score_of_act(act, fixture), number_in(fields, "winner"), fields.get("note")
        table, names = self.tables.get(str(fields.get("table")), ""), " – ".join(pair)
        if score is not None and side not in (0, 1) and act.action == "claim":
            side = int(score[1] > score[0])
        if act.action in ("result", "claim") and score is not None and side in (0, 1):
            return f"{pair[side]} {score[side]}–{score[1 - side]}"
        if act.action in ("score", "running-score") and score is not None:
            return f"{names}: {score[0]}–{score[1]}"
        texts = {
            "start": _("{match} has started.").format(match=names),
            "move": _("{match} is at table {table}.").format(match=names, table=table) if table else "",
            "confirm": _("The report was confirmed"),
            "contest": " · ".join([_("The report was contested"), *([f"“{note}”"] if note else [])]),
        }
        return texts.get(act.action, "")


def fields_of(act: KeptAct) -> Mapping[str, Any]:
    """Return the fields of a kept act as they were sent; a refused one may have any."""
    fields = act.content.get("fields")
    return fields if isinstance(fields, dict) else {}


def number_in(fields: Mapping[str, Any], name: str) -> int | None:
    """Return a whole number that was sent as one or as text; None if it is neither."""
    value = fields.get(name)
    if isinstance(value, int):
        return value
    return int(value) if isinstance(value, str) and value.isdecimal() and len(value) <= MAX_DIGITS else None


def score_of_act(act: KeptAct, fixture: Fixture | None) -> tuple[int, int] | None:
    """Return the score that a kept act says, in the order of the sides; None if it says none."""
    fields = fields_of(act)
    left, right = number_in(fields, "left"), number_in(fields, "right")
    if left is not None and right is not None:
        return left, right
    winner, points = number_in(fields, "winner"), number_in(fields, "points")
    if winner not in (0, 1) or points is None or fixture is None:
        return None
    length = fixture.match.length if fixture.match is not None else fixture.round.length if fixture.round else 0
    length = number_in(act.content.get("saw") or {}, "length") or length
    return (length, points) if winner == 0 else (points, length)


def _texts(content: Mapping[str, Any]) -> set[str]:
    """Return the texts in the content of an act that may name something, its fields included."""
    texts: set[str] = set()
    for value in content.values():
        values = value.values() if isinstance(value, dict) else value if isinstance(value, list) else (value,)
        for each in values:
            texts |= {text for text in (each if isinstance(each, list) else (each,)) if isinstance(text, str)}
    return texts


def _sender(box: Outbox, names: Mapping[int, str]) -> str:
    """Return whose browser an outbox is, with the browser; `names` has the players of its match by side."""
    if box.user is not None:
        name = box.user.display_name
    elif box.side is not None:
        name = names.get(box.side, _("A personal link"))
    else:
        name = _("A former user")
    return f"{name}, {box.device}" if box.device else name


def clock_of(at: datetime, now: datetime, tournament: Tournament) -> str:
    """Return the time of day at the event, with the day if it is another than today."""
    zone = ZoneInfo(tournament.time_zone)
    local, today = timezone.localtime(at, zone), timezone.localtime(now, zone)
    time = time_format(local, "TIME_FORMAT")
    return time if local.date() == today.date() else f"{date_format(local, 'SHORT_DATE_FORMAT')}, {time}"
