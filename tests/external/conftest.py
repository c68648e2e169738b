"""Fixtures for the tests that need a program from outside Python."""

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from tests.external.deploy import installed
from tests.system.launch import Launch

_OPTIONS = (
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-gpu",
    "--disable-quic",
    "--disable-sync",
    (
        "--host-resolver-rules=MAP app.example 127.0.0.1, MAP * ~NOTFOUND, "
        "EXCLUDE 127.0.0.1, EXCLUDE localhost"
    ),
    "--no-first-run",
    "--no-sandbox",  # which root cannot use
)


@pytest.fixture
def service_url(tmp_path: Path) -> Iterator[str]:
    """The address of a service that runs for one test."""
    with Launch(tmp_path) as service:
        yield service.url()


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of this tree."""
    return installed.build(tmp_path_factory.mktemp("tree"), tmp_path_factory.mktemp("out"))


@pytest.fixture(scope="session")
def command(wheel: Path) -> Iterator[Path]:
    """The command of an environment with the wheel, which any user may run."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield installed.install(wheel, Path(folder))


@pytest.fixture
def browser() -> Iterator[Browser]:
    """The system's Chromium.

    No outside name exists for it; `app.example` is a name of this machine that the service does
    not know.
    """
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    assert chromium, "these tests need Chromium; Debian: apt install chromium"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=list(_OPTIONS))
        yield browser
        browser.close()


@pytest.fixture
def page(browser: Browser) -> Page:
    """An empty page of it."""
    return browser.new_page()
