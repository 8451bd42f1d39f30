"""What a member's letter about an evening says: computed whenever it is looked at, so that corrections are in it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from fractions import Fraction
from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from clubhouse.clubs import NextEvening, next_evening_of
from clubhouse.letters.lines import LineCode
from clubhouse.letters.night import NightMatch, NightSeason, PlayedNight, is_over, night_of
from core.languages import ordinal
from engine import parse_xgid
from matches.analysis.labels import percent
from matches.lifecycle.events import events
from matches.models import Decision, Match, RatingChange, Result
from matches.presentation.labels import ending, final_score, score_of
from matches.presentation.visibility import Viewer
from matches.reporting.records import lacks_record
from matches.review.choice import ReviewedDecision, decisions_of_night
from players.access import Visitor
from players.models import Player, User
from seasons.chances import own_sentences
from seasons.changes import qualifying_places
from tournaments.models import Letter, Tournament
from tournaments.standings.brackets import places_name

MAX_OUTLOOK = 2
"""Sentences on what a season takes."""


@dataclass(frozen=True, slots=True)
class OwnMatch:
    """A match of the reader in words: “You beat Carol 7–5.”, its round, and a note if there is one."""

    match: Match
    opponent: str
    text: str
    round: str
    note: str
    """Such as “not settled yet” or “conceded”; mostly empty."""
    is_settled: bool
    """Whether the result is neither provisional nor objected to."""
    lacks_record: bool
    """Whether it was played, and nothing shows how."""

    @property
    def line(self) -> str:
        return " · ".join(filter(None, (self.text, self.round, self.note)))


@dataclass(frozen=True, slots=True)
class OwnSeason:
    """A season in which the evening counts: the reader's points and place, before and after it, in words."""

    name: str
    slug: str
    text: str
    outlook: tuple[str, ...] = ()
    """At most two sentences on what it takes."""


@dataclass(frozen=True, slots=True)
class OwnDecision:
    """A decision of the reader that cost much: where it was made and what it cost, and nothing that tells the best."""

    match: Match
    text: str


@dataclass(frozen=True, slots=True)
class LetterContents:
    """A letter as one reader gets it, in the active language; a part that has nothing to say is empty."""

    event: Tournament
    player: Player
    """The reader, after merges."""
    title: str
    """Such as “Thursday at Harbour: you came 3rd–4th”: the subject of the e-mail."""
    matches: tuple[OwnMatch, ...] = ()
    """Empty for somebody who did not play: their letter is the short one."""
    places: tuple[str, ...] = ()
    """Sentences; only places that are certain."""
    rating: str = ""
    """A sentence; empty without a rated match."""
    seasons: tuple[OwnSeason, ...] = ()
    lines: tuple[str, ...] = ()
    """At most five sentences on the evening, the same for everybody."""
    unsettled: str = ""
    """A sentence that names the matches whose result is not settled."""
    decisions: tuple[OwnDecision, ...] = ()
    """At most three."""
    is_analysed_later: bool = False
    """Whether matches of the reader are still being analysed."""
    next_evening: NextEvening | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)
    """For `Letter.facts`: ids and numbers and never names. `won` is match id -> whether the reader won, or None if
    nobody did; `places` is “division:bracket” -> first and last place."""
    changes: tuple[str, ...] = ()
    """How it differs from what was sent, in sentences."""
    sent_at: datetime | None = None
    """When it was sent by e-mail, if it was."""

    @property
    def played(self) -> bool:
        """Whether the reader played; else the letter is the short one."""
        return bool(self.matches)


def letter_of(user: User, event: Tournament, now: datetime, night: PlayedNight | None = None) -> LetterContents | None:
    """Return the letter of an account about an event; None if it is not for them, or the event is not over.

    Who sends many reads the `night` once, by `night_of(event, now)`, and gives it to each: then it takes 12 queries
    at most.
    """
    viewer = Viewer.of(user)
    if viewer.player is None or not is_over(event):
        return None
    night = night or night_of(event, now)
    if viewer.player not in night.played and event.club_id not in viewer.clubs:
        return None
    letter = _letter(night.players.get(viewer.player) or Player.objects.get(pk=viewer.player), user, night, now)
    decisions = decisions_of_night([row.match for row in letter.matches], viewer) if letter.played else []
    sent = Letter.objects.filter(user=user, event=event, sent_at__isnull=False).first()
    return replace(
        letter,
        decisions=tuple(_decision(row, letter) for row in decisions),
        is_analysed_later=any(row.match.pk in night.analysed_later for row in letter.matches),
        sent_at=sent.sent_at if sent is not None else None,
        changes=tuple(_changes(letter, sent.facts)) if sent is not None else (),
    )


