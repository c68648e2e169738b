"""The images of the cards in a browser: by themselves, small and large, side by side."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page

from service.http.card_images.images import IMAGE_CODES

_INDEXED = [code for code in IMAGE_CODES if code not in ("JK", "back")]
_LOADED = """async ([path, width]) => {
    const image = new Image();
    image.src = path;
    await image.decode();
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [width, width * 1.4];
    const context = canvas.getContext("2d");
    context.drawImage(image, 0, 0, canvas.width, canvas.height);
    const pixels = context.getImageData(0, 0, canvas.width, canvas.height).data;
    const dark = (x, y) => pixels[4 * (y * canvas.width + x) + 1] < 140;
    let rightmost = 0;
    for (let y = Math.ceil(width / 14); y < width * 0.76; y++)
        for (let x = 2; x < width * 0.42; x++) if (dark(x, y)) rightmost = Math.max(rightmost, x);
    return {size: [image.naturalWidth, image.naturalHeight], rightmost: rightmost / width};
}"""
"""Draws an image at a width; tells its own size, and how far to the right its index reaches."""


@pytest.fixture
def complaints(page: Page) -> Iterator[list[str]]:
    """What the browser complains of during the test: nothing."""
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("requestfailed", lambda request: said.append(request.url))
    yield said
    assert said == []


@pytest.mark.usefixtures("complaints")
def test_an_image_shows_when_it_is_opened_by_itself(page: Page, service_url: str) -> None:
    answer = page.goto(f"{service_url}/v1/cards/QH.svg?colours=4")
    assert answer is not None
    fills = page.evaluate(
        "[...document.querySelectorAll('path')].map(path => getComputedStyle(path).fill)"
    )

    assert "'none'" in answer.headers["content-security-policy"]
    assert page.evaluate("document.querySelector('title').textContent") == "Queen of hearts"
    assert {"rgb(200, 16, 46)", "rgb(244, 185, 58)"} <= set(fills)


@pytest.mark.usefixtures("complaints")
@pytest.mark.parametrize("width", [40, 56, 400])
def test_an_index_is_seen_in_the_left_two_fifths(page: Page, service_url: str, width: int) -> None:
    page.goto(f"{service_url}/v1/docs")
    for code in _INDEXED:
        seen = page.evaluate(_LOADED, [f"{service_url}/v1/cards/{code}.svg", width])

        assert seen["size"] == [250, 350], code
        assert 0.2 < seen["rightmost"] < 0.4, code


@pytest.mark.usefixtures("complaints")
def test_many_images_stand_in_one_page(page: Page, service_url: str) -> None:
    page.goto(f"{service_url}/v1/docs")
    texts = [
        page.evaluate(
            "async path => (await fetch(path)).text()", f"{service_url}/v1/cards/{code}.svg"
        )
        for code in ("QH", "QH", "JK", "back")
    ]
    page.set_content("".join(texts))

    assert page.get_by_role("img").count() == 4
    assert page.get_by_role("img", name="Queen of hearts").count() == 2
    assert page.get_by_role("img", name="Joker").count() == 1
