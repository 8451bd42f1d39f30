"""The drawing of a board matches the position, from either side."""

import re

import pytest

from engine import Position
from matches.records.board import BAR_X, COLOURS, MAX_SHOWN, MIDDLE, TOP, Diagram, Scene, draw, point_x

NAMES = ("Bob", "Carol")
START = Position.start()


def drawn(position: Position = START, side: int = 0, **more: object) -> Scene:
    return draw(Diagram(position, side, NAMES, **more))  # type: ignore[arg-type]


def on(scene: Scene, point: int) -> list[str]:
    """The colours of the checkers on a point, from the edge inwards."""
    half = [c for c in scene.checkers if c.x == point_x(point) and (c.y > MIDDLE) == (point <= 12)]
    return [c.colour for c in sorted(half, key=lambda c: abs(c.y - MIDDLE), reverse=True)]


def test_each_player_begins_with_fifteen_checkers_of_one_colour() -> None:
    colours = [checker.colour for checker in drawn().checkers]
    assert {colour: colours.count(colour) for colour in COLOURS} == {"white": 15, "black": 15}


def test_white_at_the_bottom_has_the_home_board_at_the_bottom_right() -> None:
    scene = drawn()
    assert on(scene, 6) == ["white"] * 5
    assert on(scene, 24) == ["white"] * 2
    assert on(scene, 1) == ["black"] * 2
    assert point_x(1) > point_x(6) > BAR_X > point_x(7) > point_x(12)
    assert point_x(13) == point_x(12)
    assert point_x(24) == point_x(1)


def test_the_same_board_from_the_other_side_has_the_colours_changed() -> None:
    scene = drawn(bottom=1)
    assert on(scene, 6) == ["black"] * 5
    assert on(scene, 1) == ["white"] * 2


def test_a_position_seen_by_black_is_turned_for_white() -> None:
    moved = Position.from_counts([0, -2, 0, 0, 0, 0, 5, 0, 3, 0, 0, 0, -5, 5, 0, 0, 0, -3, 0, -5, 0, 0, 0, 0, 1, 1])
    scene = drawn(moved, side=1)
    assert [c.colour for c in scene.checkers if c.x == BAR_X] == ["black"]
    assert on(scene, 1) == ["black"]


def test_a_stack_of_more_than_five_checkers_shows_its_number() -> None:
    scene = drawn(Position.from_counts([-15, *[0] * 5, 9, 6, *[0] * 18]))
    labels = {(checker.colour, checker.label) for checker in scene.checkers if checker.label}
    assert labels == {("white", "9"), ("white", "6"), ("black", "15")}
    assert len(on(scene, 6)) == MAX_SHOWN


def test_checkers_borne_off_lie_in_their_owners_tray() -> None:
    scene = drawn(Position.from_counts([0, 3, *[0] * 22, -1, 0]))
    lower = [slab.colour for slab in scene.slabs if slab.y > MIDDLE]
    upper = [slab.colour for slab in scene.slabs if slab.y < MIDDLE]
    assert lower == ["white"] * 12
    assert upper == ["black"] * 14


def test_a_play_is_marked_at_the_start_and_end_of_each_checker() -> None:
    scene = drawn(dice=(3, 1), paths=((8, 5), (6, 5)))
    assert sorted(spot.x for spot in scene.starts) == sorted([point_x(8), point_x(6)])
    assert {spot.x for spot in scene.ends} == {point_x(5)}
    assert len({spot.y for spot in scene.ends}) == 2
    assert len(scene.arrows) == 2


def test_a_play_of_the_top_player_is_marked_on_their_side() -> None:
    scene = drawn(side=1, dice=(3, 1), paths=((8, 5), (6, 5)))
    assert {spot.x for spot in scene.ends} == {point_x(20)}
    assert all(spot.y < MIDDLE for spot in scene.ends)
    assert all(spot.y > TOP for spot in scene.ends)


def test_bearing_off_points_to_the_tray_without_an_end_mark() -> None:
    scene = drawn(Position.from_counts([0, *[0] * 5, 2, *[0] * 17, -2, 0]), dice=(6, 6), paths=((6, 0), (6, 0)))
    assert len(scene.starts) == len(scene.arrows) == 2
    assert scene.ends == ()


def test_an_illegal_play_with_a_checker_that_is_not_there_can_still_be_drawn() -> None:
    scene = drawn(dice=(2, 1), paths=((25, 23), (6, 5)), tried=True)
    assert len(scene.arrows) == 1
    assert scene.tried


@pytest.mark.parametrize(("owner", "lower"), [(0, True), (1, False)])
def test_the_cube_lies_with_its_owner(owner: int, lower: bool) -> None:
    cube = drawn(cube=4, cube_owner=owner).cube
    assert cube is not None
    assert cube.text == "4"
    assert (cube.side_y > MIDDLE) == (cube.bar_y > MIDDLE) == lower


def test_a_centred_cube_shows_sixty_four_and_is_dimmed_in_the_crawford_game() -> None:
    cube, crawford = drawn().cube, drawn(cube_in_play=False).cube
    assert cube is not None
    assert crawford is not None
    assert (cube.text, cube.side_y, cube.dimmed) == ("64", MIDDLE, False)
    assert crawford.dimmed


def test_an_offered_cube_lies_before_the_player_who_must_answer() -> None:
    scene = drawn(side=1, cube=2, offered=True)
    assert scene.cube is None
    assert scene.offered is not None
    assert scene.offered.label == "4"
    assert scene.offered.x > BAR_X


def test_the_board_has_a_description_for_screen_readers() -> None:
    words = drawn(dice=(3, 1)).description
    assert words.startswith("Bob, White: 2 on the 24 point, 5 on the 13 point, 3 on the 8 point, 5 on the 6 point.")
    assert "Carol, Black: 2 on the 24 point" in words
    assert words.endswith("The cube is centred. Bob to play 3-1.")


def test_every_legal_colour_has_its_shapes_in_the_definitions() -> None:
    from django.template.loader import render_to_string

    defs = render_to_string("matches/records/_board_defs.html")
    board = render_to_string("matches/records/_board.html", {"scene": drawn(dice=(3, 1), paths=((8, 5), (6, 5)))})
    used = set(re.findall(r'(?:href="|url\()#([\w-]+)', board))
    assert "checker-white" in used
    assert used <= set(re.findall(r'id="([\w-]+)"', defs))
