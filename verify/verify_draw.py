"""Verify a published Barpoint draw by repeating it and checking it against the club's public list of commitments.

    python3 verify_draw.py DRAW [LIST [OLDER_LIST ...]]
    python3 verify_draw.py --lot SEED KEY COUNT


Each argument is a file or a URL that starts with https://. DRAW is what the page of a division links to as
“All data as JSON”, LIST what the club's page of draw commitments links to as “All data as JSON”, OLDER_LIST a
copy of the list saved earlier. DRAW may also be the list of all draws of a division: then each is checked.
`--lot` prints the order in which the lot with this key puts COUNT things, numbered from 1 (keys: docs/draws.md).
Needs Python 3.9 or newer and nothing else.

The SHA-256 hash of the seed was on the list before the draw was made, so nobody could choose the seed afterwards.
"""

import hashlib
import hmac
import json
import sys
import urllib.request
from datetime import datetime

KNOCKOUT = "barpoint-knockout/1 on barpoint-lots/1"
LINES = ", barpoint-lines/1"
"""How the byes of lower brackets were decided; it does not affect the places."""
STARTS = ", later starts "
"""Before the numbers of those who start in the final, in the semi-finals and so on."""
BYES_LAST = ", byes last"
"""In a draw of entries for all of whom there is a place to play for: the seats that nobody has stand last."""
ORDER = "lots over all entries"
GROUPS = "groups by lot"
SNAKE = "snake by rating"
SWISS = "swiss"
LIVES = "lives"
MAX_EXACT = 20
"""Up to this many sides the best pairing is computed; of more, only exchanges of two pairs are tried."""
MAX_BITS = 126
"""Bits into which the site packs the costs of a pair; the lot is made coarser if they do not fit."""
NEVER_CHANGES = ("at", "tournament", "division", "stage", "seed_hash", "lots_hash")
DRAFT_NEVER_CHANGES = ("round", "made_at", "reason")


# The algorithm, implemented independently from its description in docs/draws.md


def words(seed, purpose, draft):
    """Yield 64-bit numbers: HMAC-SHA-256 over "purpose:draft:block", four per block."""
    block = 0
    while True:
        digest = hmac.new(seed, f"{purpose}:{draft}:{block}".encode("ascii"), hashlib.sha256).digest()
        yield from (int.from_bytes(digest[start : start + 8], "big") for start in range(0, 32, 8))
        block += 1


def below(bound, stream):
    """Return a uniformly distributed number below `bound`; numbers that would cause a bias are skipped."""
    if bound == 1:
        return 0
    limit = 2**64 - 2**64 % bound
    return next(word for word in stream if word < limit) % bound


def shuffled(items, stream):
    """Return the items in random order (Fisher–Yates)."""
    drawn = list(items)
    for i in range(len(drawn) - 1, 0, -1):
        j = below(i + 1, stream)
        drawn[i], drawn[j] = drawn[j], drawn[i]
    return drawn


def inner_outer(size):
    """Return the seeds in bracket order: 1 and 2 can only meet in the final."""
    order = [1]
    while len(order) < size:
        last = 2 * len(order) + 1
        order = [seed for inner in order for seed in (inner, last - inner)]
    return order


def repeated(draw, seed):
    """Return the places that follow from a seed; None if this script cannot repeat the draw (see `limits`)."""
    if limits(draw) or draw["algorithm"] in (SWISS, LIVES):
        return None
    entries = [place for place in draw["places"] if place["number"] is not None]
    by_seed = sorted((p for p in entries if p["seed"] is not None), key=lambda place: place["seed"])
    if draw["algorithm"] == SNAKE:
        return padded(snake([place["number"] for place in by_seed], draw["groups"]))
    if draw["algorithm"] == GROUPS:
        return padded(groups(draw, [place["number"] for place in entries], by_seed, seed))
    if draw["algorithm"] == ORDER:
        return shuffled(sorted(place["number"] for place in entries), words(seed, "order", draw["number"]))
    seeded = sorted((place for place in entries if place["seed"] is not None), key=lambda place: place["seed"])
    others = sorted(place["number"] for place in entries if place["seed"] is None)
    stream = words(seed, "knockout", draw["number"])
    order = [place["number"] for place in seeded] + shuffled(others, stream)
    taken = seed_places(len(order), starts_of(draw))
    by_seed_place = {place: order[at] for at, place in enumerate(taken)}
    places = [by_seed_place.get(place) for place in inner_outer(1 << (len(draw["places"]) - 1).bit_length())]
    if draw["algorithm"].endswith(BYES_LAST):
        places.sort(key=lambda place: place is None)
    if draw["kept_apart"]:
        spread_apart(places, mates_of(draw["apart"]), {place["number"] for place in seeded}, stream)
    return places[: len(draw["places"])]