def letter_of_guest(player: Player, event: Tournament, now: datetime) -> LetterContents | None:
    """Return the letter of a player who comes by the personal link of an event; None unless they played in it."""
    if not is_over(event):
        return None
    night = night_of(event, now)
    return _letter(player, AnonymousUser(), night, now) if player.pk in night.played else None


def _letter(player: Player, reader: Visitor, night: PlayedNight, now: datetime) -> LetterContents:
    played = player.pk in night.played
    own = night.by_person[player.pk] if played else []
    places = _places(player, night) if played else {}
    rating = [row for row in night.changes if row.player_id == player.pk] if played else []
    rating = [row for row in rating if row.pool_id == rating[0].pool_id]
    is_hidden = bool(rating) and night.hides(rating[-1])
    seasons = (_season(player, each) for each in night.seasons) if played else ()
    unsettled = [f"M{row.place[2]}" for row in night.matches if row.place is not None and not row.is_settled]
    return LetterContents(
        event=night.event,
        player=player,
        title=_title(night, played=played, ranks=next((ranks for _name, ranks in places.values()), None)),
        matches=tuple(_match(row, player) for row in own),
        places=tuple(
            _("You came %(place)s in %(division)s.") % {"place": _ranks(*ranks), "division": name}
            for name, ranks in places.values()
        ),
        rating=_("Rating: not counted yet") if is_hidden else _rating(rating) if rating else "",
        seasons=tuple(row for row in seasons if row is not None),
        lines=night.sentences(),
        unsettled=_("Not settled yet: %(matches)s.") % {"matches": ", ".join(unsettled)} if unsettled else "",
        next_evening=next_evening_of(reader, night.calendar, now),
        facts={
            "won": {str(row.match.pk): _has_won(row, player) for row in own},
            "scores": {str(row.match.pk): None if row.result.score is None else list(row.result.score) for row in own},
            "places": {key: list(ranks) for key, (_name, ranks) in places.items()},
            "rating": [round(rating[0].rating_before), round(rating[-1].rating_after)]
            if rating and not is_hidden
            else [],
            "lines": [line.key for line in night.lines],
        },
    )


def _has_won(row: NightMatch, player: Player) -> bool | None:
    return None if row.result.winner is None else row.result.winner == row.side_of(player.pk)


def _title(night: PlayedNight, *, played: bool, ranks: tuple[int, int] | None) -> str:
    evening = _("%(event)s at %(club)s") % {"event": night.event.name, "club": night.event.club.name}
    if ranks is not None:
        return _("%(evening)s: you came %(place)s") % {"evening": evening, "place": _ranks(*ranks)}
    if played:
        return _("%(evening)s: your results") % {"evening": evening}
    if winner := _winner(night):
        return _("%(evening)s: %(name)s won") % {"evening": evening, "name": winner}
    return _("%(evening)s: the results") % {"evening": evening}


def _winner(night: PlayedNight) -> str:
    """Return the name of whoever the first line says has won; empty without such a line."""
    first = next(iter(night.lines), None)
    return night.players[first.people[0]].shown_name if first is not None and first.code == LineCode.WINNER else ""


def _match(row: NightMatch, player: Player) -> OwnMatch:
    side = row.side_of(player.pk)
    opponent, score = row.match.names[1 - side], final_score(row.match, row.result)
    params = {"opponent": opponent, "score": score_of(row.match, side, score) if score is not None else ""}
    if row.result.winner is None:
        text = _("Nobody won against %(opponent)s.")
    elif row.result.winner == side:
        text = _("You beat %(opponent)s %(score)s.") if score is not None else _("You beat %(opponent)s.")
    else:
        text = _("You lost to %(opponent)s %(score)s.") if score is not None else _("You lost to %(opponent)s.")
    how = "" if row.result.kind == Result.Kind.PLAYED else ending(row.match, row.result)
    note = how if row.is_settled else _("not settled yet")
    # At which board it was says nothing the morning after.
    where = events().worded_place((None, *row.place[1:])) if row.place is not None else ""
    return OwnMatch(row.match, opponent, text % params, where, note, row.is_settled, lacks_record(row.result))


