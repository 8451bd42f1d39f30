"""Dice in the browser: SHA-256, a player's chain, and the verification of rolls, beside hashlib and the engine."""

import hashlib
import hmac
import random
import secrets
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page

from engine.dice import LINKS, Chain, ChainTag, follows, opening_roll, roll
from tests.browser.chromium import Chromium

BOB, CAROL = 0, 1
MATCH = "k3v9w2xq7m"
NOTHING_YET = {"match": MATCH, "side": BOB, "chains": [], "armings": []}
"""What a page knows that is opened first."""
PLAIN = "http://club.test"
"""An origin that browsers do not trust, like a server in a club's network: without `crypto.subtle` and locks."""


@pytest.fixture
def device(chromium: Chromium, server: str) -> Iterator[BrowserContext]:
    """A browser with storage of its own, which loads the site's scripts over plain HTTP."""
    context = chromium.browser.new_context()
    context.route(
        f"{PLAIN}/static/**", lambda route: route.fulfill(response=route.fetch(url=on_server(route.request.url)))
    )
    context.route(f"{PLAIN}/", lambda route: route.fulfill(content_type="text/html", body="<!doctype html>"))

    def on_server(url: str) -> str:
        return server + url.removeprefix(PLAIN)

    yield context
    chromium.close_contexts()


def tab(device: BrowserContext) -> Page:
    """A page of this browser with the modules in `dice`."""
    page = device.new_page()
    page.goto(f"{PLAIN}/")
    page.evaluate(
        """async () => {
          const names = ["sha256", "verify", "chain"];
          const modules = names.map((name) => import(`/static/matches/dice/${name}.js`));
          window.dice = Object.assign({}, ...(await Promise.all(modules)));
        }"""
    )
    return page


def refusal(page: Page, script: str, argument: Any = None) -> str:
    """The code with which a chain refuses."""
    code = f"async (argument) => {{ try {{ await ({script}); return 'done' }} catch (error) {{ return error.code }} }}"
    return str(page.evaluate(code, argument))


def test_sha256_and_hmac_are_those_of_hashlib(device: BrowserContext) -> None:
    page = tab(device)
    assert page.evaluate("[isSecureContext, typeof crypto.subtle]") == [False, "undefined"]
    chance = random.Random(1)
    messages = [chance.randbytes(length) for length in range(301)]
    keys = [chance.randbytes(chance.choice([0, 1, 31, 32, 63, 64, 65, 200])) for _ in messages]
    pairs = [[key.hex(), message.hex()] for key, message in zip(keys, messages, strict=True)]
    digests = page.evaluate(
        """(pairs) => {
          const bytes = (hex) => Uint8Array.from(hex.match(/../g) ?? [], (pair) => parseInt(pair, 16));
          return pairs.map(([key, message]) => [
            dice.toHex(dice.sha256(bytes(message))),
            dice.toHex(dice.hmacSha256(bytes(key), bytes(message))),
          ]);
        }""",
        pairs,
    )
    assert digests == [
        [hashlib.sha256(message).hexdigest(), hmac.digest(key, message, "sha256").hex()]
        for key, message in zip(keys, messages, strict=True)
    ]


