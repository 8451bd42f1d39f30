"""The outbox in the page: what is sent after each attempt, and what several tabs and a closed page leave of it."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from drf_spectacular.generators import SchemaGenerator
from playwright.sync_api import Page
from rest_framework import exceptions

from config import limits
from config.api_schema import operations
from core.api import UNKNOWN_FIELD
from players.kept.api import CODES
from tests.browser.conftest import OpenPage

ROOT = Path(__file__).resolve().parents[2]
MODULE, STORE = "/static/config/outbox.js", "/static/config/kept_store.js"
WALK = Path(__file__).with_name("outbox_walk.js").read_text()
TEMPLATES = ROOT / "templates"
OF_FIRST_VERSION = """(fill) => new Promise((resolve) => {
  indexedDB.deleteDatabase("barpoint");
  const request = indexedDB.open("barpoint", 1);
  request.onupgradeneeded = () => {
    const { result: db, transaction } = request;
    for (const name of ["boxes", "data", "leases"]) db.createObjectStore(name);
    db.createObjectStore("acts", { keyPath: ["box", "n"] });
    fill(...["boxes", "acts"].map((name) => transaction.objectStore(name)));
  };
  request.onsuccess = () => resolve(request.result);
})"""
"""Make a store of the version before this one; resolves with the open database."""
FIRST_VERSION = f"""() => ({OF_FIRST_VERSION})((boxes, acts) => {{
  const row = {{ reader: "7", by: "Bob", last: 2, tried: 1, have: 1, failures: 0, stopped: "" }};
  for (const topic of ["match:m4", "tournament:t4"]) {{
    boxes.put({{ ...row, topic, box: `box-${{topic}}` }}, ["7", topic, ""]);
    const act = {{ box: `box-${{topic}}`, action: "note", fields: {{}}, at: 0 }};
    acts.put({{ ...act, n: 1, state: "sent" }});
    acts.put({{ ...act, n: 2, state: "kept" }});
  }}
}}).then((db) => db.close())"""
EVENINGS = 300
BOX = {"topic": "match:12", "reader": "7", "by": "Bob", "read": "/api/v1/matches/none/kept/", "post": "/none/"}
KEEP = (
    """(many) => Promise.all(Array.from({ length: many }, () => box.keep({ action: "note", fields: { text: "x" } })))"""
)
CASES: list[dict[str, Any]] = [
    {
        "name": "taken back before and after it may have arrived",
        "steps": [
            ["keep", 1],
            ["send, answer lost"],
            ["keep", 2],
            ["strike", 1],
            ["strike", 1],
            ["strike", 2],
            ["send"],
        ],
        "sent": [[1], [2, 3]],
        "have": [1, 3],
        "device": [[1, "note", "sent"], [2, "struck", "sent"], [3, "undo", "sent"]],
    },
    {
        "name": "a backup from before the first act, twice",
        "steps": [["keep", 1], ["send"], ["restore", 0], ["keep", 2], ["send"], ["restore", 1], ["send"], ["send"]],
        "sent": [[1], [1, 2], [2], []],
        "have": [1, 2, 2, 2],
        "device": [[1, "note", "sent"], [2, "note", "sent"]],
    },
]
"""As in the reference cases: what is sent after each attempt, and up to which number the server then has the acts."""


@pytest.fixture
def page(open_page: OpenPage, hall: str, expected_errors: list[re.Pattern[str]]) -> Page:
    """A page of the site in a hall, whose scripts a test may use."""
    expected_errors.append(re.compile("status of 404"))  # No server knows the outbox of the tests.
    page = open_page(f"{hall}/help/players/")
    assert page.evaluate("!isSecureContext && !navigator.locks")
    return with_outbox(page)


def with_outbox(page: Page) -> Page:
    """Give a page the module, the walk, and an outbox of Bob's that no server knows."""
    page.evaluate(
        "async ([module, store]) => { window.outbox = { ...await import(module), ...await import(store) }; }",
        [MODULE, STORE],
    )
    page.evaluate(f"() => {{ window.walk = ({WALK.strip()})(outbox); }}")
    page.evaluate("async (options) => { window.box = await outbox.openOutbox(options); }", BOX)
    return page


def check_order(page: Page, case: dict[str, Any]) -> None:
    played = page.evaluate("(steps) => walk.play(steps)", case["steps"])
    assert played == {**{name: case[name] for name in ("sent", "have", "device")}, "errors": []}, case["name"]


def test_what_is_sent_after_each_attempt(page: Page) -> None:
    for case in CASES:
        check_order(page, case)


