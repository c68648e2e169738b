"""Faults planted in the commit's script: the tests of the store see every one of them."""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Callable
from functools import partial

import pytest
import redis

from service.store import commit_script
from service.store.game_store import GameStore
from tests.store import test_game_store, test_readiness_of_servers

Check = Callable[..., None]

CHECKS: tuple[Check, ...] = (
    test_game_store.test_a_commit_writes_state_events_and_record_with_lifetimes,
    test_game_store.test_the_next_commit_appends_and_renews,
    *(
        partial(test_game_store.test_a_commit_on_another_version_writes_nothing, expected=expected)
        for expected in (0, 2, 7)
    ),
    test_game_store.test_a_commit_on_a_game_that_is_gone_writes_nothing,
    test_game_store.test_a_kept_record_is_given_before_the_version_is_compared,
    test_game_store.test_only_the_newest_record_without_a_clients_key_is_kept,
    *(
        partial(
            test_game_store.test_a_log_that_does_not_fit_the_game_is_never_written_to, logged=logged
        )
        for logged in (1, 3)
    ),
    test_game_store.test_a_kept_record_is_written_once_more_where_replicas_have_to_confirm_it,
    test_game_store.test_a_server_that_does_not_insist_on_replicas_is_not_written_to,
    test_readiness_of_servers.test_a_check_by_the_script_writes_nothing,
    *(
        partial(
            test_readiness_of_servers.test_a_user_without_a_right_to_write_writes_nothing,
            missing=missing,
        )
        for missing in ("hset", "rpush", "set", "pexpire")
    ),
)
"""Tests of the store, as they stand."""

_LOOKUP = "local record = redis.call('GET', KEYS[3])"
_OWN = "(ARGV[5] == '' or string.sub(record, 1, #ARGV[5]) == ARGV[5])"
_REWRITE = "redis.call('SET', KEYS[3], record, 'KEEPTTL')"
_STALE = "return {'stale', version}"
_LENGTH = "if redis.call('LLEN', KEYS[2]) ~= tonumber(ARGV[11]) then"
_CHECK = "redis.call('SET', KEYS[3], '', 'XX')"
_PUSH = "redis.call('RPUSH', KEYS[2], ARGV[place])"
_RECORD = "redis.call('SET', KEYS[3], ARGV[6], 'PX', ARGV[7])"
_GAME_TTL = "redis.call('PEXPIRE', KEYS[1], ARGV[8])"
_LOG_TTL = "redis.call('PEXPIRE', KEYS[2], ARGV[8])"