def starts_of(draw):
    """Return how many start in the final, in the semi-finals and so on; nobody if all start together."""
    return [int(number) for number in draw["algorithm"].partition(STARTS)[2].split()]


def seed_places(count, starts):
    """Return the seed places of the entries, best first; a round earlier, a free place k becomes k and size + 1 - k."""
    taken, free, size = [], [1], 1
    for starting in [*starts, None]:
        while True:
            size *= 2
            free = sorted(free + [size + 1 - place for place in free])
            if starting is not None or len(free) >= count - len(taken):
                break
        number = count - len(taken) if starting is None else min(starting, count - len(taken))
        taken, free = taken + free[:number], free[number:]
    return taken


def limits(draw):
    """Return the reasons why this script cannot repeat a draw; empty if it can."""
    if draw["seed"] is None:
        return [
            f"Draft {draw['number']}: not checkable yet; its seed is published when the stage or the event is over."
        ]
    algorithm = draw["algorithm"].removesuffix(LINES).removesuffix(BYES_LAST).partition(STARTS)[0]
    if algorithm in (SWISS, LIVES):
        return pairing_limits(draw)
    if algorithm not in (KNOCKOUT, ORDER, GROUPS, SNAKE):
        return [f"This script cannot repeat draws by “{algorithm}”; it checked only the seed."]
    if draw["kept_apart"] and algorithm in (KNOCKOUT, GROUPS) and draw["apart"] is None:
        return ["Some entries were kept apart after the lots were drawn, by pairs that only directors can read."]
    return []


# Groups, and entries that are kept apart


def padded(groups):
    """Return the groups one after the other, each filled with None to the size of the largest."""
    size = max(len(group) for group in groups)
    return [entry for group in groups for entry in list(group) + [None] * (size - len(group))]


def snake(entries, count):
    """Deal entries to groups in snake order: 1 2 3, 6 5 4, 7 8 9."""
    dealt = [[] for _ in range(count)]
    for at, entry in enumerate(entries):
        row, column = divmod(at, count)
        dealt[column if row % 2 == 0 else count - 1 - column].append(entry)
    return dealt


def groups(draw, numbers, by_seed, seed):
    """Draw groups: the first seeds one to each group, then everybody else to a smallest group with fewest mates."""
    count, stream = draw["groups"], words(seed, "groups", draw["number"])
    mates = mates_of(draw["apart"] or [])
    drawn = [[] for _ in range(count)]
    top = [place["number"] for place in by_seed][:count]
    if top:
        for group, entry in zip(shuffled(range(count), stream), top):  # noqa: B905, Python 3.9
            drawn[group].append(entry)
    rest = shuffled([entry for entry in sorted(numbers) if entry not in top], stream)
    for entry in sorted(rest, key=lambda entry: -len(mates.get(entry, ())) - (entry in mates)):
        least = min(len(group) for group in drawn)
        shortest = [group for group in drawn if len(group) == least]
        clash = [len(mates.get(entry, set()) & set(group)) for group in shortest]
        free = [group for group, own in zip(shortest, clash) if own == min(clash)]  # noqa: B905, Python 3.9
        free[below(len(free), stream)].append(entry)
    return drawn


def mates_of(apart):
    """Return entry -> the entries from which it is kept apart."""
    mates = {}
    for together in apart:
        for entry in together:
            mates.setdefault(entry, set()).update(set(together) - {entry})
    return mates