def test_the_reference_cases_of_the_order(page: Page, shared_data: Path) -> None:
    cases = json.loads((shared_data / "offline" / "order.json").read_text())["cases"]
    orders = [case for case in cases if "steps" in case]
    assert len(orders) >= 5
    for case in orders:
        check_order(page, case)


def played(page: Page, script: str) -> Any:
    """What a script returns that plays a device, with `keep`, `read` and `answer` at hand."""
    return page.evaluate(
        f"""() => {{
          const device = new walk.Device();
          const keep = (many, ...what) => {{ for (let at = 0; at < many; at += 1) device.keep(...what); }};
          const read = (have, open = []) => device.take({{ type: "read", have, open }});
          const answer = (status, more = {{}}) => device.take({{ type: "answer", status, ...more }});
          const states = () => device.state.acts.map(({{ state }}) => state).join(" ");
          const numbers = (effects) => effects[0]?.acts?.map(({{ n, action }}) => `${{n}} ${{action}}`) ?? [];
          {script}
        }}"""
    )


@pytest.mark.parametrize(
    ("status", "code", "stopped"),
    [
        (401, "not_authenticated", "sign_in"),
        (403, "kept_of_another", "sign_in"),
        (403, "permission_denied", "forbidden"),
        (404, "not_found", "gone"),
        (413, "kept_too_large", "invalid"),
        (422, "unknown_field", "invalid"),
    ],
)
def test_a_refused_request_stops_and_keeps_everything(page: Page, status: int, code: str, stopped: str) -> None:
    """It goes on once the server is asked again and does not mind."""
    answered = played(
        page,
        f"""keep(3); read(0);
        const due = answer({status}, {{ code: "{code}" }});
        const {{ stopped }} = device.state;
        return [due, stopped, states(), numbers(read(0))];""",
    )
    assert answered == [[], stopped, "tried tried tried", ["1 note", "2 note", "3 note"]]


def test_what_follows_from_each_code_is_known_and_said(page: Page) -> None:
    """A code that a request of an outbox can be refused with, as the API is described, has a sentence on each page."""
    description = SchemaGenerator().get_schema(request=None, public=True)
    described = {
        operation["operationId"]: set(operation["x-codes"])
        for _path, operation in operations(description)
        if "x-codes" in operation
    }
    of_outboxes = {"matches_kept", "matches_send_kept", "tournaments_floor", "tournaments_send_kept"}
    table = page.evaluate("outbox.CODES")
    known = {code for codes in table.values() for code in codes}
    assert described == dict.fromkeys(of_outboxes, known)
    sentences = set(re.findall('data-say="([a-z_]+)"', (TEMPLATES / "_partials/_kept_stops.html").read_text()))
    assert sentences == set(table) - {""} | {"restored"}
    shown_by = ("_partials/_kept_here.html", "matches/reporting/_outbox.html", "tournaments/floor/_offline.html")
    assert all("_kept_stops.html" in (TEMPLATES / name).read_text() for name in shown_by)


def test_every_code_that_the_endpoints_refuse_with_is_described() -> None:
    modules = [(ROOT / "players/kept" / name).read_text() for name in ("outboxes.py", "api.py")]
    refused = {code for text in modules for code in re.findall(r'(?:Refused|_too_many)\(\s*"(\w+)"', text)}
    assert len(refused) >= 6
    general = [each for each in vars(exceptions).values() if isinstance(each, type)]
    of_requests = {each.default_code for each in general if issubclass(each, exceptions.APIException)}
    of_server = {each.code for each in vars(limits).values() if isinstance(each, limits.Refusal)}
    # Whatever the browser sends, its method and the type that it accepts are right.
    assert refused | of_requests | of_server | {UNKNOWN_FIELD, "second_factor_needed"} == set(CODES) | {
        "method_not_allowed", "not_acceptable",
    }  # fmt: skip


def test_refused_for_a_limit_acts_can_be_changed_and_are_tried_again(page: Page) -> None:
    script = """keep(3); read(0); answer(200, { have: 1, outcomes: [] }); read(1);
        const due = answer(429, { code: "too_many_kept", have: 1, retryAfter: 600 });
        const { stopped } = device.state;
        device.strike(2);
        return [due[0].wait, stopped, states(), numbers(read(1))];"""
    assert played(page, script) == [600_000, "limit", "sent kept kept", ["2 struck", "3 note"]]