class Server:
    """The server and Carol, as the engine plays them; Bob's links come from a browser."""

    def __init__(self) -> None:
        self.kept = {owner: self._chain(owner, 1) for owner in ("1", "server")}
        self.chains: list[dict[str, Any]] = [self._published(chain) for chain in self.kept.values()]
        self.armings: list[dict[str, Any]] = [{"owner": "1", "chain": 1, "own_reveals": 0}]
        self.rolls: list[dict[str, Any]] = []
        self.latest: dict[str, bytes] = {}
        self.reveals = {"0": 0, "1": 0}

    @staticmethod
    def _chain(owner: str, number: int) -> Chain:
        return Chain.from_secret(ChainTag(MATCH, owner, number), secrets.token_bytes(32))

    @staticmethod
    def _published(chain: Chain) -> dict[str, Any]:
        return {"owner": chain.tag.owner, "number": chain.tag.number, "anchor": chain.anchor.hex(), "used": 0}

    def commit(self, anchor: str, number: int) -> None:
        """Take in a chain of Bob's, if it is new, and arm it."""
        own = [chain for chain in self.chains if chain["owner"] == "0"]
        if anchor not in [chain["anchor"] for chain in own]:
            assert number == len(own) + 1
            self.chains.append({"owner": "0", "number": number, "anchor": anchor, "used": 0})
        self.armings.append({"owner": "0", "chain": number, "own_reveals": self.reveals["0"]})

    def open(self, link: str) -> None:
        """An opening roll."""
        links = [self._bobs(link), self._next("1")]
        left, right = self.latest["0"], self.latest["1"]
        server = self._next("server")
        dice = opening_roll(bytes.fromhex(server["link"]), MATCH, len(self.rolls) + 1, links=(left, right))
        self._note(None, links, server, dice)

    def roll_for_bob(self, link: str) -> None:
        self._roll(BOB, self._bobs(link))

    def roll_for_carol(self) -> None:
        self._roll(CAROL, self._next("1"))

    def _roll(self, side: int, link: dict[str, Any]) -> None:
        server, latest = self._next("server"), self.latest[str(1 - side)]
        fresh = bytes.fromhex(link["link"])
        dice = roll(bytes.fromhex(server["link"]), MATCH, len(self.rolls) + 1, fresh=fresh, latest=latest)
        self._note(side, [link], server, dice)

    def _note(self, side: int | None, links: list[dict[str, Any]], server: dict[str, Any], dice: Any) -> None:
        number = len(self.rolls) + 1
        entry = {"side": side, "number": number, "links": links, "server": server, "dice": list(dice), "weak": False}
        self.rolls.append(entry)

    def play_for_bob(self, link: str) -> None:
        self.rolls[-1]["play_link"] = self._bobs(link)

    def _bobs(self, link: str) -> dict[str, Any]:
        """The link as Bob's next one, if it is that."""
        armed = [arming for arming in self.armings if arming["owner"] == "0"][-1]["chain"]
        chain = next(chain for chain in self.chains if (chain["owner"], chain["number"]) == ("0", armed))
        known = chain.get("latest", chain["anchor"])
        assert follows(ChainTag(MATCH, "0", chain["number"]), bytes.fromhex(link), bytes.fromhex(known))
        chain["latest"], chain["used"] = link, chain["used"] + 1
        return self._revealed("0", chain["number"], chain["used"], link)

    def _next(self, owner: str) -> dict[str, Any]:
        chain = next(chain for chain in self.chains if chain["owner"] == owner)
        chain["used"] += 1
        return self._revealed(owner, 1, chain["used"], self.kept[owner].link(chain["used"]).hex())

    def _revealed(self, owner: str, chain: int, number: int, link: str) -> dict[str, Any]:
        self.latest[owner] = bytes.fromhex(link)
        if owner in self.reveals:
            self.reveals[owner] += 1
        seen = {} if owner == "server" else {"seen": sum(arming["owner"] != owner for arming in self.armings)}
        return {"owner": owner, "chain": chain, "number": number, "link": link} | seen


class BobsTab:
    """A tab in which Bob plays."""

    def __init__(self, device: BrowserContext, server: Server) -> None:
        self.page, self.server = tab(device), server

    def open(self, **options: Any) -> None:
        """Open the chain, and arm it unless it was armed last."""
        published = {"chains": self.server.chains, "armings": self.server.armings}
        arguments = {"match": MATCH, "side": BOB, **published, **options}
        opened = self.page.evaluate(
            """async (options) => {
              window.chain = await dice.openChain(options);
              return { anchor: chain.anchor, number: chain.number, isArmed: chain.isArmed };
            }""",
            arguments,
        )
        if arguments["chains"] and not opened["isArmed"]:
            self.server.commit(opened["anchor"], opened["number"])

    def check(self) -> dict[str, Any]:
        """Check all that has been published, as actions of the match."""
        actions: list[dict[str, Any]] = []
        for each in self.server.rolls:
            data = {name: each[name] for name in each if name not in ("side", "play_link")}
            actions.append({"kind": "roll", "side": each["side"], "data": data})
            if "play_link" in each:
                actions.append({"kind": "play", "side": each["side"], "data": {"link": each["play_link"]}})
            elif each.get("is_played"):
                actions.append({"kind": "play", "side": each["side"], "data": {}})
        published = {"chains": self.server.chains, "armings": self.server.armings, "actions": actions}
        report: dict[str, Any] = self.page.evaluate("(published) => chain.check(published)", published)
        return report

    def reveal(self, number: int) -> str:
        return str(self.page.evaluate("async (number) => (await chain.reveal(number)).link", number))

    def reveal_with_play(self, number: int) -> str:
        return str(self.page.evaluate("async (number) => (await chain.revealWithPlay(number)).link", number))

    def refusal(self, number: int) -> str:
        return refusal(self.page, "chain.reveal(argument)", number)

    @property
    def anchor(self) -> str:
        return str(self.page.evaluate("chain.anchor"))


@pytest.fixture
def game() -> Server:
    return Server()


