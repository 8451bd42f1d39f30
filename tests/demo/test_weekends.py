"""Simulated weekends: nobody is at two tables, every list starts once, and the money adds up; faults are found."""

import json
from contextlib import nullcontext
from typing import Any

import pytest
from django.core.management import call_command

from demo.management.commands import simulate_weekend as command
from demo.weekends import FAULTS, WeekendReport, simulate_weekend
from tests.tiers import TEST_SEED, TIER
from tournaments.ledger import accounts
from tournaments.ledger.money import Fees
from tournaments.ledger.sides import halves
from tournaments.models import Tournament

pytestmark = [pytest.mark.slow, pytest.mark.django_db]
SIZE: dict[str, Any] = {"people": 16, "tables": 4}


def faults(report: WeekendReport) -> dict[str, int]:
    """The figures that should be 0 and are not."""
    return {name: getattr(report, name) for name in FAULTS if getattr(report, name)}


@pytest.mark.soak
@pytest.mark.parametrize("number", range(TIER.weekends))
def test_a_weekend_calls_nobody_twice_starts_every_list_once_and_its_money_adds_up(number: int) -> None:
    report = simulate_weekend(seed=TEST_SEED + number, hold=15 * (number % 2), **SIZE)
    assert not faults(report), report.findings
    assert report.counts["matches"] > 40
    assert Tournament.objects.count() == 0


def test_the_command_reports_and_fails_where_pairs_are_entered_as_one_player(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(command, "scratch_database", nullcontext)
    with pytest.raises(SystemExit):
        call_command("simulate_weekend", seed=7, as_one=True, json=True, **SIZE)
    figures = json.loads(capsys.readouterr().out)
    assert figures["double_calls"] > 0
    assert figures["weekends"] == 1
    assert figures["ends"].keys() == figures["waits"].keys() >= {"Main", "Doubles", "Jackpot 25"}


def test_faults_of_the_services_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    # The odd unit for the second of a pair, and nothing kept by the club.
    monkeypatch.setattr(accounts, "halves", lambda amount, people=2: halves(amount, people)[::-1])
    monkeypatch.setattr(Fees, "kept_of_all", lambda *_of: 0)
    found = faults(simulate_weekend(seed=7, **SIZE))
    assert found.keys() >= {"wrong_halves", "wrong_sums"}
