"""Acts that were done without a connection: what a browser says of one, and how an action goes on with it.

An action that may be kept declares `Kept`: what has to be as the reader saw it. If it is not, nothing changes.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple

from players.models import KeptAct

Outcome = KeptAct.Outcome
STRUCK, UNDO, NOTE = "struck", "undo", "note"
"""Acts of the protocol: one that was taken back before it was sent, one that takes back another, a line of text."""


@dataclass(frozen=True)
class SentAct:
    number: int
    action: str
    fields: Mapping[str, Any]
    at: int
    """When it was done, in ms, by the clock of the device."""
    seen: int
    """The number of the newest fact that the reader had seen: on a floor that of its facts and check-ins, the higher;
    at a match its `seq`."""
    seen_at: datetime
    """When the server made what the reader saw."""
    fixture: str = ""
    """The public id of the match; empty if it is about none, or the only one."""
    pair: tuple[str, ...] = ()
    """Who the reader saw in the match, by side: entries on a floor, players at a match."""
    label: str = ""
    reader: str = ""
    """Whose act it is, as `reader_id` has it; empty for the sender's."""
    content: Mapping[str, Any] = field(default_factory=dict)
    """All of it, as it was sent."""
    saw: Mapping[str, Any] | None = None
    """What else the server gave of the match with what the reader saw; None from pages before there was such a field.
    """


class Arrived(NamedTuple):
    """What became of an act."""

    outcome: KeptAct.Outcome
    code: str = ""
    params: Mapping[str, Any] = {}
    made: tuple[str, ...] = ()
    """The acts that it made, by the names they are undone by."""


class Seen(NamedTuple):
    """What the assumptions of an act are compared with."""

    act: SentAct
    typed_at: datetime | None
    """When it was done, by the server's clock; None if that is not known."""
    own: frozenset[str]
    """What earlier acts of the same outbox have made."""
    outbox: int = 0
    """The id of the outbox."""


class Kept(NamedTuple):
    """How an action goes on that was done without a connection."""

    assumed: Callable[[Any, Seen, datetime], Arrived | None]
    """Return what becomes of the valid form if what the reader saw has changed, under the locks of the service; None
    to run it."""
    run: Callable[..., "str | Arrived"] | None = None
    """What runs in place of the action's service, where a kept act tells nobody or settles at once. It may say what
    became of the act, or what it has made; otherwise the act is done."""
