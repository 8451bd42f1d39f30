"""Verify the pairings of a Barpoint division without rounds: that every batch was one of least cost by committed lots.

    python3 verify_pairings.py BATCHES [LIST]

Each argument is a file or a URL that starts with https://. BATCHES is what the page of a division links to as “All
pairings as JSON”, LIST what the club's page of draw commitments links to as “List as JSON”. Needs Python 3.9 or newer
and nothing else.

What happened before a batch (earlier pairings, results, who was away) decides who could be paired and at which cost;
the seed, whose hash was published before the first batch, decides among equals. A batch in which a pair was left out
for a private reason is counted and not checked further. Not proven: that a result was reported when the match ended.
"""

import hashlib
import hmac
import json
import sys
import urllib.request
from datetime import datetime
from functools import cache
from itertools import combinations

ALGORITHM = "continuous/1"
LARGEST_EXACT = 18
"""Up to this many players the best pairing is computed; of more, only exchanges of two pairs are tried."""


class Night:
    """The facts of a stage of lives, taken in order, and what follows from them."""

    def __init__(self, data):
        self.settings = data["settings"]
        self.clubs = {row["number"]: row["club"] for row in data["entries"]}
        self.left = {row["number"]: self.settings["lives"] for row in data["entries"] if not row["late"]}
        self.begun = dict.fromkeys(self.left, 0)
        self.missed = dict.fromkeys(self.left, 0)
        self.losses = dict.fromkeys(self.left, 0)
        self.withdrawn = set()
        self.met = {}
        self.pairings = 0
        self.playing = {}
        self.waived = set()
        self.pairs = {}

    def lives(self, entry):
        """The lives that an entry has left; two missed matches cost one."""
        if entry in self.withdrawn:
            return 0
        return max(0, self.settings["lives"] - self.losses[entry] - self.missed[entry] // 2)

    def take(self, event):
        """Take over what an event changes."""
        getattr(self, "_" + event["kind"])(event)

    def _batch(self, event):
        for pair in event["pairs"]:
            self.pairings += 1
            first, second = pair["entries"]
            self.met.setdefault(frozenset((first, second)), {})[pair["match"]] = self.pairings
            self.playing[pair["match"]] = self.pairs[pair["match"]] = (first, second)
            for entry in (first, second):
                self.begun[entry] += 1
        for entry in event["missed"]:
            self.missed[entry] += 1
            self.begun[entry] += 1

    def _result(self, event):
        self.playing.pop(event["match"], None)
        for entry in event["losers"]:
            self.losses[entry] += 1

    def _void(self, event):
        """A result that no longer counts; the match is played again or was stopped."""
        for entry in event["losers"]:
            self.losses[entry] -= 1
        if event["open"]:
            self.playing[event["match"]] = self.pairs[event["match"]]

    def _taken_back(self, event):
        first, second = self.pairs[event["match"]]
        self.playing.pop(event["match"], None)
        meetings = self.met[frozenset((first, second))]
        gone = meetings.pop(event["match"])
        if not meetings:
            del self.met[frozenset((first, second))]
        self.pairings -= 1
        for rows in self.met.values():
            for match, place in rows.items():
                rows[match] = place - (place > gone)
        for entry in (first, second):
            self.begun[entry] -= 1

    def _missed_taken_back(self, event):
        self.missed[event["entry"]] -= 1
        self.begun[event["entry"]] -= 1

    def _entered(self, event):
        entry = event["entry"]
        self.left[entry] = self.settings["lives"]
        self.losses[entry] = 0
        self.begun[entry] = self.missed[entry] = event["missed"]

    def _withdrawn(self, event):
        self.withdrawn.add(event["entry"])

    def _returned(self, event):
        self.withdrawn.discard(event["entry"])

    def _lead_waived(self, event):
        self.waived.add(event["match"])

    # What the rule makes of it.

    def stuck(self, pool, resting):
        """Those in the pool to whom nobody who plays or rests can bring a new opponent with equal lives."""
        playing = {entry for pair in self.playing.values() for entry in pair}

        def comes(entry, other, levels):
            return self.lives(other) in levels and frozenset((entry, other)) not in self.met

        return {
            entry
            for entry in pool
            if not any(comes(entry, other, (self.lives(entry), self.lives(entry) + 1)) for other in playing)
            and not any(comes(entry, other, (self.lives(entry),)) for other in resting)
        }

    def costs(self, pool, resting, seed):
        """Return pair -> costs; pairs that may not be made are missing."""
        stuck, costs = self.stuck(pool, resting), {}
        for first, second in combinations(sorted(pool), 2):
            meetings = self.met.get(frozenset((first, second)), {})
            gap = abs(self.lives(first) - self.lives(second))
            both = (first in stuck) + (second in stuck)
            if (meetings or gap) and both < (2 if self.settings["leader"] == "waits" else 1):
                continue
            mates = self.clubs[first] is not None and self.clubs[first] == self.clubs[second]
            message = f"continuous:{first}:{self.begun[first]}:{second}:{self.begun[second]}"
            lot = int.from_bytes(hmac.new(seed, message.encode("ascii"), hashlib.sha256).digest()[:2], "big")
            begun = self.begun[first] + self.begun[second]
            costs[first, second] = (-1, len(meetings), max(meetings.values(), default=0), gap, begun, int(mates), lot)
        return costs


def added(one, other):
    """Return the sum of two costs."""
    return tuple(map(sum, zip(one, other)))  # noqa: B905, Python 3.9


NOTHING = (0,) * 7


def least(pool, costs):
    """Return the least cost of pairing some of the pool."""

    @cache
    def of(rest):
        if len(rest) < 2:
            return NOTHING
        first, others = rest[0], rest[1:]
        options = [of(others)]
        for at, other in enumerate(others):
            if (first, other) in costs:
                options.append(added(costs[first, other], of(others[:at] + others[at + 1 :])))
        return min(options)

    return of(tuple(sorted(pool)))


def is_least(pairs, pool, costs, room):
    """Whether these pairs belong to a pairing of the pool of least cost."""
    spent = NOTHING
    for pair in pairs:
        spent = added(spent, costs[pair])
    if len(pool) <= LARGEST_EXACT:
        rest = set(pool) - {entry for pair in pairs for entry in pair}
        all_of_it = least(pool, costs)
        if len(pairs) < room:
            return spent == all_of_it
        return added(spent, least(rest, costs)) == all_of_it
    return not any(
        all(tuple(sorted(pair)) in costs for pair in new)
        and added(*(costs[tuple(sorted(pair))] for pair in new)) < added(costs[a, b], costs[c, d])
        for (a, b), (c, d) in combinations(pairs, 2)
        for new in (((a, c), (b, d)), ((a, d), (b, c)))
    )


def batch_faults(night, event, seed):
    """Return what is wrong with a batch that follows on what a night has come to, and whether it was checked."""
    name = f"Batch {event['number']}"
    pool = [row[0] for row in event["pool"]]
    pairs = [tuple(sorted(pair["entries"])) for pair in event["pairs"] if not pair["manual"]]
    faults = []
    if any(pair.get("on_paper") for pair in event["pairs"]):
        # Made with cards while the site could not be reached: only that both could play at all.
        playing = {entry for pair in night.playing.values() for entry in pair}
        free = {entry for entry in night.left if night.lives(entry) > 0} - playing
        both = [entry for pair in event["pairs"] for entry in pair["entries"]]
        return [f"{name}: entry {entry} was not free." for entry in both if entry not in free], False
    if len(event["pairs"]) > event["room"]:
        faults.append(f"{name} has more pairs than tables.")
    if event["forced"] and not event["reason"]:
        faults.append(f"{name} was made early without a reason.")
    faults += [
        f"M{pair['match']} was set by hand without a reason."
        for pair in event["pairs"]
        if pair["manual"] and not pair["reason"]
    ]
    for entry, left, begun, _since in event["pool"]:
        if (night.lives(entry), night.begun[entry]) != (left, begun):
            faults.append(f"{name}: entry {entry} had {night.lives(entry)} lives and {night.begun[entry]} matches.")
    faults += pool_faults(night, event, pool, name)
    if faults or any(pair["manual"] for pair in event["pairs"]):
        return faults, not any(pair["manual"] for pair in event["pairs"])
    if event["private"]:
        return faults, False
    resting = [entry for entry, reason in event["left_out"] if reason == "resting"]
    costs = night.costs(pool, resting, seed)
    if any(pair not in costs for pair in pairs):
        return [f"{name} has a pair that was not allowed."], True
    if not is_least(pairs, pool, costs, event["room"]):
        return [f"{name} is not one of least cost."], True
    order = [(min(since(event, pair)), costs[pair][-1]) for pair in pairs]
    return ([f"{name}: the pairs are not in the order of waiting."] if order != sorted(order) else []), True


def since(event, pair):
    """Return since when both of a pair have waited."""
    times = {row[0]: moment(row[3]) for row in event["pool"]}
    return [times[entry] for entry in pair]


def pool_faults(night, event, pool, name):
    """Return who should have been in the pool and was not, or the reverse."""
    faults = []
    playing = {entry for pair in night.playing.values() for entry in pair}
    left_out = {entry for entry, _reason in event["left_out"]}
    reasons = dict(map(tuple, event["left_out"]))
    still_in = {entry for entry in night.left if night.lives(entry) > 0}
    counting = [pair for match, pair in night.playing.items() if match not in night.waived]
    slowest = min((night.begun[entry] for pair in counting for entry in pair), default=None)
    unexplained = sorted(still_in - playing - set(pool) - left_out)
    faults += [f"{name}: entry {entry} was free and left out without a reason." for entry in unexplained]
    not_free = sorted(set(pool) & playing | set(pool) - still_in)
    faults += [f"{name}: entry {entry} was not free." for entry in not_free]
    lead = night.settings["lead"]
    for entry in sorted(still_in - playing):
        is_ahead = bool(lead) and slowest is not None and night.begun[entry] + 1 - slowest > lead
        if is_ahead and entry in pool:
            faults.append(f"{name}: entry {entry} was too far ahead.")
        if reasons.get(entry) == "ahead" and not is_ahead:
            faults.append(f"{name}: entry {entry} was not ahead of anybody.")
    late = [row[0] for row in event["pool"] if moment(row[3]) > moment(event["at"])]
    return faults + [f"{name}: entry {entry} was not free yet." for entry in late]


def verify(data):
    """Return the faults of all batches, and how many could not be checked; no faults if they are correct."""
    if data["algorithm"] != ALGORITHM or data["format"] != "lives":
        return [f"This script checks lives without rounds ({ALGORITHM}) only."], 0
    if data["seed"] is None:
        return ["The seed is not published before the stage is over."], 0
    seed = bytes.fromhex(data["seed"])
    faults, unchecked, night, number = [], 0, Night(data), 0
    if hashlib.sha256(seed).hexdigest() != data["seed_hash"]:
        faults.append("The seed does not match the hash that was shown before the first batch.")
    for event in data["events"]:
        if event["kind"] == "batch":
            number += 1
            if event["number"] != number:
                faults.append(f"Batch {number} is missing.")
                number = event["number"]
            wrong, was_checked = batch_faults(night, event, seed)
            faults += wrong
            unchecked += not was_checked
        elif event["kind"] == "taken_back" and not event["reason"]:
            faults.append(f"M{event['match']} was taken back without a reason.")
        night.take(event)
    return faults, unchecked


def made_on_paper(data):
    """Return the matches whose pairs were made with cards while the site could not be reached."""
    pairs = [pair for event in data["events"] if event["kind"] == "batch" for pair in event["pairs"]]
    return [f"M{pair['match']}" for pair in pairs if pair.get("on_paper")]


def verify_in_list(data, rows):
    """Return the differences between the pairings and the club's list of commitments."""
    line = next((row for row in rows if row["number"] == data["commitment"]), None)
    if line is None:
        return [f"The list has no line {data['commitment']}."]
    faults = []
    if line["seed_hash"] != data["seed_hash"]:
        faults.append(f"Line {line['number']} has a different seed_hash.")
    first = next((event for event in data["events"] if event["kind"] == "batch"), None)
    if first is not None and moment(line["at"]) > moment(first["at"]):
        faults.append(f"Line {line['number']} was entered after the first batch.")
    return faults


def moment(text):
    """Parse an instant as the API writes it."""
    return datetime.fromisoformat(text.replace("Z", "+00:00"))


def read(source):
    """Return the JSON of one file or URL."""
    if source.startswith("https://"):
        with urllib.request.urlopen(source) as response:  # noqa: S310, https only
            return json.load(response)
    with open(source, encoding="utf-8") as file:
        return json.load(file)


def main(sources):
    """Print the faults; return 1 if there are any."""
    data, *lists = map(read, sources)
    faults, unchecked = verify(data)
    for rows in lists:
        faults += verify_in_list(data, rows["results"] if isinstance(rows, dict) else rows)
    batches = sum(event["kind"] == "batch" for event in data["events"])
    print("\n".join(faults) or f"{batches} batches were of least cost by the lots of the seed.")
    if unchecked:
        print(f"Not checkable, for a private reason or since a pair was set by hand: {unchecked}.")
    if paper := made_on_paper(data):
        print(f"Made on paper, and not checked against the rule: {len(paper)} ({', '.join(paper)}).")
    if not lists:
        print("Not checked: whether the seed's hash was on the club's list before the first batch.")
    return int(bool(faults))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
