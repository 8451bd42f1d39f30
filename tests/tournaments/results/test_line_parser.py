"""Results in one line: what may be typed, and what is said about everything else."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from engine.errors import Refused
from tournaments.refusals import MESSAGES
from tournaments.results.lines import TypedLine, Verb, parse, result_of_two, side_of, split

PLAYERS = ("Quinn Olsen", "Uma Levermann")


@pytest.mark.parametrize(
    "text", ["m22 11-7", "M22 11–7", "  m22   11 - 7 ", "m 22 11:7", "m22 11/7", "m22 11 7", "m22 11−7"]
)
def test_a_score_is_read_however_it_is_typed(text: str) -> None:
    assert parse(text) == TypedLine(Verb.SCORE, 22, score=(11, 7))


def test_the_score_is_in_the_order_of_the_fixture() -> None:
    assert parse("m22 7-11") == TypedLine(Verb.SCORE, 22, score=(7, 11))


@pytest.mark.parametrize("word", ["forfeit", "FORFEIT", "forfeits", "ff", "wo", "w/o"])
def test_a_forfeit_names_who_gives_up(word: str) -> None:
    assert parse(f"m22 {word} olsen") == TypedLine(Verb.FORFEIT, 22, ("olsen",))


def test_both_may_forfeit() -> None:
    assert parse("m22 forfeit BOTH") == TypedLine(Verb.FORFEIT, 22, ("BOTH",))


def test_the_division_may_stand_first() -> None:
    assert parse("open m3 5-7") == TypedLine(Verb.SCORE, 3, score=(5, 7), division="open")
    assert parse("over 60 m3 5-7") == TypedLine(Verb.SCORE, 3, score=(5, 7), division="over 60")


@pytest.mark.parametrize("text", ["bob 7-4", "bob 7 4", " Bob  7 : 4"])
def test_a_single_name_has_the_first_points(text: str) -> None:
    line = parse(text)
    assert (line.verb, line.number, line.names[0].lower(), line.score) == (Verb.SCORE, None, "bob", (7, 4))


@pytest.mark.parametrize("text", ["anna berg 7 carol 4", "anna berg 7, carol 4", "anna berg 7 - carol 4"])
def test_two_names_have_points_each(text: str) -> None:
    assert parse(text) == TypedLine(Verb.SCORE, names=("anna berg", "carol"), score=(7, 4))


@pytest.mark.parametrize(
    "text",
    [
        "Anna Berg - Carol Ito 7-4",
        "Anna Berg – Carol Ito: 7:4",
        "Anna Berg -Carol Ito 7-4.",
        "Anna Berg : Carol Ito 7 : 4",
        "*Anna Berg* vs. Carol Ito 7-4 👏",
        "Anna Berg gegen Carol Ito 7 zu 4",
        "> 1. Anna Berg b. Carol Ito 7-4!",
        "- Anna Berg def. Carol Ito 7-4",
        "Anna Berg schlägt Carol Ito 7:4",
        "Anna Berg gewinnt 7:4 gegen Carol Ito",
        "Anna Berg 7 – 4 Carol Ito",
        "Anna Berg 7 – Carol Ito 4",
        "Anna Berg – Carol Ito 7-4 🎈🎈",
        "Anna Berg (7) – Carol Ito (4)",
        "21:03 Eva: Anna Berg, Carol Ito 7-4",
    ],
)
def test_a_result_is_read_as_people_write_it(text: str) -> None:
    line = result_of_two(text)
    assert line is not None
    assert (line.names, line.score, line.value) == (("Anna Berg", "Carol Ito"), (7, 4), "")


@pytest.mark.parametrize("text", ["Bob lost to Maria B. Sanchez 4-7", "Bob verliert gegen Maria B. Sanchez 7:4"])
def test_who_lost_has_fewer_points(text: str) -> None:
    line = result_of_two(text)
    assert line is not None
    assert (line.names, line.score) == (("Bob", "Maria B. Sanchez"), (4, 7))


def test_the_round_may_stand_before_a_result() -> None:
    assert parse("Final: Ann 9 - 8 Bob") == TypedLine(Verb.SCORE, names=("Ann", "Bob"), score=(9, 8), value="Final")


@pytest.mark.parametrize(
    "text", ["Ann Bob 7-4", "Ann - Bob 7-4 ?", "Ann - Bob - Carol 7-4", "m3 Ann - Bob", "t5 7-4", "bob 7-4"]
)
def test_who_played_is_not_guessed(text: str) -> None:
    assert result_of_two(text) is None


@pytest.mark.parametrize("text", ["bob forfeit", "forfeit bob", "bob w/o", "FF bob"])
def test_a_forfeit_may_name_the_player_alone(text: str) -> None:
    assert parse(text) == TypedLine(Verb.FORFEIT, names=("bob",))


def test_undo_and_help_are_commands() -> None:
    assert [parse(text) for text in ("undo", "UNDO", "?", "help")] == [
        *[TypedLine(Verb.UNDO)] * 2,
        *[TypedLine(Verb.HELP)] * 2,
    ]


def test_lines_are_apart_by_semicolons_and_line_breaks() -> None:
    assert split("m1 7-3;; m2 7-5\r\n\n m3  0-7 ;") == ["m1 7-3", "m2 7-5", "m3 0-7"]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "line_empty"),
        ("   ", "line_empty"),
        ("11-7", "line_without_match"),
        ("olsen wins", "line_without_match"),
        ("m22", "line_without_result"),
        ("m22 eleven-seven", "line_without_result"),
        ("m22 11", "line_without_result"),
        ("m22 11-7-3", "line_without_result"),
        ("m22 7-7", "line_draw"),
        ("Ann b. Bob 4-7", "line_contradiction"),
        ("Ann - Bob 7-4 and Carol", "line_without_match"),
        ("Ann beat Bob 7-4 or so", "line_without_match"),
        ("m22 forfeit", "line_forfeit_who"),
        ("m9999999 3-1", "line_without_match"),
        ("x" * 201, "quick_line_too_long"),
    ],
)
def test_what_cannot_be_read_is_explained(text: str, code: str) -> None:
    with pytest.raises(Refused) as refused:
        parse(text)
    assert refused.value.code == code
    assert MESSAGES[code].format_map(refused.value.params)


@pytest.mark.parametrize(("name", "side"), [("olsen", 0), ("Quinn Olsen", 0), ("LEVER", 1), ("uma", 1)])
def test_a_part_of_a_name_is_enough(name: str, side: int) -> None:
    assert side_of(name, PLAYERS) == side


def test_a_full_name_takes_precedence_over_a_part_of_a_name() -> None:
    assert side_of("Ann", ("Anna Berg", "Ann")) == 1


@pytest.mark.parametrize(("name", "code"), [("smith", "line_forfeit_nobody"), ("n", "line_forfeit_two")])
def test_a_name_that_means_nobody_or_both_is_refused(name: str, code: str) -> None:
    with pytest.raises(Refused) as refused:
        side_of(name, PLAYERS)
    assert refused.value.code == code


def test_accents_and_other_scripts_match() -> None:
    assert side_of("soren", ("Søren Ægir", "花子")) == 0
    assert side_of("花", ("Søren Ægir", "花子")) == 1


@given(
    st.integers(0, 9999), st.integers(0, 9999), st.integers(0, 9999), st.sampled_from("-–—−:/ "), st.sampled_from("mM")
)
def test_every_score_is_read_back(fixture: int, left: int, right: int, between: str, letter: str) -> None:
    text = f"{letter}{fixture} {left}{between}{right}"
    if left == right:
        with pytest.raises(Refused):
            parse(text)
    else:
        assert parse(text) == TypedLine(Verb.SCORE, fixture, score=(left, right))


@given(st.text(max_size=260))
@example("m1 1-\x00")
@example("m١ 1-0")
@example("m m m1 ff ff")
def test_no_text_does_anything_but_parse_or_be_refused_with_a_sentence(text: str) -> None:
    assert outcome_or_refusal(text)


def outcome_or_refusal(text: str) -> str:
    """The line as it was understood, or the sentence of its refusal."""
    try:
        return repr(parse(text))
    except Refused as refused:
        return MESSAGES[refused.code].format_map(refused.params)
