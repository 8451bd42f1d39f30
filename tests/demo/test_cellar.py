"""Evenings in a cellar through the services: nothing kept is lost or done twice, and each broken rule is noticed."""

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from typing import Any

import pytest
from django.core.management import call_command
from django.db import transaction

from demo.cellar import simulate_cellar
from demo.management.commands import simulate_evening
from players.kept import outboxes
from players.kept.acts import SentAct
from players.models import KeptAct, Outbox
from tournaments.floor import calls
from tournaments.floor.kept import rules
from tournaments.models import Tournament

pytestmark = [pytest.mark.django_db, pytest.mark.slow]


def test_nothing_that_was_kept_is_lost_or_done_twice() -> None:
    report = simulate_cellar(6)
    assert report.findings == []
    assert min(report.counts[name] for name in ("acts", "killed", "done", "already", "compared")) > 0
    assert Tournament.objects.count() == 0


def done_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Do acts again that have arrived."""
    receive = outboxes.receive

    def twice(box: outboxes.OutboxKey, acts: Sequence[SentAct], *arguments: Any) -> Outbox:
        KeptAct.objects.filter(outbox__key=box.key, number__gte=acts[0].number).delete()
        Outbox.objects.filter(key=box.key).update(have=acts[0].number - 1)
        return receive(box, acts, *arguments)

    monkeypatch.setattr(outboxes, "receive", twice)


def acknowledged_early(monkeypatch: pytest.MonkeyPatch) -> None:
    """Count acts as arrived in a transaction of its own, before they are stored."""

    def early(box: outboxes.OutboxKey, acts: Sequence[SentAct], sending: Any, arrive: Any, now: Any) -> Outbox:
        row = outboxes._locked(box) or outboxes._begun(box, sending.by, sending, now)
        for act in acts:
            row.refresh_from_db()
            if act.number == row.have + 1:
                Outbox.objects.filter(pk=row.pk).update(have=act.number)
                with transaction.atomic():
                    outboxes._store(row, act, sending, arrive, now)
        return row

    monkeypatch.setattr(outboxes, "receive", early)


def overwritten(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let kept results replace those that stand."""
    monkeypatch.setattr(rules, "standing_result", lambda _match: None)


def not_held(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the autopilot call while acts arrive."""
    monkeypatch.setattr(calls, "desk_waited_for", lambda _event, _now: None)


@pytest.mark.parametrize(
    ("plant", "seed", "finding"),
    [
        (done_again, 6, "a repeated act was done again"),
        (acknowledged_early, 6, "kept acts are lost"),
        (overwritten, 6, "a kept act replaced a result"),
        (not_held, 10, "the autopilot has called while acts were arriving"),
    ],
)
def test_a_broken_rule_is_noticed(
    plant: Callable[[pytest.MonkeyPatch], None], seed: int, finding: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    plant(monkeypatch)
    assert any(finding in found for found in simulate_cellar(seed).findings)


def test_the_command_says_how_to_repeat_an_evening(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    overwritten(monkeypatch)
    monkeypatch.setattr(simulate_evening, "scratch_database", nullcontext)
    with pytest.raises(SystemExit):
        call_command("simulate_evening", cellar=6, events=1)
    assert "Repeat with ./manage.py simulate_evening --cellar 6 --events 1" in capsys.readouterr().out
