"""Repeats a published draw of a Barpoint knockout and says whether it comes out the same.

    python3 verify_draw.py draw.json

draw.json is what the page of a division links to as “Everything as data”. Python 3.9 or newer, nothing else.
The SHA-256 of the number was shown before the draw was made, so nobody could choose the number afterwards.
"""

import hashlib
import hmac
import json
import sys

ALGORITHM = "barpoint-knockout/1 on barpoint-lots/1"


def words(seed, draft):
    """64-bit numbers: HMAC-SHA-256 over "knockout:draft:block", four to a block."""
    block = 0
    while True:
        digest = hmac.new(seed, f"knockout:{draft}:{block}".encode("ascii"), hashlib.sha256).digest()
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


def verify(draw):
    """What is wrong with a draw, as sentences; none if it is as it should be."""
    if draw["seed"] is None:
        return ["The number is not published yet."]
    if draw["algorithm"] != ALGORITHM:
        return [f"This script knows {ALGORITHM}, not {draw['algorithm']}."]
    seed = bytes.fromhex(draw["seed"])
    faults = []
    if hashlib.sha256(seed).hexdigest() != draw["seed_hash"]:
        faults.append("The number does not have the fingerprint that was shown before the draw.")
    if draw["kept_apart"]:
        # Who is kept apart is exchanged after the lots are drawn, which takes the program's own rules.
        return faults
    entries = [place for place in draw["places"] if place["number"] is not None]
    seeded = sorted((place for place in entries if place["seed"] is not None), key=lambda place: place["seed"])
    others = sorted(place["number"] for place in entries if place["seed"] is None)
    order = [place["number"] for place in seeded] + shuffled(others, words(seed, draw["number"]))
    size = len(draw["places"])
    expected = [order[place - 1] if place <= len(order) else None for place in inner_outer(size)]
    if expected != [place["number"] for place in draw["places"]]:
        faults.append("Another draw follows from this number.")
    return faults


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as file:
        found = verify(json.load(file))
    print("\n".join(found) or "The draw is what its number says.")
    sys.exit(bool(found))