@pytest.fixture
def bob(device: BrowserContext, game: Server) -> BobsTab:
    """Committed, and everything published so far checked."""
    bob = BobsTab(device, game)
    bob.open()
    bob.check()
    return bob


def test_a_chain_of_the_browser_is_one_of_the_engine(bob: BobsTab, game: Server) -> None:
    stored = bob.page.evaluate(
        """() => new Promise((resolve) => {
          indexedDB.open("barpoint-dice").onsuccess = ({ target: { result: database } }) => {
            database.transaction("chains").objectStore("chains").getAll().onsuccess = ({ target }) => {
              database.close();
              resolve(target.result.map((each) => dice.toHex(each.checkpoints)));
            };
          };
        })"""
    )
    (checkpoints,) = stored
    chain = Chain.from_secret(ChainTag(MATCH, "0"), bytes.fromhex(checkpoints)[-32:])
    assert chain.checkpoints.hex() == checkpoints
    assert bob.anchor == chain.anchor.hex()
    game.open(bob.reveal(1))
    for number in range(2, 70):
        bob.check()
        if number % 2:
            game.roll_for_carol()
        else:
            game.roll_for_bob(bob.reveal(number))
    assert game.rolls[0]["links"][0]["link"] == chain.link(1).hex()
    assert game.rolls[67]["links"][0] == {
        "owner": "0",
        "chain": 1,
        "number": 35,
        "link": chain.link(35).hex(),
        "seen": 1,
    }
    assert bob.check() == {"verified": 69, "weak": [], "failed": [], "missing": False}


def test_a_link_is_revealed_once_and_only_after_the_roll_before_was_checked(bob: BobsTab, game: Server) -> None:
    link = bob.reveal(1)
    assert bob.reveal(1) == link
    assert bob.refusal(2) == "roll_unverified"
    game.open(link)
    assert bob.refusal(2) == "roll_unverified", "it has been made, but not been checked"
    bob.check()
    assert bob.refusal(3) == "roll_unverified"
    second = bob.reveal(2)
    assert bob.reveal(1) == link
    game.roll_for_bob(second)
    game.rolls[-1]["dice"][0] = game.rolls[-1]["dice"][0] % 6 + 1
    assert bob.check()["failed"] == [{"number": 2, "reasons": ["dice_differ"]}]
    assert bob.refusal(3) == "roll_failed"


def test_the_tabs_of_a_browser_share_one_chain(device: BrowserContext, game: Server) -> None:
    tabs = [BobsTab(device, game) for _ in range(2)]
    for each in tabs:
        each.page.evaluate(
            "(match) => { window.opening = dice.openChain({ match, side: 0, chains: [], armings: [] }) }", MATCH
        )
    assert tabs[0].page.evaluate("opening.then(({ anchor }) => anchor)") == tabs[1].page.evaluate(
        "opening.then(({ anchor }) => anchor)"
    )
    for each in tabs:
        each.open()
        each.check()
    links = [each.reveal(1) for each in tabs]
    assert links[0] == links[1]
    game.open(links[0])
    tabs[1].check()
    game.roll_for_bob(tabs[1].reveal(2))
    assert tabs[0].refusal(3) == "roll_unverified"
    tabs[0].check()
    tabs[0].reveal(3)


def test_a_reloaded_page_goes_on_with_its_chain(bob: BobsTab, device: BrowserContext, game: Server) -> None:
    link, anchor = bob.reveal(1), bob.anchor
    bob.page.close()
    again = BobsTab(device, game)
    again.open()
    assert again.anchor == anchor
    assert again.refusal(2) == "roll_unverified"
    assert again.reveal(1) == link


def test_a_browser_that_lost_its_storage_makes_a_new_chain(bob: BobsTab, game: Server) -> None:
    game.open(bob.reveal(1))
    first = bob.anchor
    bob.page.evaluate(
        """() => new Promise((resolve) => { indexedDB.deleteDatabase("barpoint-dice").onsuccess = resolve })"""
    )
    bob.check()
    assert bob.refusal(2) == "storage_lost"
    bob.open()
    assert bob.anchor != first
    game.roll_for_carol()
    bob.check()
    game.roll_for_bob(bob.reveal(3))
    assert game.rolls[-1]["links"][0]["chain"] == 2
    assert bob.check() == {"verified": 3, "weak": [], "failed": [], "missing": False}