def spread_apart(places, mates, fixed, stream, start=0, end=None):
    """Rearrange places, in place: share mates out between the halves of each section, down to pairs."""
    end = len(places) if end is None else end
    middle = (start + end) // 2
    free = [at for at in range(start, end) if places[at] is not None and places[at] not in fixed]
    inside = {entry for entry in places[start:end] if entry is not None}
    room = [sum(at < middle for at in free), sum(at >= middle for at in free)]
    halves = [{e for e in places[a:b] if e in fixed} for a, b in ((start, middle), (middle, end))]
    order = shuffled([places[at] for at in free], stream)
    chosen = [[], []]
    for entry in sorted(order, key=lambda entry: -len(mates.get(entry, set()) & inside)):
        left = [room[side] - len(chosen[side]) for side in (0, 1)]
        ranks = [(len(mates.get(entry, set()) & halves[side]), -left[side]) for side in (0, 1)]
        if 0 in left:
            side = 1 if left[0] == 0 else 0
        else:
            side = below(2, stream) if ranks[0] == ranks[1] else int(ranks[1] < ranks[0])
        halves[side].add(entry)
        chosen[side].append(entry)
    while exchange(chosen, halves, mates):
        pass
    for side, at_side in enumerate(([at for at in free if at < middle], [at for at in free if at >= middle])):
        for at, entry in zip(at_side, shuffled(sorted(chosen[side]), stream)):  # noqa: B905, Python 3.9
            places[at] = entry
    if end - start > 2:
        spread_apart(places, mates, fixed, stream, start, middle)
        spread_apart(places, mates, fixed, stream, middle, end)


def exchange(chosen, halves, mates):
    """Exchange two entries between the halves if that leaves fewer mates together; return whether it did."""
    ranked = []
    for side in (0, 1):
        moves = [
            (len(mates.get(e, set()) & halves[1 - side]) - len(mates.get(e, set()) & halves[side]), e)
            for e in chosen[side]
        ]
        ranked.append(sorted(moves)[:8])
    tried = [(x + y - 2 * (b in mates.get(a, set())), a, b) for x, a in ranked[0] for y, b in ranked[1]]
    cost, first, second = min(tried, default=(0, 0, 0))
    if cost >= 0:
        return False
    for side, leaves, comes in ((0, first, second), (1, second, first)):
        chosen[side] = [entry for entry in chosen[side] if entry != leaves] + [comes]
        halves[side] = (halves[side] - {leaves}) | {comes}
    return True


# Rounds of a Swiss or of lives: the pairing with the least cost


def pairing_limits(draw):
    """Return the reasons why this script cannot repeat the pairing of a round; empty if it can."""
    pairing = draw["pairing"]
    if draw.get("state") == "taken_back":
        return [f"Round {draw['round']} was taken back, so only the seed was checked."]
    if pairing is None:
        return [f"Round {draw['round']}: what it was paired from was changed since, so only the seed was checked."]
    if draw["kept_apart"] and pairing["apart"] is None:
        return [f"Round {draw['round']}: some entries are kept apart, by pairs that only directors can read."]
    return []


def pairs_of(draw):
    """Return the published pairs; a bye is paired with None."""
    numbers = [place["number"] for place in draw["places"]]
    return list(zip(numbers[::2], numbers[1::2]))  # noqa: B905, Python 3.9


def pairing_faults(draw, seed):
    """Return the faults of a paired round: a pair that may not meet, or a cheaper pairing."""
    if pairing_limits(draw):
        return []
    pairing = draw["pairing"]
    is_lives = draw["algorithm"] == LIVES
    players = {row["number"] for row in pairing["players"] if not is_lives or row["losses"] < pairing["lives"]}
    if players != {place["number"] for place in draw["places"]} - {None}:
        return [f"Round {draw['round']} does not pair exactly those who played in it."]
    costs = (lives_costs if is_lives else swiss_costs)(draw, pairing, seed)
    fixed = {frozenset(pair) for pair in pairing["fixed"]}
    requested_byes = set(pairing["requested"])
    drawn = [frozenset((a, b or 0)) for a, b in pairs_of(draw) if frozenset((a, b)) not in fixed]
    drawn = [pair for pair in drawn if not (0 in pair and pair & requested_byes)]
    if any(pair not in costs for pair in drawn):
        return [f"Round {draw['round']} has a pair that may not meet."]
    sides = sorted({side for pair in drawn for side in pair})
    total = sum(costs[pair] for pair in drawn)
    if cheaper(sides, costs, drawn, total) and not looks_ahead(pairing, draw):
        return [f"Round {draw['round']} could have been paired at less cost with this seed."]
    return []


