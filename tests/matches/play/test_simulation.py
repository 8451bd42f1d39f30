"""Whole matches by simulated players through the services."""

import pytest

from matches.play.simulation import is_conserved, play_matches


@pytest.mark.slow
@pytest.mark.django_db
def test_every_simulated_match_is_adjudicated_without_error():
    played = list(play_matches(6, seed=1))
    assert len(played) == 6
    assert sum(match.counts["play"] for match in played) > 100
    for match in played:
        assert match.errors == []
        assert is_conserved(match)
