"""The rules in words: every language says the same, in its own words and always the same words."""

from __future__ import annotations

import csv
import re
from collections import Counter
from importlib.resources import files
from pathlib import Path

import pytest

from engine.players import DEFAULT_LEVEL
from engine.rules import (
    COPIES,
    FACE_POINTS,
    HIGH_ACE_POINTS,
    JOKER_CHOICES,
    JOKER_POINTS,
    LAST_TURN,
    MAX_SEATS,
    MAX_TURN_SECONDS,
    MIN_SEATS,
    MIN_TURN_SECONDS,
    ROUNDS,
    WILD_POINTS,
    AceMode,
    hand_size,
)
from engine.seats import Level
from service.http.rulebook import LANGUAGES, Rulebook, Section, rulebook
from service.http.schemas.options import GameRequest
from service.http.schemas.requests import DiscardRequest

ENGLISH = LANGUAGES[0]
FIGURE = r"\d+"
CODE = r"`[^`]+`"
PART = r"^(?:#+ |- |\d\. |\|)"
"""The beginning of a heading, an item or a row."""
with (Path(__file__).parents[1] / "data/rules_glossary.csv").open(encoding="utf-8") as lines:
    TABLE = {row["term"]: row for row in csv.DictReader(lines)}
"""By term of the game, or `not` and a term: by language its word or the beginning of it, or a
pattern of the words that would be a second one for it."""
each_language = pytest.mark.parametrize("language", LANGUAGES)
each_translation = pytest.mark.parametrize("language", LANGUAGES[1:])


def by_id(language: str) -> dict[str, Section]:
    return {section.id: section for section in rulebook(language).sections}


def whole(language: str) -> str:
    return rulebook(language).markdown.lower()


def found(pattern: str, language: str) -> dict[str, Counter[str]]:
    """How often a section has each text that fits a pattern, by the section's id."""
    return {
        name: Counter(re.findall(pattern, f"{section.title}\n{section.text}", re.MULTILINE))
        for name, section in by_id(language).items()
    }


def words_of(language: str) -> dict[str, str]:
    """The word of a language for each term, in small letters."""
    terms = {term: row for term, row in TABLE.items() if not term.startswith("not ")}
    return {term: row[language].lower() for term, row in terms.items()}


def figures(language: str, section: str) -> set[int]:
    return set(map(int, found(FIGURE, language)[section]))


def rows(language: str, section: str) -> list[list[str]]:
    """The cells of a section's table, without its head."""
    lines = re.findall(r"^\| (.+) \|$", by_id(language)[section].text, re.MULTILINE)
    return [line.split(" | ") for line in lines[2:]]


def test_every_file_is_a_language() -> None:
    names = [each.name for each in (files("service.http") / "rules").iterdir()]
    assert sorted(names) == sorted(f"{language}.md" for language in LANGUAGES)


@each_translation
def test_a_translation_has_the_sections_of_the_english_rules(language: str) -> None:
    assert list(by_id(language)) == list(by_id(ENGLISH))
    titles = [section.title for section in rulebook(language).sections]
    assert len(set(titles)) == len(titles)
    assert rulebook(language).title != rulebook(ENGLISH).title


@each_translation
@pytest.mark.parametrize("pattern", [FIGURE, CODE, PART], ids=["figures", "options", "parts"])
def test_a_translation_has_the_figures_options_and_parts_of_the_english_rules(
    language: str, pattern: str
) -> None:
    assert found(pattern, language) == found(pattern, ENGLISH)


@each_language
def test_every_option_of_a_game_is_named_and_explained(language: str) -> None:
    named = set(found(CODE, language)["options"]) | set(found(CODE, language)["fairness"])
    options = {*GameRequest().fields, *DiscardRequest().fields} - {"card"}
    values = {*map(str, JOKER_CHOICES), *AceMode, *Level, "human", "ai", "level"}
    assert {f"`{name}`" for name in options | values} <= named
    assert re.search(rf"`{DEFAULT_LEVEL}` \(", by_id(language)["options"].text)