def looks_ahead(pairing, draw):
    """Whether a later planned round may have made the site take a dearer pairing: in small fields with many rounds."""
    left = (pairing["planned"] or 0) - draw["round"]
    if draw["algorithm"] == LIVES or pairing["rematches"] or left < 1:
        return False
    numbers = {player["number"] for player in pairing["players"]}
    sides = len(numbers) + len(numbers) % 2
    met = dict.fromkeys(numbers, 1)
    for first, second, _rounds in pairing["met"]:
        for number in {first, second} & numbers:
            met[number] += 1
    return sides - 1 - max(met.values()) - (left - 1) < sides / 2


def cheaper(sides, costs, drawn, total):
    """Whether another complete pairing costs less: the best one, or in a large field one with two pairs exchanged."""
    if len(sides) <= MAX_EXACT:
        best = {(): 0}

        def least(rest):
            if rest not in best:
                first, others = rest[0], rest[1:]
                options = (
                    costs[frozenset((first, other))] + least(others[:at] + others[at + 1 :])
                    for at, other in enumerate(others)
                    if frozenset((first, other)) in costs
                )
                best[rest] = min(options, default=float("inf"))
            return best[rest]

        return least(tuple(sides)) < total
    for at, first in enumerate(drawn):
        for second in drawn[at + 1 :]:
            (a, b), (c, d) = sorted(first), sorted(second)
            for new in ((frozenset((a, c)), frozenset((b, d))), (frozenset((a, d)), frozenset((b, c)))):
                if all(pair in costs for pair in new) and sum(map(costs.get, new)) < costs[first] + costs[second]:
                    return True
    return False


def packed(maxima, edges):
    """Return a function that packs costs, most important first, into one number that can be summed."""
    widths = [(most * edges).bit_length() for most in maxima]
    coarser = max(0, sum(widths) - MAX_BITS + 1)
    widths[-1] -= coarser

    def pack(costs):
        value = 0
        for cost, width in zip(costs[:-1], widths[:-1]):  # noqa: B905, Python 3.9
            value = (value << width) | cost
        return (value << widths[-1]) | (costs[-1] >> coarser)

    return pack


