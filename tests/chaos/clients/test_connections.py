"""That slow clients stop nobody, in small numbers."""

from __future__ import annotations

import pytest

from tests.chaos.clients.connections import slow_readers, slow_senders


@pytest.mark.trial
@pytest.mark.timing
def test_silent_and_half_sent_requests_stop_nobody_and_are_disconnected() -> None:
    outcome = slow_senders(silent=40, half_sent=42, requests=60, watched=13)

    assert not outcome.violations, outcome.summary


@pytest.mark.trial
@pytest.mark.timing
def test_clients_that_do_not_read_or_do_not_close_stop_nobody() -> None:
    outcome = slow_readers(readers=40, requests=60)

    assert not outcome.violations, outcome.summary
