"""Verify a published Barpoint draw by repeating it and checking it against the club's public list of commitments.

    python3 verify_draw.py DRAW [LIST [OLDER_LIST ...]]

Each argument is a file or a URL that starts with https://. DRAW is what the page of a division links to as
“All data as JSON”, LIST what the club's page of draw commitments links to as “List as JSON”, OLDER_LIST a
copy of the list saved earlier. Needs Python 3.9 or newer and nothing else.

The SHA-256 hash of the seed was on the list before the draw was made, so nobody could choose the seed afterwards.
"""

import hashlib
import hmac
import json
import sys
import urllib.request
from datetime import datetime

KNOCKOUT = "barpoint-knockout/1 on barpoint-lots/1"
ORDER = "lots over all entries"
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
    if limits(draw):
        return None
    entries = [place for place in draw["places"] if place["number"] is not None]
    if draw["algorithm"] == ORDER:
        return shuffled(sorted(place["number"] for place in entries), words(seed, "order", draw["number"]))
    seeded = sorted((place for place in entries if place["seed"] is not None), key=lambda place: place["seed"])
    others = sorted(place["number"] for place in entries if place["seed"] is None)
    stream = words(seed, "knockout", draw["number"])
    order = [place["number"] for place in seeded] + shuffled(others, stream)
    return [order[place - 1] if place <= len(order) else None for place in inner_outer(len(draw["places"]))]


def limits(draw):
    """Return the reasons why this script cannot repeat a draw; empty if it can."""
    if draw["algorithm"] not in (KNOCKOUT, ORDER):
        return [f"This script cannot repeat draws by “{draw['algorithm']}”; it checked only the seed."]
    if draw["kept_apart"]:
        return ["Some entries were kept apart after the lots were drawn, by pairs that are not public."]
    return []


# Checks


def verify(draw):
    """Return the faults of a draw on its own; empty if it is correct."""
    if draw["seed"] is None:
        return ["The seed is not published yet."]
    seed = bytes.fromhex(draw["seed"])
    faults = []
    if hashlib.sha256(seed).hexdigest() != draw["seed_hash"]:
        faults.append("The seed does not match the hash that was shown before the draw.")
    places = repeated(draw, seed)
    if places is not None and places != [place["number"] for place in draw["places"]]:
        faults.append("This seed leads to a different draw.")
    return faults


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
    draw, *lists = map(load, sources)
    faults = verify(draw)
    if lists:
        faults += verify_in_list(draw, lists[0])
    for older in lists[1:]:
        faults += verify_history(lists[0], older)
    print("\n".join([*faults, *limits(draw)]) or "The draw follows from its seed.")
    if not lists:
        print("Not checked: whether the seed's hash was on the club's list before the draw.")
    return int(bool(faults))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