def swiss_costs(draw, pairing, seed):
    """Return pair -> cost of a Swiss round, in which 0 is the bye; pairs that may not meet are missing."""
    number, purpose = draw["round"], f"swiss:{draw['round']}:{draw['number']}"
    fixed = {entry for pair in pairing["fixed"] for entry in pair} | set(pairing["requested"])
    rows = {row["number"]: row for row in pairing["players"] if row["number"] not in fixed}
    by_lot = {entry: at for at, entry in enumerate(shuffled(sorted(rows), words(seed, purpose, 1)))}
    order = sorted(rows, key=lambda e: (-rows[e]["score"], -(rows[e]["rating"] or 0.0), by_lot[e]))
    level = [rows[entry]["score"] for entry in order]
    odd, size = len(order) % 2, len(order)
    met = {frozenset((a, b)): len(rounds) for a, b, rounds in pairing["met"]}
    barred = {frozenset(pair) for pair in pairing["apart"] or []} | (set() if pairing["rematches"] else set(met))
    clubs = dict(map(tuple, pairing["clubs"] or []))
    gap = max(level, default=0) - min(level, default=0)
    again = (number - 1) if pairing["rematches"] else 0
    last = max(2 * size, 65536)
    pack = packed((again, max(level, default=0), gap, gap * gap, 2, 1, last), (size + 1) // 2)

    def lot(a, b):
        message = f"{purpose}:{min(a, b)}:{max(a, b)}".encode("ascii")
        return int.from_bytes(hmac.new(seed, message, hashlib.sha256).digest()[:2], "big")

    def last_cost(a, b):
        if pairing["order"] == "random":
            return lot(order[a], order[b])
        start, end = level.index(level[a]), size - level[::-1].index(level[a])
        if b >= end:
            return (end - 1 - a) + (b - level.index(level[b]))
        half = (end - start) // 2
        ideal = {"fold": start + end - 1 - a, "slide": a + half if a - start < half else a - half, "rating": a + 1}
        return abs(b - ideal[pairing["order"]])

    costs = {}
    for b in range(size):
        for a in range(b):
            first, second = order[a], order[b]
            pair = frozenset((first, second))
            if pair in barred:
                continue
            difference = level[a] - level[b]
            floats = (int(rows[first]["float"] > 0) + int(rows[second]["float"] < 0)) if difference else 0
            mates = int(clubs.get(first) is not None and clubs.get(first) == clubs.get(second))
            rematch = met.get(pair, 0) if pairing["rematches"] else 0
            costs[pair] = pack((rematch, 0, difference, difference**2, floats, mates, last_cost(a, b)))
        row = rows[order[b]]
        if odd and (pairing["rematches"] or not row["byes"]):
            bye = lot(0, order[b]) if pairing["order"] == "random" else size - b
            costs[frozenset((0, order[b]))] = pack((row["byes"], level[b], 0, 0, int(row["float"] > 0), 0, bye))
    return costs


def lives_costs(draw, pairing, seed):
    """Return pair -> cost of a round of lives, in which 0 is the bye; pairs that may not meet are missing."""
    left = {row["number"]: pairing["lives"] - row["losses"] for row in pairing["players"]}
    left = {number: count for number, count in left.items() if count > 0}
    byes = {row["number"]: row["byes"] for row in pairing["players"]}
    stream = words(seed, f"lives:{draw['round']}", draw["number"])
    order = sorted(shuffled(sorted(left), stream), key=lambda entry: -left[entry])
    met = {frozenset((a, b)): rounds for a, b, rounds in pairing["met"]}
    apart = {frozenset(pair) for pair in pairing["apart"] or []}
    clubs = dict(map(tuple, pairing["clubs"] or []))
    size, rounds = len(order), draw["round"] - 1
    most = max((byes[entry] for entry in order), default=0)
    pack = packed((most, rounds, rounds, max(left.values()), 1, 65535), (size + 1) // 2)
    costs = {}
    for a in range(size):
        for b in range(a + 1, size):
            first, second = order[a], order[b]
            pair = frozenset((first, second))
            if pair in apart:
                continue
            earlier = met.get(pair, [])
            mates = int(clubs.get(first) is not None and clubs.get(first) == clubs.get(second))
            recent, lives = (earlier[-1] if earlier else 0), abs(left[first] - left[second])
            costs[pair] = pack((0, len(earlier), recent, lives, mates, below(65536, stream)))
    for entry in order if size % 2 else ():
        costs[frozenset((0, entry))] = pack((byes[entry], 0, 0, 0, 0, below(65536, stream)))
    return costs


# Lots drawn after the draw


def later_faults(draw):
    """Return the faults of the lots that were drawn from the second seed."""
    if draw["lots_seed"] is None:
        return []
    seed = bytes.fromhex(draw["lots_seed"])
    if hashlib.sha256(seed).hexdigest() != draw["lots_hash"]:
        return ["The seed of the later lots does not match its hash."]
    faults = []
    for lot in draw["later_lots"]:
        order = shuffled(lot["among"], words(seed, lot["key"], 1))
        drawn = lot["drawn"]
        right = order == drawn if lot["key"] == "tiebreak" else set(drawn) <= set(order)
        if not right:
            faults.append(f"The lot “{lot['key']}” of {lot['of']} was not drawn from this seed.")
    return faults


def later_limits(draw):
    """Return which byes late entries passed over, if any: this script cannot know whether these were free."""
    if draw["lots_seed"] is None:
        return []
    remarks = []
    for lot in draw["later_lots"]:
        order = shuffled(lot["among"], words(bytes.fromhex(draw["lots_seed"]), lot["key"], 1))
        passed, taken = [], []
        for fixture in lot["drawn"] if lot["key"] != "tiebreak" else ():
            taken.append(fixture)
            passed += [other for other in order[: order.index(fixture)] if other not in taken + passed]
        byes = byes_of(draw, lot["among"]) if lot["key"] != "tiebreak" else ()
        passed = [fixture for fixture in passed if fixture in byes and fixture not in lot["drawn"]]
        if passed:
            names = ", ".join(f"M{fixture}" for fixture in sorted(passed))
            remarks.append(f"Late entries passed over the byes of {names}: they have to have been out of reach.")
    return remarks


def byes_of(draw, fixtures):
    """Return the first-round matches in which the draw had a bye."""
    pairs = pairs_of(draw)
    return {number for number, pair in zip(fixtures, pairs) if None in pair}  # noqa: B905, Python 3.9


# Checks


def verify(draw):
    """Return the faults of a draw on its own; empty if it is correct."""
    if draw["seed"] is None:
        return []
    seed = bytes.fromhex(draw["seed"])
    faults = []
    if hashlib.sha256(seed).hexdigest() != draw["seed_hash"]:
        faults.append("The seed does not match the hash that was shown before the draw.")
    places = repeated(draw, seed)
    if places is not None and places != [place["number"] for place in draw["places"]]:
        faults.append("This seed leads to a different draw.")
    if draw["algorithm"] in (SWISS, LIVES) and not faults:
        faults += pairing_faults(draw, seed)
    return faults + later_faults(draw)


def verify_in_list(draw, rows):
    """Return the differences between a draw and the club's list."""
    lines = {row["number"]: row for row in rows}
    line = lines.get(draw["commitment"])
    if line is None:
        return [f"The list has no line {draw['commitment']}."]
    faults = [
        f"Line {line['number']} has a different {name}."
        for name in ("seed_hash", "lots_hash")
        if line[name] != draw[name]
    ]
    if line.get("seed") not in (None, draw["seed"]):
        faults.append(f"Line {line['number']} has a different seed.")
    if moment(line["at"]) > moment(draw["made_at"]):
        faults.append(f"Line {line['number']} was entered after the draft was made.")
    if draw["number"] not in [draft["number"] for draft in line["drafts"]]:
        faults.append(f"Line {line['number']} does not name draft {draw['number']}.")
    unexplained = [
        draft["number"]
        for before, draft in zip(line["drafts"], line["drafts"][1:])  # noqa: B905, Python 3.9
        if is_redraw(before, draft) and not draft["reason"]
    ]
    faults += [f"Draft {number} was drawn again without a reason." for number in unexplained]
    missing = sorted(set(range(min(lines), max(lines))) - set(lines))
    return faults + [f"The list has no line {number}." for number in missing]


def is_redraw(before, draft):
    """Whether a draft replaces one that directors had seen."""
    return draft["round"] == before["round"] and before["seen"]


def verify_history(rows, older):
    """Return what was changed or removed since an older copy of the list."""
    lines = {row["number"]: row for row in rows}
    faults = []
    for was in older:
        now = lines.get(was["number"])
        if now is None:
            faults.append(f"Line {was['number']} was removed.")
            continue
        faults += [f"Line {was['number']}: {name} was changed." for name in NEVER_CHANGES if was[name] != now[name]]
        drafts = {draft["number"]: draft for draft in now["drafts"]}
        for draft in was["drafts"]:
            same = drafts.get(draft["number"])
            if same is None or any(same[name] != draft[name] for name in DRAFT_NEVER_CHANGES):
                faults.append(f"Line {was['number']}: draft {draft['number']} was changed or removed.")
    return faults


def moment(text):
    """Parse an instant as the API writes it."""
    return datetime.fromisoformat(text.replace("Z", "+00:00"))


# Reading


def load(source):
    """Return the JSON of a file or URL; of a paginated list, all pages."""
    body = read(source)
    while isinstance(body, dict) and body.get("next"):
        page = read(body["next"])
        body = {**page, "results": body["results"] + page["results"]}
    return body["results"] if isinstance(body, dict) and "results" in body else body


def read(source):
    """Return the JSON of one file or URL."""
    if source.startswith("https://"):
        with urllib.request.urlopen(source) as response:  # noqa: S310, https only
            return json.load(response)
    with open(source, encoding="utf-8") as file:
        return json.load(file)


def main(sources):
    """Print the faults; return 1 if there are any."""
    if sources[:1] == ["--lot"]:
        seed, key, count = sources[1:]
        print(*shuffled(range(1, int(count) + 1), words(bytes.fromhex(seed), key, 1)))
        return 0
    loaded, *lists = map(load, sources)
    draws = [row for row in loaded if row["state"] == "published"] if isinstance(loaded, list) else [loaded]
    faults, remarks = [], []
    for draw in draws:
        faults += verify(draw)
        remarks += [*limits(draw), *later_limits(draw)]
        if lists:
            faults += verify_in_list(draw, lists[0])
    for older in lists[1:]:
        faults += verify_history(lists[0], older)
    follows = "The draw follows from its seed." if len(draws) == 1 else f"{len(draws)} draws follow from their seeds."
    print("\n".join(dict.fromkeys([*faults, *remarks])) or follows)
    if not lists:
        print("Not checked: whether the seed's hash was on the club's list before the draw.")
    return int(bool(faults))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