def _decision(row: ReviewedDecision, letter: LetterContents) -> OwnDecision:
    dice = parse_xgid(row.decision.xgid).dice
    is_play = row.decision.kind == Decision.Kind.PLAY and dice is not None
    params = {
        "opponent": next(own.opponent for own in letter.matches if own.match.pk == row.match.pk),
        "game": row.decision.game,
        "roll": "-".join(map(str, sorted(dice or (), reverse=True))),
        "cost": percent(row.cost),
    }
    text = (
        _("Against %(opponent)s, game %(game)d, %(roll)s: cost %(cost)s of the match")
        if is_play
        else _("Against %(opponent)s, game %(game)d, the cube: cost %(cost)s of the match")
    )
    return OwnDecision(row.match, text % params)


def _places(player: Player, night: PlayedNight) -> dict[str, tuple[str, tuple[int, int]]]:
    """Return “division:bracket” -> its name and the reader's first and last place, as far as that is certain."""
    ranks_by_key: dict[str, tuple[str, tuple[int, int]]] = {}
    mine = {row.people[row.side_of(player.pk)] for row in night.by_person[player.pk]}
    for division, places, people in night.divisions:
        own = [row for row in night.by_person[player.pk] if row.match.parent_topic == division.topic]
        if not all(row.is_settled for row in own):
            continue
        for index, (key, certain) in enumerate(places.items()):
            name = f"{division.name} · {places_name(key)}" if index else division.name
            ranks = [
                (row.first, row.last)
                for row in certain.placings
                if any(people.get(entry) in mine for entry in row.entries)
            ]
            # Whoever is out before the last stage has the same place in each of its brackets.
            if ranks and min(ranks) not in [row for _name, row in ranks_by_key.values()]:
                ranks_by_key[f"{division.pk}:{key}"] = name, min(ranks)
    return ranks_by_key


def _ranks(first: int, last: int) -> str:
    return ordinal(first) if first == last else f"{ordinal(first)}–{ordinal(last)}"


def _rating(rows: Sequence[RatingChange]) -> str:
    before, after = round(rows[0].rating_before), round(rows[-1].rating_after)
    text = ngettext(
        "Rating: %(before)d → %(after)d (%(change)s, %(count)d match)",
        "Rating: %(before)d → %(after)d (%(change)s, %(count)d matches)",
        len(rows),
    )
    sign = "±" if after == before else "+" if after > before else "−"
    change = f"{sign}{abs(after - before)}"
    return text % {"before": before, "after": after, "change": change, "count": len(rows)}


def _season(player: Player, counted: NightSeason) -> OwnSeason | None:
    """Return what the evening gave the reader in a season; None if they are not in its table."""
    table, race, own = counted.table, counted.race, player.public_id
    before, after = counted.before.get(own), counted.after.get(own)
    if after is None:
        return None
    points = {
        "before": table.show(before.total if before is not None else Fraction()),
        "after": table.show(after.total),
        "earlier": before.rank if before is not None else None,
        "place": after.rank,
    }
    if after.rank is None:
        text = _("%(before)s → %(after)s points")
    elif points["earlier"] is None:
        text = _("%(before)s → %(after)s points, place %(place)d")
    else:
        text = _("%(before)s → %(after)s points, place %(earlier)d → %(place)d")
    is_open = race is not None and own in race.contest.results
    outlook = own_sentences(race, own, qualifying_places(table.plan)) if race is not None and is_open else []
    return OwnSeason(table.series.name, table.series.slug, text % points, tuple(outlook[:MAX_OUTLOOK]))


def _changes(letter: LetterContents, sent: Mapping[str, Any]) -> Iterator[str]:
    """Say what differs between a letter and what was sent of it."""
    if not sent:
        return
    before, now = sent.get("places", {}), letter.facts.get("places", {})
    for key in dict.fromkeys([*before, *now]):
        if key in before and key in now and before[key] != now[key]:
            yield _("Your place is %(now)s, not %(before)s.") % {
                "now": _ranks(*now[key]),
                "before": _ranks(*before[key]),
            }
        elif key not in now:
            yield _("Your place is not certain any more.")
    for row in letter.matches:
        pk = str(row.match.pk)
        known = sent.get("won", {}).get(pk), sent.get("scores", {}).get(pk)
        if known != (letter.facts["won"][pk], letter.facts["scores"][pk]):
            yield _("A result is corrected: %(result)s") % {"result": row.text}
    if sent.get("won", {}).keys() - letter.facts["won"].keys():
        yield _("A result that you were sent does not count any more.")
    if sent.get("rating") and letter.facts.get("rating") and sent["rating"][1] != letter.facts["rating"][1]:
        numbers = {"now": letter.facts["rating"][1], "before": sent["rating"][1]}
        yield _("Your rating is %(now)d, not %(before)d.") % numbers
    if sent.get("lines", []) != letter.facts["lines"]:
        yield _("The lines about the evening have changed.")