FAULTS = {
    "the record is not looked up": (_LOOKUP, "local record = false"),
    "any record is taken for the caller's own": (_OWN, "true"),
    "no record of our own is recognised": (_OWN, "ARGV[5] == ''"),
    "no record of a client's key is recognised": (_OWN, f"ARGV[5] ~= '' and {_OWN}"),
    "an existing record is not written again": ("if ARGV[10] == '1' then", "if false then"),
    "every existing record is written again": ("if ARGV[10] == '1' then", "if true then"),
    "a record written again lives for ever": (", 'KEEPTTL'", ""),
    "a record written again is the new one": (_REWRITE, _REWRITE.replace("record", "ARGV[6]")),
    "the version is not compared": ("if version ~= ARGV[1] then", "if false then"),
    "only newer games are stale": ("version ~= ARGV[1]", "version > ARGV[1]"),
    "only older games are stale": ("version ~= ARGV[1]", "version < ARGV[1]"),
    "a deleted game has any version": ("or '0'", "or ARGV[1]"),
    "the stale version is the expected one": (_STALE, "return {'stale', ARGV[1]}"),
    "a stale commit leaves its record": (_STALE, f"{_RECORD}\n  {_STALE}"),
    "a stale commit renews the game": (_STALE, f"{_GAME_TTL}\n  {_STALE}"),
    "the log's end is not compared": (_LENGTH, "if false then"),
    "a log may be longer than the game knows": (_LENGTH, _LENGTH.replace("~=", "<")),
    "a log may be shorter than the game knows": (_LENGTH, _LENGTH.replace("~=", ">")),
    "a refused commit has written something": (
        _LENGTH,
        f"redis.call('HSET', KEYS[1], 'meta', ARGV[4])\n{_LENGTH}",
    ),
    "the guard is left out": ("if ARGV[9] == '1' and", "if false and"),
    "the guard is for everybody": ("if ARGV[9] == '1' and", "if"),
    "a check writes a record": (_CHECK, _CHECK.replace(", 'XX'", "")),
    "a check goes on to write": ("return {'allowed'}", ""),
    "no right is asked for": ("if denial then", "if false then"),
    "the right to write the game is not asked for": (
        "denied('HSET', KEYS[1], 'version', '') or ",
        "",
    ),
    "the right to write the log is not asked for": (" or denied('RPUSH', KEYS[2], '')", ""),
    "the right to write the record is not asked for": (
        "or denied('SET', KEYS[3], '') or",
        "or",
    ),
    "the right to set lifetimes is not asked for": (" or denied('PEXPIRE', KEYS[1], '1')", ""),
    "the version is not written": ("'version', ARGV[2], ", ""),
    "the state is not written": ("'state', ARGV[3], ", ""),
    "the meta is not written": (", 'meta', ARGV[4]", ""),
    "state and meta are exchanged": (
        "'state', ARGV[3], 'meta', ARGV[4]",
        "'state', ARGV[4], 'meta', ARGV[3]",
    ),
    "no event is appended": (_PUSH, ""),
    "each event is appended twice": (_PUSH, f"{_PUSH}\n  {_PUSH}"),
    "events are put in front": (_PUSH, _PUSH.replace("RPUSH", "LPUSH")),
    "the first event is left out": ("place = 12", "place = 13"),
    "the last event is left out": ("#ARGV do", "#ARGV - 1 do"),
    "the record is not written": (_RECORD, ""),
    "an old record is never replaced": (_RECORD, _RECORD.replace(")", ", 'NX')")),
    "the record lives for ever": (", 'PX', ARGV[7]", ""),
    "the record's lifetime is in seconds": ("'PX'", "'EX'"),
    "the record lives as long as the game": ("'PX', ARGV[7]", "'PX', ARGV[8]"),
    "the game lives for ever": (_GAME_TTL, ""),
    "the game's lifetime is not renewed": (_GAME_TTL, _GAME_TTL.replace(")", ", 'NX')")),
    "the game lives as long as the record": (_GAME_TTL, _GAME_TTL.replace("8", "7")),
    "the log lives for ever": (_LOG_TTL, ""),
    "the log's lifetime is not renewed": (_LOG_TTL, _LOG_TTL.replace(")", ", 'NX')")),
}
"""What is the matter, and by which text in place of which."""


def red(check: Check, store: GameStore, server: redis.Redis, redis_url: str) -> bool:
    """Whether a check fails."""
    given = {"store": store, "server": server, "redis_url": redis_url}
    wanted = given.keys() & inspect.signature(check).parameters
    try:
        check(**{name: given[name] for name in wanted})
    except (Exception, pytest.fail.Exception):  # noqa: BLE001 - whatever it is, it is seen
        return True
    return False


def test_the_script_as_it_stands_passes_every_check(
    store: GameStore, server: redis.Redis, redis_url: str
) -> None:
    assert [check for check in CHECKS if red(check, store, server, redis_url)] == []


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_in_the_script_is_seen(
    store: GameStore,
    server: redis.Redis,
    redis_url: str,
    monkeypatch: pytest.MonkeyPatch,
    fault: str,
) -> None:
    old, new = FAULTS[fault]
    assert commit_script.SCRIPT.count(old) == 1
    faulty = commit_script.SCRIPT.replace(old, new)
    digest = hashlib.sha1(faulty.encode(), usedforsecurity=False).hexdigest()
    assert server.script_load(faulty) == digest  # it is a script, and does something
    monkeypatch.setattr(commit_script, "SCRIPT", faulty)
    monkeypatch.setattr(commit_script, "SHA", digest)
    assert any(red(check, store, server, redis_url) for check in CHECKS)
