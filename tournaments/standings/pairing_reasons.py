"""Why two players meet, or one has a bye: the facts that the pairing of a round or a bracket went by, as sentences."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from formats.graph import EntryId
from formats.settings import LIVES, SWISS
from formats.states import FixtureState, SlotStatus
from formats.swiss.event import PAIRING_BYES, SwissEvent
from tournaments.models import Round, Slot
from tournaments.standings.labels import points_text, why_paired
from tournaments.state.derivation import StageState
from tournaments.state.names import Names

MAX_NAMED = 12
"""Players whom a sentence lists by name."""


@dataclass(frozen=True, slots=True)
class PairingReasons:
    """A fixture, and why these players are in it."""

    number: int
    round: int | None
    """None without rounds."""
    players: tuple[str, ...]
    match: str
    """Public id; empty for a bye."""
    sentences: tuple[str, ...]


def reasons_of(states: Sequence[StageState], number: int, names: Names) -> PairingReasons | None:
    """Return the reasons for the fixture with this number; None if there is none or its players are not known yet."""
    state = next((state for state in states if number in state.rows.fixtures), None)
    if state is None:
        return None
    fixture, row = state.progress.fixtures[number], state.rows.fixtures[number]
    entrants = [slot.entrant for slot in fixture.slots if slot.entrant is not None]
    if not entrants:
        return None
    round_ = next(round_ for round_ in state.rows.rounds if round_.pk == row.round_id)
    if state.event is not None and state.event.continuous:
        sentences = list(_without_rounds(state, number))
    elif state.event is not None:
        sentences = list(_Paired(state, state.event, round_.number, names).sentences(entrants))
    else:
        sentences = list(_placed(state, fixture, round_, names))
    players = tuple(names.of(entry) for entry in entrants)
    match = row.match.public_id if row.match is not None else ""
    by_round = state.event is None or not state.event.continuous
    return PairingReasons(number, round_.number if by_round else None, players, match, tuple(sentences))


def _without_rounds(state: StageState, number: int) -> Iterator[str]:
    """Say why two were paired in a stage without rounds."""
    pairing = next((row for row in state.rows.pairings if row.number == number), None)
    if pairing is None:
        return
    for code, params in pairing.why:
        yield why_paired(code, params)
    batch = pairing.batch
    if pairing.is_on_paper:
        return
    yield _("Batch {number}, among {count} players who were free.").format(number=batch.number, count=len(batch.pool))
    if batch.forced:
        yield _("A director paired before it was due.")
    if pairing.reason:
        yield pairing.reason


class _Paired:
    """The reasons in a stage whose rounds are paired one by one, as things stood before the round."""

    def __init__(self, state: StageState, event: SwissEvent, number: int, names: Names) -> None:
        self.state, self.number, self.names = state, number, names
        self.round = event.rounds[number - 1]
        self.before = replace(event, rounds=event.rounds[: number - 1])
        scores = event.scores_before(number)
        paired = [entry for pair in self.round.pairs for entry in pair.pair]
        self.scores = {entry: scores[entry] for entry in (*paired, *(bye.entry for bye in self.round.byes))}
        self.paired = frozenset(paired)
        draws = state.rows.of_division.paired.get(state.stage.pk, [])
        self.manual = [set(pair) for draw in draws if draw.round == number for pair in draw.manual]

    def sentences(self, entrants: Sequence[EntryId]) -> Iterator[str]:
        if len(entrants) == 1:
            yield from self._bye(entrants[0])
            return
        first, second = entrants
        yield self._scores(first, second)
        if self.state.rows.settings.format == LIVES:
            lives = self.state.rows.settings.lives
            yield _("Lives left: {first} {lives}, {second} {others}.").format(
                first=self.names.of(first),
                lives=lives - self.before.losses[first],
                second=self.names.of(second),
                others=lives - self.before.losses[second],
            )
        if {first, second} in self.manual:
            yield _("The director paired these two by hand.")
        yield self._met(first, second)
        if self.scores[first] != self.scores[second]:
            yield from self._floats(max(entrants, key=lambda entry: self.scores[entry]))
            yield from self._floats(min(entrants, key=lambda entry: self.scores[entry]))
            if self.is_plain:
                yield _("Over the whole round, differences in points are as small as they can be without a rematch.")

    @property
    def is_plain(self) -> bool:
        """Whether nothing but scores and earlier meetings decided, as in a Swiss without pairs made by hand."""
        return self.state.rows.settings.format == SWISS and not self.manual and not self.before.allow_rematches

    def _scores(self, first: EntryId, second: EntryId) -> str:
        own, others = self.scores[first], self.scores[second]
        if own != others:
            return _("Before round {round}, {first} had {points} and {second} {others}.").format(
                round=self.number,
                first=self.names.of(first),
                points=points_text(own),
                second=self.names.of(second),
                others=points_text(others),
            )
        group = len(self._with_score(own)) - 2
        return ngettext(
            "Before round {round}, both had {points}, as had {others} other player.",
            "Before round {round}, both had {points}, as had {others} other players.",
            group,
        ).format(round=self.number, points=points_text(own), others=group)

    def _with_score(self, score: float) -> list[EntryId]:
        return [entry for entry, points in self.scores.items() if points == score and entry in self.paired]

    def _met(self, first: EntryId, second: EntryId) -> str:
        rounds = self.before.meetings.get(frozenset((first, second)), [])
        if not rounds:
            return _("They had not met before.")
        return ngettext("They had met in round {rounds}.", "They had met in rounds {rounds}.", len(rounds)).format(
            rounds=", ".join(map(str, rounds))
        )

    def _floats(self, entry: EntryId) -> Iterator[str]:
        """Say what kept a player from meeting somebody with as many points."""
        group = [other for other in self._with_score(self.scores[entry]) if other != entry]
        params = {"name": self.names.of(entry), "points": points_text(self.scores[entry])}
        if not group:
            yield _("Nobody else had {points}.").format(**params)
            return
        if len(group) % 2 == 0:
            yield _("An odd number of players had {points}, so not all of them could meet each other.").format(**params)
        met = {other: rounds for other in group if (rounds := self.before.meetings.get(frozenset((entry, other))))}
        if met and len(met) <= MAX_NAMED:
            yield ngettext(
                "Of the {count} other with {points}, {name} had already met {met}.",
                "Of the {count} others with {points}, {name} had already met {met}.",
                len(group),
            ).format(
                count=len(group),
                met=", ".join(
                    _("{name} (round {rounds})").format(name=self.names.of(other), rounds=", ".join(map(str, rounds)))
                    for other, rounds in met.items()
                ),
                **params,
            )

    def _bye(self, entry: EntryId) -> Iterator[str]:
        kind = next((bye.kind for bye in self.round.byes if bye.entry == entry), None)
        if kind not in PAIRING_BYES:
            yield _("{name} asked for a bye in this round.").format(name=self.names.of(entry))
            return
        own, name = self.scores[entry], self.names.of(entry)
        yield _("An odd number of players were left to pair, so one of them had the bye.")
        if self.before.pairing_byes[entry]:
            yield _("{name} has had a bye before: there was no other way.").format(name=name)
        else:
            yield _("Before round {round}, {name} had {points} and had not had a bye.").format(
                round=self.number, name=name, points=points_text(own)
            )
        lower = [other for other, points in self.scores.items() if points < own and other in self.paired]
        if not lower:
            yield _("Nobody had fewer points.")
            return
        had = [other for other in lower if self.before.pairing_byes[other]]
        if had:
            yield _("With fewer points, these had had a bye already: {names}.").format(names=self._named(had))
        rest = [other for other in lower if other not in had]
        if rest and self.is_plain:
            yield _(
                "With fewer points and without a bye: {names}. With the bye for one of them, the others could not all "
                "have been paired without a rematch."
            ).format(names=self._named(rest))

    def _named(self, entries: Sequence[EntryId]) -> str:
        named = [self.names.of(entry) for entry in entries[:MAX_NAMED]]
        return ", ".join(named) + (" …" if len(entries) > MAX_NAMED else "")


def _placed(state: StageState, fixture: FixtureState, round_: Round, names: Names) -> Iterator[str]:
    """Say where the players of a bracket come from."""
    row = state.rows.fixtures[fixture.number]
    sentences = {
        Slot.Source.ENTRY.value: _("{name} was drawn into this match."),
        Slot.Source.WINNER.value: _("{name} won {match}."),
        Slot.Source.LOSER.value: _("{name} lost {match} and goes on from there."),
        Slot.Source.PLACE.value: _("{name} qualified in an earlier stage."),
    }
    stored = state.rows.slots[row.pk]
    for slot, source in zip(fixture.slots, stored, strict=True):
        if slot.entrant is not None and source.source in sentences:
            yield sentences[source.source].format(name=names.of(slot.entrant), match=f"M{source.source_fixture}")
    graph = state.rows.graph
    is_bye = any(slot.status is SlotStatus.BYE for slot in fixture.slots)
    if round_.entrants and any(source.is_seat for source in stored):
        yield _(
            "Of this round, {lines} lines were drawn by lot when all their players were known: nobody gets a second "
            "bye, and nobody meets an earlier opponent, as far as possible."
        ).format(lines=len(round_.entrants))
    elif is_bye and graph.bracket(graph.bracket_of[fixture.number]).fed_by is not None:
        yield _(
            "By the plan, the bye is on this line: at the draw, nobody else in the round could have had fewer byes."
        )
    here = {slot.entrant for slot in fixture.slots}
    met = [
        f"M{number}"
        for number, other in state.progress.fixtures.items()
        if number < fixture.number and None not in here and {slot.entrant for slot in other.slots} == here
    ]
    if met:
        yield _("They have met in {matches}.").format(matches=", ".join(met))
