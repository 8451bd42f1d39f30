"""The dice page of a running match and of a finished one, and the browser's verdict beside that of the script."""

import copy
import random
import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from engine.actions import Act
from matches.models import Action, DiceChain, Match
from matches.play.dice import dice_of
from matches.play.simulation import Simulation
from players.models import Player, User
from tests.browser.conftest import PHONE, Check, OpenPage
from tests.engine import test_verify_dice
from tests.matches.play.conftest import Board, match, users
from tests.matches.play.test_chains import Device, devices, own_board, play_turns
from verify.verify_dice import Verifier

__all__ = ["devices", "match", "own_board", "users"]

Export = dict[str, Any]
CODES = {
    "is missing or out of order": "out_of_order",
    "shows the links of the wrong sides": "wrong_sides",
    "uses a chain that was not in force": "weak_unmarked",
    "uses the chain in force, but is marked weak": "weak_unneeded",
    "before it was armed": "chain_unarmed",
    "has seen armings that are not listed": "seen_unknown",
    "has not seen armings that the board showed": "seen_too_few",
    "is marked as weak by the wrong side": "weak_by_differs",
    "that was never committed": "chain_unknown",
    "skips or repeats a link": "link_skipped",
    "that is not in the committed chain": "link_not_in_chain",
    "but the links give": "dice_differ",
}
"""Sentences of verify/verify_dice.py, and the code of the same in the browser."""
ONE_POINT, TWO_POINTS = 0, 2
"""Seeds of simulated matches of these lengths."""


def dice_page(match: Match) -> str:
    return f"/matches/{match.public_id}/dice/"


def simulated(seed: int, bob: User, carol: User) -> Match:
    """A finished match between Bob and Carol."""
    players = [Player.objects.create(name=user.display_name, user=user) for user in (bob, carol)]
    return Simulation((players[0], players[1]), seed).run().match


def by_script(export: Export) -> dict[str, Any]:
    """What verify/verify_dice.py finds, as the browser reports it."""
    verifier = Verifier(copy.deepcopy(export))
    reasons: dict[int, list[str]] = {}
    disordered = [
        {"number": None, "chain": {"owner": owner, "number": int(number)}, "reasons": ["arming_disordered"]}
        for problem in verifier.problems
        for number, owner in re.findall(r"^An arming of chain (\d+) of (\d) is out of order", problem)
    ]
    for problem in verifier.run()[len(disordered) :]:
        (code,) = [code for sentence, code in CODES.items() if sentence in problem]
        reasons.setdefault(int(re.findall(r"^Roll (\d+)", problem)[0]), []).append(code)
    walked = [number for number, codes in reasons.items() if codes == ["out_of_order"]] or [len(export["rolls"]) + 1]
    right = [roll for at, roll in enumerate(export["rolls"], start=1) if at < walked[0] and at not in reasons]
    return {
        "verified": len(right),
        "weak": [roll["number"] for roll in right if roll["weak"]],
        "failed": [*disordered, *({"number": number, "reasons": codes} for number, codes in reasons.items())],
    }


def alter(export: Export, chance: random.Random) -> None:
    """Change one value somewhere."""
    roll, chain = chance.choice(export["rolls"]), chance.choice(export["chains"])
    link = chance.choice([*roll["links"], *([roll["play_link"]] if "play_link" in roll else []), roll["server"]])
    arming = chance.choice(export["armings"])
    other = chance.choice(export["rolls"])
    alterations: list[Callable[[], Any]] = [
        lambda: roll.update(dice=other["dice"]),
        lambda: roll.update(weak=not roll["weak"]),
        lambda: roll.update(side=chance.choice([0, 1, None])),
        lambda: roll.update(number=other["number"]),
        lambda: roll.update(links=other["links"]),
        lambda: link.update(link=other["server"]["link"]),
        lambda: link.update(number=link["number"] + chance.choice([-1, 1])),
        lambda: link.update(chain=3 - link["chain"]),
        lambda: link.update(owner=chance.choice(["0", "1", "server"])),
        lambda: chain.update(anchor=other["server"]["link"]),
        lambda: chain.update(number=chain["number"] + 5),
        lambda: link.update(seen=link.get("seen", 1) + chance.choice([-2, -1, 1])),
        lambda: arming.update(own_reveals=arming["own_reveals"] + chance.choice([-1, 1])),
        lambda: arming.update(opponent_reveals=arming["opponent_reveals"] + chance.choice([-1, 1])),
        lambda: arming.update(chain=3 - arming["chain"]),
        lambda: roll.update(weak_by={chance.choice(["0", "1"]): chance.choice(["0", "1"])}),
    ]
    chance.choice(alterations)()


def table_with_new_chains() -> test_verify_dice.Table:
    """Two games with a chain that was replaced in time, and one whose first roll is weak."""
    table = test_verify_dice.Table()
    table.open()
    for turn in range(8):
        table.play()
        table.roll(turn % 2)
    table.commit("0")
    table.play()
    table.roll(0)
    table.commit("1")
    table.roll(1, weak=True)
    table.play()
    table.arm("0", 1)
    table.open()
    table.play()
    table.roll(0)
    return table


