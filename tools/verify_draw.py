"""Checks a published Barpoint draw: against the club's public list of commitments, and by repeating it.

    python3 verify_draw.py DRAW [LIST [OLDER_LIST ...]]

Each argument is a file or an address that starts with https://. DRAW is what the page of a division links to as
“Everything as data”, LIST what the club's page of draw commitments links to as “This list as data”, OLDER_LIST a
copy of the list that somebody saved earlier. Python 3.9 or newer, nothing else.

The SHA-256 of the number was on the list before the draw was made, so nobody could choose the number afterwards.
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


# The algorithm, written again from its description in docs/draws.md


def words(seed, purpose, draft):
    """64-bit numbers: HMAC-SHA-256 over "purpose:draft:block", four to a block."""
    block = 0
    while True:
        digest = hmac.new(seed, f"{purpose}:{draft}:{block}".encode("ascii"), hashlib.sha256).digest()
        yield from (int.from_bytes(digest[at : at + 8], "big") for at in range(0, 32, 8))
        block += 1


def below(bound, stream):
    """A number below `bound`, each as likely: numbers that would favour some are skipped."""
    if bound == 1:
        return 0
    limit = 2**64 - 2**64 % bound
    return next(word for word in stream if word < limit) % bound


def shuffled(items, stream):
    """The items in an order drawn by lot."""
    drawn = list(items)
    for i in range(len(drawn) - 1, 0, -1):
        j = below(i + 1, stream)
        drawn[i], drawn[j] = drawn[j], drawn[i]
    return drawn


def inner_outer(size):
    """Seed places in bracket order: 1 and 2 can only meet in the final."""
    order = [1]
    while len(order) < size:
        last = 2 * len(order) + 1
        order = [seed for inner in order for seed in (inner, last - inner)]
    return order


def repeated(draw, seed):
    """The places that follow from a seed; None where this script cannot tell (see `limits`)."""
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
    """Why this script cannot repeat a draw, as sentences; none if it can."""
    if draw["algorithm"] not in (KNOCKOUT, ORDER):
        return [f"This script does not repeat draws by “{draw['algorithm']}”; it checked the number only."]
    if draw["kept_apart"]:
        return ["Some entries were kept apart after the lots were drawn, by pairs that are not public."]
    return []


# What is wrong


def verify(draw):
    """What is wrong with a draw by itself, as sentences; none if it is as it should be."""
    if draw["seed"] is None:
        return ["The number is not published yet."]
    seed = bytes.fromhex(draw["seed"])
    faults = []
    if hashlib.sha256(seed).hexdigest() != draw["seed_hash"]:
        faults.append("The number does not have the fingerprint that was shown before the draw.")
    places = repeated(draw, seed)
    if places is not None and places != [place["number"] for place in draw["places"]]:
        faults.append("Another draw follows from this number.")
    return faults


def verify_in_list(draw, rows):
    """What is wrong between a draw and the club's list."""
    lines = {row["number"]: row for row in rows}
    line = lines.get(draw["commitment"])
    if line is None:
        return [f"The list has no line {draw['commitment']}."]
    faults = [
        f"Line {line['number']} has another {name}." for name in ("seed_hash", "lots_hash") if line[name] != draw[name]
    ]
    if moment(line["at"]) > moment(draw["made_at"]):
        faults.append(f"Line {line['number']} was entered after the draft was made.")
    if draw["number"] not in [draft["number"] for draft in line["drafts"]]:
        faults.append(f"Line {line['number']} does not name draft {draw['number']}.")
    unexplained = [
        draft["number"]
        for at, draft in enumerate(line["drafts"][1:])
        if again(line["drafts"][at], draft) and not draft["reason"]
    ]
    faults += [f"Draft {number} was drawn again without a reason." for number in unexplained]
    missing = sorted(set(range(min(lines), max(lines))) - set(lines))
    return faults + [f"The list has no line {number}." for number in missing]


def again(before, draft):
    """Whether a draft replaces the one before it, which directors had seen."""
    return draft["round"] == before["round"] and before["seen"]


def verify_history(rows, older):
    """What of an older copy of the list was changed or removed since."""
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
    """An instant as the API writes it."""
    return datetime.fromisoformat(text.replace("Z", "+00:00"))


# Reading


def load(source):
    """The JSON of a file or an address; of a list in pages, all of them."""
    body = read(source)
    while isinstance(body, dict) and body.get("next"):
        page = read(body["next"])
        body = {**page, "results": body["results"] + page["results"]}
    return body["results"] if isinstance(body, dict) and "results" in body else body


def read(source):
    """The JSON of one file or one address."""
    if source.startswith("https://"):
        with urllib.request.urlopen(source) as answer:  # noqa: S310, https only
            return json.load(answer)
    with open(source, encoding="utf-8") as file:
        return json.load(file)


def main(sources):
    """Prints what was found; returns 1 if something is wrong."""
    draw, *lists = map(load, sources)
    faults = verify(draw)
    if lists:
        faults += verify_in_list(draw, lists[0])
    for older in lists[1:]:
        faults += verify_history(lists[0], older)
    print("\n".join([*faults, *limits(draw)]) or "The draw is what its number says.")
    if not lists:
        print("Not checked: whether the number was on the club's list before the draw.")
    return int(bool(faults))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