def test_a_full_outbox_goes_on_in_another_one(page: Page) -> None:
    """An act that the server has is taken back where it is; what it has not is sent with numbers from 1."""
    script = """keep(4); read(0); answer(200, { have: 2, outcomes: [] }); device.strike(1); device.strike(4);
        const due = answer(409, { code: "outbox_full", have: 2 });
        const [full, more] = outbox.parted(device.state);
        const summary = ({ acts }) => acts.map(({ n, action, state, fields }) => [n, action, state, fields.of ?? 0]);
        return [due, summary(full), more.last, summary(more)];"""
    full = [[1, "note", "sent", 0], [2, "note", "sent", 0], [3, "struck", "kept", 0], [4, "struck", "kept", 0]]
    full += [[5, "undo", "kept", 1], [6, "struck", "kept", 0]]
    more = [[1, "note", "kept", 0], [2, "note", "kept", 0], [3, "undo", "kept", 2]]
    assert played(page, script) == [[{"type": "part"}], full, 3, more]


def test_what_a_restored_browser_keeps_is_not_taken_for_what_it_had_sent(page: Page) -> None:
    """The server has the acts of a later copy, whose numbers this one gives again."""
    script = """keep(1); read(0); answer(200, { have: 1, outcomes: [] });
        keep(2);
        const sent = numbers(read(5));
        answer(422, { code: "key_reused", n: 7 });
        return [sent, states(), numbers(read(7)), device.state.last];"""
    assert played(page, script) == [["6 note", "7 note"], "sent tried kept", ["8 note"], 8]


def test_a_restored_server_is_noticed_until_the_reader_knows(page: Page) -> None:
    script = """keep(4); device.strike(4); read(0); answer(200, { have: 4, outcomes: [] });
        read(1);
        const { restored } = device.state;
        answer(200, { have: 4, outcomes: [] });
        const still = device.state.restored;
        device.take({ type: "dismiss", n: 0 });
        read(4);
        return [restored, still, device.state.restored];"""
    assert played(page, script) == [2, 2, 0]


def test_what_was_overtaken_is_told_though_the_answer_is_lost(page: Page) -> None:
    script = """keep(1); read(0); answer(0);
        read(1, [{ n: 1, outcome: "overtaken", code: "over_since", text: "It is over." }]);
        const [{ state, text, outcome }] = device.state.acts;
        return [state, text, outcome];"""
    assert played(page, script) == ["sent", "It is over.", "overtaken"]


def test_a_server_that_fails_is_sent_fewer_acts_at_a_time(page: Page) -> None:
    script = """keep(30);
        const many = [0, 1, 2, 3, 4, 5].map(() => { const { length } = read(0)[0].acts; answer(0); return length; });
        read(0); answer(200, { have: 1, outcomes: [] });
        return [many, read(1)[0].acts.length];"""
    assert played(page, script) == [[20, 10, 5, 2, 1, 1], 20]


def test_the_store_of_an_earlier_version_is_taken_over(page: Page) -> None:
    """Its outboxes did not say where they go, and none of its acts that they wait."""
    page.evaluate(FIRST_VERSION)
    rows = page.evaluate("async (module) => (await import(`${module}?again`)).boxesHere()", STORE)
    assert [(row["topic"], row["count"], row["read"], row["post"]) for row in rows] == [
        ("match:m4", 1, "/api/v1/matches/m4/kept/", "/api/v1/matches/m4/kept/"),
        ("tournament:t4", 1, "/api/v1/tournaments/t4/floor/?outbox=", "/api/v1/tournaments/t4/kept/"),
    ]


def test_a_store_that_an_older_tab_holds_cannot_keep_and_can_once_it_lets_go(page: Page) -> None:
    page.evaluate("box.close()")
    other = page.context.new_page()
    other.goto(page.url)
    other.evaluate(f"({OF_FIRST_VERSION})(() => {{}}).then((db) => {{ window.held = db; }})")
    note = """async (options) => {
      const { openOutbox } = await import("/static/config/outbox.js?again");
      const box = await openOutbox(options);
      return box.keep({ action: "note", fields: {} }).then(() => "kept", () => "not kept");
    }"""
    assert page.evaluate(note, BOX) == "not kept"
    other.evaluate("held.close()")
    page.wait_for_timeout(500)
    assert page.evaluate(note, BOX) == "kept"


def test_attempts_become_rarer_and_a_server_may_ask_for_more(page: Page) -> None:
    script = """keep(1); read(0);
        const waits = [0, 502, 404, 200, 503, 429].map((status) => answer(status === 200 ? 0 : status)[0].wait);
        return [waits, answer(503, { code: "unavailable", retryAfter: 60 })[0].wait, read(0)[0].type];"""
    assert played(page, script) == [[2_000, 4_000, 8_000, 16_000, 30_000, 30_000], 60_000, "post"]