def test_each_device_keeps_its_chain(bob: BobsTab, game: Server) -> None:
    """Bob goes over to his phone and comes back to his laptop: the laptop's chain serves again."""
    game.open(bob.reveal(1))
    laptop = bob.anchor
    game.commit("ab" * 32, 2)
    bob.check()
    assert not bob.page.evaluate("chain.isArmed")
    bob.open()
    assert bob.anchor == laptop
    assert [arming["chain"] for arming in game.armings if arming["owner"] == "0"] == [1, 2, 1]
    game.roll_for_carol()
    bob.check()
    game.roll_for_bob(bob.reveal(3))
    assert bob.check() == {"verified": 3, "weak": [], "failed": [], "missing": False}


def test_a_link_goes_with_each_play(bob: BobsTab, game: Server) -> None:
    game.open(bob.reveal(1))
    bob.check()
    game.roll_for_bob(bob.reveal(2))
    bob.check()
    link = bob.reveal_with_play(2)
    assert bob.reveal_with_play(2) == link
    game.play_for_bob(link)
    assert bob.check()["failed"] == []
    game.roll_for_bob(bob.reveal(3))
    assert bob.check() == {"verified": 3, "weak": [], "failed": [], "missing": False}


def test_a_link_that_the_server_left_out_of_a_play_is_noticed(bob: BobsTab, game: Server) -> None:
    """Otherwise the server could choose between two rolls of Carol's: by the link of Bob's roll, or of his play."""
    game.open(bob.reveal(1))
    bob.check()
    game.roll_for_bob(bob.reveal(2))
    bob.check()
    bob.reveal_with_play(2)
    game.rolls[-1]["is_played"] = True
    assert bob.check()["failed"] == [{"number": 2, "reasons": ["link_dropped"]}]
    assert bob.refusal(3) == "roll_failed"


def test_a_server_that_says_bob_had_seen_another_device_of_carols_is_noticed(bob: BobsTab, game: Server) -> None:
    """She armed it when his link was known, to choose the better of two rolls."""
    link = bob.reveal(1)
    game.chains.append({"owner": "1", "number": 2, "anchor": "ab" * 32, "used": 0})
    game.armings.append({"owner": "1", "chain": 2, "own_reveals": 0})
    game.open(link)
    assert game.rolls[0]["links"][0]["seen"] == 2
    failed = bob.check()["failed"]
    assert {"number": 1, "reasons": ["seen_changed"]} in failed


def test_no_link_is_given_before_its_chain_is_committed(device: BrowserContext, game: Server) -> None:
    bob = BobsTab(device, game)
    bob.page.evaluate(
        "async (options) => { window.chain = await dice.openChain(options) }",
        NOTHING_YET,
    )
    bob.check()
    assert bob.refusal(1) == "not_committed"
    game.commit(bob.anchor, 1)
    bob.check()
    bob.reveal(1)


def test_a_link_is_not_given_for_another_roll(bob: BobsTab, game: Server) -> None:
    """The server leaves out the roll that Bob gave his first link for, to know the link of a later roll beforehand."""
    bob.reveal(1)
    game.latest["0"] = b""
    game.roll_for_carol()
    game.rolls[0]["weak"] = True
    assert bob.check() == {"verified": 1, "weak": [1], "failed": [], "missing": False}
    assert bob.refusal(2) == "link_spent"
    first = bob.anchor
    bob.open()
    assert bob.anchor != first, "his page goes on with another chain"
    bob.check()
    bob.reveal(2)


def test_a_used_up_chain_is_replaced(bob: BobsTab, game: Server) -> None:
    first = bob.anchor
    game.chains[-1]["used"] = LINKS
    bob.open()
    assert bob.anchor != first
    assert game.chains[-1]["number"] == 2


def test_a_browser_notices_what_was_exchanged_since_it_looked_first(
    bob: BobsTab, device: BrowserContext, game: Server
) -> None:
    game.open(bob.reveal(1))
    bob.check()
    bob.page.close()
    anchor = game.chains[1]["anchor"]
    game.chains[1]["anchor"] = "cd" * 32
    again = BobsTab(device, game)
    again.open()
    assert {"number": None, "chain": {"owner": "server", "number": 1}, "reasons": ["chain_changed"]} in (
        again.check()["failed"]
    )
    game.chains[1]["anchor"] = anchor
    game.armings[0]["own_reveals"] = 5
    fresh = BobsTab(device, game)
    fresh.open()
    assert {"number": None, "chain": {"owner": "1", "number": 1}, "reasons": ["arming_changed"]} in (
        fresh.check()["failed"]
    )


def test_without_storage_there_is_no_chain(device: BrowserContext) -> None:
    page = tab(device)
    page.evaluate("Object.defineProperty(globalThis, 'indexedDB', { value: undefined })")
    assert page.evaluate("(options) => dice.openChain(options)", NOTHING_YET) is None
