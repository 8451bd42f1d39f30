"""Dice from committed hash chains: the scheme of docs/dice.md, computed a second time and tested as dice."""

import hashlib
import hmac
from collections import Counter
from itertools import pairwise

import pytest

from engine import Refused
from engine.dice import LINKS, Chain, ChainTag, follows, opening_roll, previous, roll

MATCH = "k3v9w2xq7m"
ROLLS = 72_000


def secret(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()


@pytest.fixture(scope="module")
def chain() -> Chain:
    return Chain.from_secret(ChainTag(MATCH, "0"), secret("Bob"))


def by_the_document(key: bytes, number: int, first: bytes, second: bytes) -> list[tuple[int, int]]:
    """The first rolls of a stream, computed from the words of docs/dice.md."""
    rolls = []
    for block in range(4):
        text = f"barpoint/1|{MATCH}|{number}|{block}|{first.hex()}|{second.hex()}"
        digest = hmac.new(key, text.encode(), hashlib.sha256).digest()
        rolls += [(byte % 36 // 6 + 1, byte % 36 % 6 + 1) for byte in digest if byte < 252]
    return rolls


def test_every_link_hashes_to_the_one_before_it(chain):
    for number in (1, 2, 63, 64, 65, 2000, LINKS - 1, LINKS):
        before = chain.anchor if number == 1 else chain.link(number - 1)
        text = f"barpoint/1|{MATCH}|0|1|".encode()
        assert hashlib.sha256(text + chain.link(number)).digest() == before
        assert follows(chain.tag, chain.link(number), before)
    assert chain.link(LINKS) == secret("Bob")
    assert follows(chain.tag, chain.link(LINKS), chain.anchor, distance=LINKS)


def test_a_chain_is_restored_from_its_checkpoints(chain):
    restored = Chain.from_checkpoints(chain.tag, chain.checkpoints)
    assert [restored.link(n) for n in (1, 64, 700, LINKS)] == [chain.link(n) for n in (1, 64, 700, LINKS)]
    assert restored.anchor == chain.anchor
    with pytest.raises(ValueError, match="shorter"):
        Chain.from_checkpoints(chain.tag, chain.checkpoints[:-32])


def test_a_link_belongs_to_one_chain_of_one_side_of_one_match(chain):
    for tag in (ChainTag(MATCH, "1"), ChainTag(MATCH, "0", 2), ChainTag("another", "0")):
        assert Chain.from_secret(tag, secret("Bob")).anchor != chain.anchor
        assert not follows(tag, chain.link(1), chain.anchor)


def test_a_changed_link_a_skipped_one_and_a_short_one_do_not_follow(chain):
    link = chain.link(5)
    assert follows(chain.tag, link, chain.link(4))
    assert not follows(chain.tag, bytes([link[0] ^ 1]) + link[1:], chain.link(4))
    assert not follows(chain.tag, link, chain.link(3))
    assert follows(chain.tag, link, chain.link(3), distance=2)
    assert not follows(chain.tag, link[:31], chain.link(4))
    assert not follows(chain.tag, link, link, distance=0)


def test_a_chain_has_so_many_links_and_no_more(chain):
    for number in (0, -1, LINKS + 1):
        with pytest.raises(Refused, check=lambda error: error.code == "chain_exhausted"):
            chain.link(number)
    with pytest.raises(Refused, check=lambda error: error.code == "bad_link"):
        Chain.from_secret(chain.tag, b"short")


def test_rolls_are_those_of_the_document():
    for number in range(1, 300):
        key, fresh, latest = secret(f"key {number}"), secret(f"fresh {number}"), secret(f"latest {number}")
        rolls = by_the_document(key, number, fresh, latest)
        assert roll(key, MATCH, number, fresh=fresh, latest=latest) == rolls[0]
        unequal = next(dice for dice in rolls if dice[0] != dice[1])
        assert opening_roll(key, MATCH, number, links=(fresh, latest)) == unequal


def test_each_part_of_a_roll_changes_it():
    """Of 200 rolls with one part changed, about 1 in 36 stays the same: fewer than 20, and 0 would be suspicious."""
    key, fresh, latest = secret("key"), secret("fresh"), secret("latest")
    rolls = [roll(key, MATCH, number, fresh=fresh, latest=latest) for number in range(200)]
    changed = {
        "key": [roll(secret("other"), MATCH, number, fresh=fresh, latest=latest) for number in range(200)],
        "match": [roll(key, "another", number, fresh=fresh, latest=latest) for number in range(200)],
        "number": [roll(key, MATCH, number + 1000, fresh=fresh, latest=latest) for number in range(200)],
        "fresh": [roll(key, MATCH, number, fresh=secret("other"), latest=latest) for number in range(200)],
        "latest": [roll(key, MATCH, number, fresh=fresh, latest=secret("other")) for number in range(200)],
        "order": [roll(key, MATCH, number, fresh=latest, latest=fresh) for number in range(200)],
    }
    for part, others in changed.items():
        assert sum(a == b for a, b in zip(rolls, others, strict=True)) < 20, part


def chi_square(counts: Counter, cells: int, total: int) -> float:
    expected = total / cells
    return sum((counts[cell] - expected) ** 2 for cell in counts) / expected + (cells - len(counts)) * expected


def test_rolls_are_uniform_and_independent():
    """Chi-square of the 36 rolls and of the 1,296 pairs of successive ones, below the 99.99 % point.

    The rolls are always the same, so this does not depend on luck; 10 million are tested by the benchmark `dice`.
    """
    mine, theirs = (
        Chain.from_secret(ChainTag(MATCH, "0"), secret("Bob")),
        Chain.from_secret(ChainTag(MATCH, "1"), secret("Carol")),
    )
    links = {0: [mine.link(n) for n in range(1, 401)], 1: [theirs.link(n) for n in range(1, 401)]}
    rolls = [
        roll(secret(str(number)), MATCH, number, fresh=links[number % 2][number % 400], latest=links[0][number % 399])
        for number in range(ROLLS)
    ]
    assert chi_square(Counter(rolls), 36, ROLLS) < 75
    assert chi_square(Counter(pairwise(rolls)), 36 * 36, ROLLS - 1) < 1_492


def test_opening_rolls_are_uniform_over_thirty():
    rolls = Counter(
        opening_roll(secret(f"o{number}"), MATCH, number, links=(b"\1" * 32, b"\2" * 32)) for number in range(30_000)
    )
    assert all(left != right for left, right in rolls)
    assert chi_square(rolls, 30, 30_000) < 66


def test_nobody_gains_by_committing_again():
    """A side that may choose among 10^5 chains, not knowing the server's links, rolls no more sixes than chance.

    Against it: with the server's link known, the best of only 200 links always rolls a double six. That is what the
    opponent's fresh link after a new anchor is for (docs/dice.md).
    """
    latest = secret("Carol")
    guessed, real = secret("guess"), secret("server")
    chosen = [
        fresh
        for fresh in (number.to_bytes(32, "big") for number in range(100_000))
        if roll(guessed, MATCH, 1, fresh=fresh, latest=latest) == (6, 6)
    ]
    assert 2_400 < len(chosen) < 3_150
    sixes = sum(roll(real, MATCH, 1, fresh=fresh, latest=latest) == (6, 6) for fresh in chosen)
    assert abs(sixes - len(chosen) / 36) < 4 * (len(chosen) / 36) ** 0.5
    knowing = [number.to_bytes(32, "big") for number in range(200)]
    assert any(roll(real, MATCH, 1, fresh=fresh, latest=latest) == (6, 6) for fresh in knowing)


def test_the_link_before_is_a_hash():
    assert previous(ChainTag("m", "0", 1), b"\0" * 32).hex() == (
        hashlib.sha256(b"barpoint/1|m|0|1|" + b"\0" * 32).hexdigest()
    )
