"""The images of the cards as they are drawn: whole, small, alike in form, readable."""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

import pytest

from service.errors import CardImageNotFoundError
from service.http.card_images.images import IMAGE_CODES, card_image

SVG = "{http://www.w3.org/2000/svg}"
MAX_BYTES = 6 * 1024
RANKS = {
    "A": "Ace",
    "2": "Two",
    "3": "Three",
    "4": "Four",
    "5": "Five",
    "6": "Six",
    "7": "Seven",
    "8": "Eight",
    "9": "Nine",
    "T": "Ten",
    "J": "Jack",
    "Q": "Queen",
    "K": "King",
}
SUITS = {"C": "clubs", "D": "diamonds", "H": "hearts", "S": "spades"}
TITLES = {rank + suit: f"{RANKS[rank]} of {SUITS[suit]}" for rank in RANKS for suit in SUITS} | {
    "JK": "Joker",
    "back": "Back of a card",
}
ELEMENTS = {"title", "rect", "path"}
ATTRIBUTES = {
    *("fill", "stroke", "stroke-width", "stroke-linecap", "stroke-linejoin", "vector-effect"),
    *("transform", "d", "x", "y", "width", "height", "rx"),
}
PRINTED = {"#f4b93a", "#fdebcb", "#ffffff", "#d6336c"}
"""What no index is printed with: gold, skin, paper, the nose of the joker."""
each_code = pytest.mark.parametrize("code", TITLES)
each_variant = pytest.mark.parametrize("colours", [2, 4])


def drawn(code: str, colours: int) -> ET.Element:
    return ET.fromstring(card_image(code, colours).svg)


def inks(code: str, colours: int) -> set[str]:
    """The colours of what a card says: of its index, of its suit, of the lines of its figure."""
    shapes = drawn(code, colours).findall(f"{SVG}path")
    used = {shape.get(name, "none") for shape in shapes for name in ("fill", "stroke")}
    return used - PRINTED - {"none"}


def luminance(colour: str) -> float:
    """The relative luminance of a colour (WCAG 2.2)."""
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    """The contrast ratio of two colours (WCAG 2.2), 1 to 21."""
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def test_every_card_the_joker_and_the_back_have_an_image() -> None:
    assert len(TITLES) == 54
    assert set(IMAGE_CODES) == set(TITLES)


@pytest.mark.parametrize("code", ["8h", "JOKER", "jk", "Back", "10S", "1J", "", " 8H", "8H "])
def test_nothing_else_has_one(code: str) -> None:
    with pytest.raises(CardImageNotFoundError, match=re.escape(repr(code))):
        card_image(code, 2)


@each_variant
@each_code
def test_an_image_is_named_in_words_and_has_the_form_of_a_card(code: str, colours: int) -> None:
    root = drawn(code, colours)

    assert root.tag == f"{SVG}svg"
    assert root.attrib == {
        "width": "250",
        "height": "350",
        "viewBox": "0 0 250 350",
        "role": "img",
    }
    assert [child.tag for child in root].index(f"{SVG}title") == 0
    assert root.findtext(f"{SVG}title") == TITLES[code]


@each_variant
@each_code
def test_an_image_is_small(code: str, colours: int) -> None:
    assert len(card_image(code, colours).svg) < MAX_BYTES


@each_variant
@each_code
def test_an_image_is_made_of_shapes_with_presentation_attributes_alone(
    code: str, colours: int
) -> None:
    # So nothing in it is refused by a policy, leads elsewhere, or meets its like in one page.
    below = list(drawn(code, colours).iter())[1:]

    assert {each.tag for each in below} == {SVG + name for name in ELEMENTS}
    assert {name for each in below for name in each.attrib} <= ATTRIBUTES
    values = [value for each in below for value in each.attrib.values()]
    assert all(re.fullmatch(r"[#A-Za-z0-9.,() -]+", value) for value in values)
    assert not any("url" in value for value in values)


@each_variant
def test_no_two_images_are_alike(colours: int) -> None:
    images = [card_image(code, colours) for code in TITLES]

    assert len({image.svg for image in images}) == len(TITLES)
    assert len({image.etag for image in images}) == len(TITLES)


@each_variant
def test_an_image_is_drawn_once(colours: int) -> None:
    assert card_image("QS", colours) is card_image("QS", colours)


@each_variant
@each_code
def test_what_a_card_says_has_contrast_on_its_paper(code: str, colours: int) -> None:
    root = drawn(code, colours)
    paper = root.find(f"{SVG}rect")
    edge = root.findall(f"{SVG}rect")[-1]
    assert paper is not None

    assert contrast(paper.attrib["fill"], edge.attrib["stroke"]) >= 3  # of what has no text
    if code != "back":
        (ink,) = inks(code, colours)
        assert contrast(paper.attrib["fill"], ink) >= 4.5


def test_the_ratio_of_contrast_is_that_of_its_definition() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.478, abs=0.001)


@pytest.mark.parametrize(
    ("colours", "groups"), [(2, ["CS", "DH", "J"]), (4, ["C", "D", "H", "S", "J"])]
)
def test_suits_have_the_same_ink_or_another_as_the_variant_says(
    colours: int, groups: list[str]
) -> None:
    used = []
    for group in groups:
        codes = ["JK"] if group == "J" else [rank + suit for rank in RANKS for suit in group]
        (ink,) = set().union(*(inks(code, colours) for code in codes))
        used.append(ink)

    assert len(set(used)) == len(groups)


def test_four_colours_change_clubs_and_diamonds_alone() -> None:
    changed = {code for code in TITLES if card_image(code, 2) != card_image(code, 4)}

    assert changed == {rank + suit for rank in RANKS for suit in "CD"}