def test_a_result_can_be_taken_back_for_five_seconds(page: Page) -> None:
    """What was kept after it waits as well, since numbers leave no gap."""
    script = """keep(1); keep(1, "result", { at: device.now }); keep(1);
        device.now += 1000;
        const first = numbers(read(0)), due = read(1);
        device.strike(2);
        const struck = numbers(read(1));
        answer(200, { have: 3, outcomes: [] });
        keep(1, "result", { at: device.now });
        device.now += 5000;
        return [first, due, struck, numbers(read(3))];"""
    waits = [{"type": "round", "wait": 4_000}]
    assert played(page, script) == [["1 note"], waits, ["2 struck", "3 note"], ["4 result"]]


def test_what_a_gap_needs_is_sent_first_even_if_it_is_gone(page: Page) -> None:
    """A sent act stays for two days, in case that the server is restored; then only its number is left."""
    script = """keep(6); read(0); answer(200, { have: 6, outcomes: [] });
        const restored = numbers(read(4));
        answer(409, { code: "kept_gap", have: 3 });
        const gap = numbers(read(3));
        read(6);
        device.now += 49 * 3_600_000;
        keep(1, "note", { at: device.now });
        read(6);
        return [restored, gap, states(), numbers(read(5)), numbers(read(5))];"""
    again = ["6 struck", "7 note"]
    assert played(page, script) == [["5 note", "6 note"], ["4 note", "5 note", "6 note"], "tried", again, again]


def test_an_act_that_a_person_has_to_decide_is_known_though_the_answer_is_lost(page: Page) -> None:
    script = """keep(3); read(0); answer(0);
        read(3, [{ n: 2, outcome: "differs", code: "other_result", text: "No." }, { n: 3, outcome: "done", code: "" }]);
        const open = [states(), device.state.acts[1].text];
        read(3);
        return [...open, states()];"""
    assert played(page, script) == ["sent open sent", "No.", "sent sent sent"]


def test_a_request_is_never_too_large(page: Page) -> None:
    script = """keep(20, "note", { fields: { text: "🎲".repeat(900) }, label: "🎲".repeat(130) });
        const [{ acts, left }] = read(0);
        const bytes = new TextEncoder().encode(JSON.stringify(acts.map(outbox.onWire))).length;
        return [bytes < 31_000, acts.length + left, [...acts[0].label].length];"""
    assert played(page, script) == [True, 20, 120]


def test_an_act_has_what_its_reader_saw_only_if_its_page_said_so(page: Page) -> None:
    script = """keep(1, "start", { saw: { length: 7 } });
        keep(1, "start", { saw: undefined });
        device.take({ type: "strike", n: 1 });
        keep(1, "start", { saw: { length: 7 } });
        return read(0)[0].acts.map(outbox.onWire).map((act) => ("saw" in act ? act.saw : act.action));"""
    assert played(page, script) == ["struck", "start", {"length": 7}]


def test_every_act_arrives_once_and_in_order_whatever_happens_in_an_evening(page: Page) -> None:
    """Lost requests and answers, acts taken back before and after they left, a server restored from backups."""
    assert page.evaluate("(many) => walk.evenings(many)", EVENINGS) == []


def test_tabs_that_keep_at_once_give_each_act_a_number_of_its_own(page: Page) -> None:
    other = page.context.new_page()
    other.goto(page.url)
    with_outbox(other)
    many = 30
    numbers = page.evaluate(KEEP, 1)
    other.wait_for_function("() => box.acts().length === 1")
    page.evaluate(f"() => {{ window.kept = ({KEEP})({many}); }}")
    numbers += [*other.evaluate(KEEP, many), *page.evaluate("kept")]
    assert sorted(numbers) == list(range(1, 2 * many + 2))
    page.wait_for_function("(many) => box.acts().length === many && box.unsent().length === many", arg=2 * many + 1)
    assert page.evaluate("box.key") == other.evaluate("box.key")
    assert page.evaluate("localStorage.length") == 0


def test_wiping_leaves_nothing_of_the_reader(page: Page) -> None:
    """Nothing comes back with what was under way, and the acts of others stay."""
    assert page.evaluate(KEEP, 3) == [1, 2, 3]
    page.evaluate("async (options) => { window.other = await outbox.openOutbox(options); }", {**BOX, "reader": "8"})
    page.evaluate("other.keep({ action: 'note', fields: { text: 'y' } })")
    page.evaluate("outbox.putData('7', 'tournament:1', { names: ['Bob'] })")
    assert [row["count"] for row in page.evaluate("outbox.boxesHere()")] == [3, 1]
    page.evaluate("outbox.wipe('7')")
    page.evaluate("box.strike(1)")
    assert [(row["reader"], row["count"]) for row in page.evaluate("outbox.boxesHere()")] == [("8", 1)]
    assert page.evaluate("outbox.getData('7', 'tournament:1')") is None
    assert page.evaluate("box.acts()") == []