@each_language
def test_the_options_are_parted_into_classic_ones_and_those_beyond(language: str) -> None:
    _, classic, beyond = re.split("^### .+$", by_id(language)["options"].text, flags=re.MULTILINE)
    assert re.findall(r"^- `(\w+)`", classic, re.MULTILINE) == ["jokers", "aces"]
    assert "`both`" not in classic
    assert re.findall(r"^- `(\w+)`", beyond, re.MULTILINE) == [
        *("aces", "seats", "level", "rounds", "hints", "turn_seconds", "go_out"),
    ]


@each_language
def test_the_figures_are_those_of_the_engine(language: str) -> None:
    dealt = rows(language, "deal")
    assert [row[:2] for row in dealt] == [
        [str(number), str(hand_size(number))] for number in range(1, ROUNDS + 1)
    ]
    assert [row[2] for row in dealt[:8]] == [row[1] for row in dealt[:8]]
    assert [row[1] for row in rows(language, "scoring")[1:]] == [
        str(points) for points in (FACE_POINTS, 1, HIGH_ACE_POINTS, WILD_POINTS, JOKER_POINTS)
    ]
    assert figures(language, "stalled-round") == {LAST_TURN + 1}
    outside = 52 * COPIES - MAX_SEATS * hand_size(ROUNDS) - 1
    assert figures(language, "empty-stock") == {MAX_SEATS, outside}
    options = figures(language, "options")
    assert {MIN_SEATS, MAX_SEATS, ROUNDS, MIN_TURN_SECONDS, MAX_TURN_SECONDS} <= options


@each_language
def test_every_term_has_its_word_and_no_word_is_that_of_two_terms(language: str) -> None:
    words = words_of(language)
    assert len(set(words.values())) == len(words)
    assert [word for word in words.values() if word not in whole(language)] == []


@each_language
def test_no_term_has_a_second_word(language: str) -> None:
    for term, row in TABLE.items():
        if term.startswith("not "):
            assert re.findall(row[language], whole(language), re.IGNORECASE) == [], term


@each_language
def test_a_round_and_a_turn_are_not_called_alike(language: str) -> None:
    a_round, a_turn = words_of(language)["round"], words_of(language)["turn"]
    sections = {
        name: (section.title.lower(), section.text.lower())
        for name, section in by_id(language).items()
    }
    title, _ = sections["turn"]
    assert a_turn in title
    assert a_round not in title
    assert f"| {a_round} |" in sections["deal"][1]
    _, stalled = sections["stalled-round"]
    assert a_round in stalled
    assert a_turn in stalled


@each_language
def test_the_word_for_colour_only_says_that_a_suit_is_none(language: str) -> None:
    words = words_of(language)
    (sentence,) = re.findall(rf"[^.।]*\b{words['colour']}\b[^.।]*", whole(language))
    assert words["suit"] in sentence


@each_language
def test_a_joker_is_told_from_a_card_of_the_wild_rank(language: str) -> None:
    words, first = words_of(language), by_id(language)["wilds"].text.lower().splitlines()[0]
    assert all(words[term] in first for term in ("wild", "wild rank", "joker", "round"))


@each_language
def test_the_markdown_is_one_document_without_the_ids(language: str) -> None:
    rules = rulebook(language)
    assert rules.markdown.startswith(f"# {rules.title}\n\n## {rules.sections[0].title}\n\n")
    assert "{#" not in rules.markdown
    headings = re.findall("^## (.+)$", rules.markdown, re.MULTILINE)
    assert headings == [section.title for section in rules.sections]
    assert all(section.text in rules.markdown for section in rules.sections)


def test_a_file_is_read_into_title_and_sections() -> None:
    text = "# Title\n\n## One {#one}\n\nText.\n\n### More\n\n- a\n\n## Two {#the-two}\n\nEnd.\n"
    assert Rulebook.parse("en", text) == Rulebook(
        "en",
        "Title",
        (Section("one", "One", "Text.\n\n### More\n\n- a"), Section("the-two", "Two", "End.")),
    )
