"""The settings of a rating pool: its formula, which matches count, and who is in its list."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

from django.db.models import Q

from formats.ratings import FAMILIES, FIBS, Formula, Glicko, Ramp, Settings, Standing

USUAL_GLICKO = Glicko()
FIBS_FAMILY, FREE, ELO, GLICKO2 = "fibs", "free", "elo_by_length", "glicko2"
STAKES = " ".join(f"{length}:{points:g}" for length, points in FAMILIES[ELO].formula.stakes)
ANYWHERE, HERE, AT_TABLES = "anywhere", "here", "tables"
FIELDS_OF = {
    FIBS_FAMILY: {"start_experience", "ramp", "k_scale"},
    FREE: {"start_experience", "ramp", "k_scale", "stake", "stake_exponent", "chance_exponent", "scale"},
    ELO: {"start_experience", "k_scale", "stakes"},
    GLICKO2: {"deviation", "tau", "by_length", "by_event"},
}
"""What can be chosen of a formula beside the first rating; of the others it is the scale of K alone."""
AFTER_EACH_MATCH = "at_once"
WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
ENOUGH_EVENT_MATCHES = 5
"""With so many rated matches in events, directors have seen the player often enough, whoever the opponents were."""
OF_FORMULAS = {"start_experience"}.union(*FIELDS_OF.values())


@dataclass(frozen=True, slots=True)
class PoolSettings:
    """Settings of a pool that a club can choose.

    Experience is in points: the sum of the lengths of a player's rated matches.
    """

    name: str
    start_rating: float = 1500.0
    start_experience: int = 0
    ramp: str = Ramp.BEFORE.value
    k_scale: float = 1.0
    """Multiplies K."""
    family: str = FIBS_FAMILY
    """Of `FAMILIES`, or `free` for FIBS with other numbers."""
    stake: float = FIBS.stake
    stake_exponent: float = FIBS.stake_exponent
    chance_exponent: float = FIBS.chance_exponent
    scale: float = FIBS.scale
    stakes: str = STAKES
    """Of Elo: “length:points …”."""
    deviation: float = USUAL_GLICKO.deviation
    tau: float = USUAL_GLICKO.tau
    by_length: bool = USUAL_GLICKO.by_length
    by_event: bool = USUAL_GLICKO.by_event
    least_length: int = 1
    """Shorter matches do not count."""
    where: str = ANYWHERE
    """Which matches count: anywhere, on the board here, or at tables."""
    events_only: bool = False
    """Whether friendly matches and imported ones do not count."""
    of_pairs: bool = False
    """Whether pairs are rated, and nobody else."""
    imported: bool = True
    """Whether past matches imported into the pool count."""
    provisional_below: int = 0
    """Players with less experience are provisional: they have no rank."""
    least_event_opponents: int = 0
    """Players are provisional until `ENOUGH_EVENT_MATCHES` rated matches in events, or rated matches against so many
    people who have these: whoever makes accounts of their own can give them opponents, but not evenings in clubs."""
    lists_provisional: bool = True
    """Whether the list names provisional players after the others."""
    least_matches: int = 1
    active_days: int = 0
    """The list leaves out who has not played for longer; 0 for no limit."""
    members_only: bool = False
    published_on: str = AFTER_EACH_MATCH
    """The day of the week, of `WEEKDAYS`, on which the list changes, or at once."""

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> "PoolSettings":
        """Return stored settings; what is not stored has its default."""
        return cls(**{name: value for name, value in values.items() if name in NAMES})

    def normal(self) -> "PoolSettings":
        """Return the same with the defaults where the formula has no use for a value."""
        used = FIELDS_OF.get(self.family, {"start_experience", "k_scale"})
        return replace(self, **{name: DEFAULTS[name] for name in OF_FORMULAS - used})

    def formula(self, zone: str = "UTC") -> Settings:
        """Return what the fold of the ratings takes; weeks of Glicko-2 are those of the time zone."""
        start: dict[str, Any] = {"start_rating": self.start_rating, "start_experience": self.start_experience}
        if self.family == GLICKO2:
            chosen = {"deviation": self.deviation, "tau": self.tau}
            glicko = Glicko(**chosen, by_length=self.by_length, by_event=self.by_event, zone=zone)
            return replace(FAMILIES[GLICKO2], **start, glicko=glicko)
        start["k_scale"] = self.k_scale
        if self.family == FIBS_FAMILY:
            return Settings(ramp=Ramp(self.ramp), **start)
        if self.family == FREE:
            formula = Formula(self.stake, self.stake_exponent, self.chance_exponent, self.scale)
            return Settings(ramp=Ramp(self.ramp), formula=formula, **start)
        if self.family == ELO:
            formula = replace(FAMILIES[ELO].formula, stakes=stakes_of(self.stakes))
            return replace(FAMILIES[ELO], formula=formula, **start)
        return replace(FAMILIES[self.family], **start)

    @property
    def options(self) -> dict[str, Any]:
        """The values that are not the defaults, without those that a pool stores in columns of their own."""
        return {
            name: value for name, value in asdict(self).items() if name not in IN_COLUMNS and value != DEFAULTS[name]
        }

    @property
    def counted(self) -> dict[str, Any]:
        """The options that decide about ratings, without those of the list."""
        return {name: value for name, value in self.options.items() if name not in OF_LIST}

    def is_provisional(self, standing: Standing) -> bool:
        """Whether a rating rests on too little: shown with “?”, and without a rank. `established` is the opposite."""
        is_experienced = standing.experience >= self.provisional_below
        has_met_enough = standing.event_opponents >= self.least_event_opponents
        return not (is_experienced and (has_met_enough or standing.event_matches >= ENOUGH_EVENT_MATCHES))

    @property
    def established(self) -> Q:
        """Condition: a rating (`PlayerRating`) is not provisional."""
        has_met_enough = Q(event_opponents__gte=self.least_event_opponents)
        is_seen = Q(event_matches__gte=ENOUGH_EVENT_MATCHES)
        return Q(experience__gte=self.provisional_below) & (has_met_enough | is_seen)


IN_COLUMNS = ("name", "start_rating", "start_experience", "ramp", "k_scale")
OF_LIST = (
    "provisional_below", "lists_provisional", "least_event_opponents", "least_matches", "active_days", "members_only",
    "published_on",
)  # fmt: skip
OF_SITE = {"least_event_opponents": 4}
"""Settings of the site's pool, which nobody chooses."""
DEFAULTS: dict[str, Any] = {field.name: field.default for field in fields(PoolSettings)}
NAMES = frozenset(DEFAULTS)


def stakes_of(text: str) -> tuple[tuple[int, float], ...]:
    """Parse “1:6 3:10”: the points at stake from a length on. Raises ValueError if it is something else.

    >>> stakes_of("3:10, 1:6")
    ((1, 6.0), (3, 10.0))
    """
    pairs = [part.split(":") for part in text.replace(",", " ").split()]
    stakes = tuple(sorted((int(length), float(points)) for length, points in pairs))
    lengths = [length for length, _ in stakes]
    if not stakes or len(set(lengths)) < len(lengths) or lengths[0] < 1:
        raise ValueError(text)
    if not all(0 < points <= 1000 for _, points in stakes):
        raise ValueError(text)
    return stakes