@pytest.mark.usefixtures("site")
def test_the_browser_finds_what_the_script_finds(open_page: OpenPage, bob: User, carol: User) -> None:
    honest: list[Export] = [table_with_new_chains().export]
    honest += [dice_of(simulated(ONE_POINT, bob, carol).live)]
    chance = random.Random(1)
    exports = copy.deepcopy(honest)
    for export in honest:
        for number in range(120):
            exports.append(copy.deepcopy(export))
            alter(exports[-1], chance)
            if number % 3 == 0:
                alter(exports[-1], chance)
    for fraud in (
        test_verify_dice.altered_die,
        test_verify_dice.altered_link,
        test_verify_dice.altered_server_link,
        test_verify_dice.swapped_rolls,
        test_verify_dice.left_out_roll,
        test_verify_dice.link_of_the_other_side,
        test_verify_dice.uncommitted_chain,
    ):
        exports.append(copy.deepcopy(honest[1]))
        fraud(exports[-1])
    page = open_page("/check/")
    reports = page.evaluate(
        """async (exports) => {
          const { verifyRolls } = await import("/static/matches/dice/verify.js");
          return exports.map(verifyRolls);
        }""",
        exports,
    )
    expected = [by_script(export) for export in exports]
    assert reports == expected
    assert [report["failed"] for report in expected[:2]] == [[], []]
    assert all(report["failed"] for report in expected[-7:])
    codes = {code for report in expected for failed in report["failed"] for code in failed["reasons"]}
    assert codes == set(CODES.values())


def verdict(page: Page, sentence: str) -> None:
    expect(page.get_by_role("heading", name=sentence)).to_be_visible()


@pytest.fixture
def running(own_board: Board, devices: list[Device]) -> Board:
    """Seven rolls, the last of which is weak, because its player lost their chain before."""
    play_turns(own_board, devices, 5)
    own_board.do(own_board.game.turn, Act.PLAY, moves=own_board.any_play())
    roller = own_board.game.turn
    devices[roller] = Device(own_board, roller, number=2)
    own_board.wait(10)
    devices[roller].roll()
    return own_board


def test_the_page_of_a_running_match_checks_new_rolls_as_they_fall(
    site: str, open_page: OpenPage, running: Board, devices: list[Device], in_both_views: Check
) -> None:
    page = open_page(dice_page(running.match), width=PHONE)
    verdict(page, "All 7 rolls check out")
    expect(page.locator("[data-figures]")).to_contain_text(re.compile(r"strength\s+6\s+Weak\s+1\s+Wrong\s+0"))
    expect(page.locator("#roll-7")).to_contain_text("Weak")
    page.locator("#roll-6 summary").click()
    left, right = dice_of(running.live)["rolls"][5]["dice"]
    expect(page.locator("#roll-6")).to_contain_text(f"of the 36 rolls: {left}-{right}")
    in_both_views(page)
    page.clock.install()
    page.reload()
    page.locator("#roll-5 summary").click()
    running.do(running.game.turn, Act.PLAY, moves=running.any_play())
    devices[running.game.turn].roll()
    page.clock.fast_forward(11_000)
    verdict(page, "All 8 rolls check out")
    expect(page.locator("#roll-8")).to_contain_text("Checks")
    expect(page.locator("#roll-5")).to_have_attribute("open", "")
    expect(page.locator("#roll-5")).to_contain_text("of the 36 rolls")


@pytest.mark.slow
def test_the_page_of_a_finished_match(
    site: str, open_page: OpenPage, bob: User, carol: User, in_both_views: Check, fits: Check
) -> None:
    match = simulated(TWO_POINTS, bob, carol)
    rolls = dice_of(match.live)["rolls"]
    page = open_page(dice_page(match), width=PHONE)
    verdict(page, f"All {len(rolls)} rolls check out")
    in_both_views(page)
    page.evaluate("document.documentElement.style.fontSize = '200%'")
    fits(page)
    page.goto(f"{dice_page(match)}?game=1#roll-1")
    left, right = rolls[0]["dice"]
    expect(page.locator("#roll-1")).to_contain_text("that gives two different dice")
    expect(page.locator("#roll-1")).to_contain_text(f"of the 36 rolls: {left}-{right}")
    page.get_by_role("button", name="Check again").click()
    verdict(page, f"All {len(rolls)} rolls check out")
    page.get_by_role("navigation", name="Games").get_by_role("link").last.click()
    expect(page.locator(f"#roll-{len(rolls)}")).to_contain_text("Checks")


def test_the_page_shows_what_was_altered(site: str, open_page: OpenPage, running: Board) -> None:
    page = open_page(dice_page(running.match))
    verdict(page, "All 7 rolls check out")
    roll = Action.objects.get(kind=Act.ROLL, data__number=3)
    roll.data["dice"] = [6, 6] if roll.data["dice"] != [6, 6] else [5, 5]
    roll.save()
    page.get_by_role("button", name="Check again").click()
    verdict(page, "Something is wrong with these dice")
    failed = page.locator("[data-failed]")
    expect(failed).to_contain_text("Roll 3: It has changed since this browser first saw it.")
    page.reload()
    expect(failed).to_have_text("Roll 3: The links give other dice.")
    expect(page.locator("#roll-3 [data-result]")).to_have_text("Wrong")
    DiceChain.objects.filter(owner=DiceChain.Owner.SERVER).update(anchor="ab" * 32)
    page.reload()
    expect(failed).to_contain_text("Server, chain 1: It has changed since this browser first saw it.")


def test_without_scripts_the_page_says_that_nothing_was_checked(site: str, browser: Browser, running: Board) -> None:
    page = browser.new_context(java_script_enabled=False).new_page()
    page.goto(f"{site}{dice_page(running.match)}")
    verdict(page, "7 rolls, not checked yet")
    page.locator("#roll-7 summary").click()
    link = dice_of(running.live)["rolls"][6]["server"]["link"]
    expect(page.get_by_text(link, exact=True)).to_be_visible()
    expect(page.get_by_role("button", name="Check again")).to_be_hidden()
