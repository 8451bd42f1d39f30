"""The outbox of a page does on random evenings what the outbox of the model does (tests/simulation)."""

import pytest

from tests.browser.conftest import OpenPage
from tests.simulation.cellar import Evening

EVENINGS = 300
REPLAY = """async (traces) => {
  const { EMPTY, step } = await import("/static/config/outbox.js");
  const UNDO_WINDOW = 5000;
  const events = {
    keep: (act) => ({ type: "keep", act, now: act.at }),
    strike: (n, { seen, seen_at, at }) => ({ type: "strike", n, seen, seen_at, now: at }),
    batch: (have, open, _sent, now) => {
      return { type: "read", have, open: open.map((n) => ({ n, outcome: "differs", code: "", text: "" })), now };
    },
    answered: (answer, now) => ({ type: "answer", status: 200, now, ...answer }),
  };
  const replay = (trace) => {
    let [state, effects, now] = [EMPTY, [], 0];
    for (const [index, [what, ...values]] of trace.entries()) {
      const expected = values.pop();
      now = Math.max(now, ...state.acts.map((act) => act.at + UNDO_WINDOW));
      [state, effects] = step(state, events[what](...values, now));
      const post = effects.find(({ type }) => type === "post");
      const sent = (post?.acts ?? []).map((act) => act.n);
      const found = state.acts.map((act) => act.state[0]).join("");
      const wanted = what === "batch" ? values[2] : [];
      if (found !== expected || String(sent) !== String(wanted)) return [index, what, found, expected, sent, wanted];
    }
    return null;
  };
  return traces.map(replay);
}"""


@pytest.mark.slow
def test_the_outbox_of_a_page_does_as_the_model_does(open_page: OpenPage, hall: str) -> None:
    page, traces = open_page(f"{hall}/sign-in/"), {}
    for seed in range(1, EVENINGS + 1):
        evening = Evening(seed)
        evening.play()
        traces.update({f"seed {seed}, {device.owner}": device.trace for device in evening.desks})
    replayed = page.evaluate(REPLAY, list(traces.values()))
    assert {name: wrong for name, wrong in zip(traces, replayed, strict=True) if wrong} == {}
    # What the evenings try: acts that were tried, acts that differ, and a server that has fewer than before.
    events = [event for trace in traces.values() for event in trace]
    assert all(any(initial in event[-1] for event in events) for initial in "ktso")
    assert sum(event[0] == "strike" for event in events) > EVENINGS
