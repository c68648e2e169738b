"""Faults planted in the commit's script: the tests of the store see every one of them."""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Callable
from functools import partial

import pytest
import redis

from service.store.game_store import GameStore
from service.store.scripts import commit_script
from tests.store import test_game_store, test_readiness_of_servers

Check = Callable[..., None]

CHECKS: tuple[Check, ...] = (
    test_game_store.test_a_commit_writes_state_events_and_record_with_lifetimes,
    test_game_store.test_a_move_writes_the_id_of_its_key_and_its_record_with_lifetimes,
    test_game_store.test_a_commit_without_a_key_writes_nothing_but_its_game,
    test_game_store.test_the_next_commit_appends_and_renews,
    *(
        partial(test_game_store.test_a_commit_on_another_version_writes_nothing, expected=expected)
        for expected in (0, 2, 7)
    ),
    test_game_store.test_a_commit_on_a_game_that_is_gone_writes_nothing,
    test_game_store.test_a_kept_record_is_given_before_the_version_is_compared,
    test_game_store.test_only_the_newest_commit_without_a_clients_key_is_recognised,
    test_game_store.test_a_key_is_looked_up_before_the_nonce_is_compared,
    test_game_store.test_the_newest_eight_records_of_an_owner_stay_and_the_ids_of_all_keys,
    test_game_store.test_a_key_whose_lifetime_is_over_is_new,
    test_game_store.test_ids_whose_lifetime_is_over_are_forgotten_in_the_end,
    *(
        partial(
            test_game_store.test_a_log_that_does_not_fit_the_game_is_never_written_to, logged=logged
        )
        for logged in (1, 3)
    ),
    test_game_store.test_a_kept_record_is_written_once_more_where_replicas_have_to_confirm_it,
    test_game_store.test_an_id_without_its_record_is_written_once_more_where_replicas_have_to_confirm_it,
    test_game_store.test_a_server_that_does_not_insist_on_replicas_is_not_written_to,
    test_readiness_of_servers.test_a_check_by_the_script_writes_nothing,
    *(
        partial(
            test_readiness_of_servers.test_a_user_without_a_right_to_write_writes_nothing,
            missing=missing,
        )
        for missing in ("hset", "rpush", "set", "pexpire", "hgetall", "hdel")
    ),
)
"""Tests of the store, as they stand."""

_LOOKUP = "local record = redis.call('GET', KEYS[3])"
_OWN = "if #KEYS == 2 and game[2] == name then"
_REWRITTEN_NONCE = "redis.call('HSET', KEYS[1], 'nonce', game[2])"
_REWRITTEN = "redis.call('SET', KEYS[3], record, 'KEEPTTL')"
_REWRITTEN_ID = "redis.call('HSET', KEYS[3], name, known[1])"
_KNOWN = "if last and tonumber(last) > now then"
_SLOT = "redis.call('HGET', KEYS[4], count % kept)"
_IN_SLOT = "if string.sub(record, 1, #name) == name then"
_EXPIRED = "return {'expired'}"
_COUNT = "moves = tonumber(known[2] or 0) + 1"
_STALE = "return {'stale', version}"
_LENGTH = "if redis.call('LLEN', KEYS[2]) ~= tonumber(ARGV[13]) then"
_CHECK = "redis.call('SET', KEYS[3], '', 'XX')"
_PUSH = "redis.call('RPUSH', KEYS[2], ARGV[place])"
_RECORD = "redis.call('SET', KEYS[3], ARGV[5], 'PX', ARGV[6])"
_ID = "redis.call('HSET', KEYS[3], name, moves .. ':' .. now + ARGV[6] / 1000, 'n', moves)"
_ANSWER = "redis.call('HSET', KEYS[4], moves % kept, name .. ARGV[5])"
_IDS_TTL = "redis.call('PEXPIRE', KEYS[3], ARGV[6])"
_ANSWERS_TTL = "redis.call('PEXPIRE', KEYS[4], ARGV[6])"
_FORGOTTEN = "if last and tonumber(last) <= now then"
_GAME_TTL = "redis.call('PEXPIRE', KEYS[1], ARGV[7])"
_LOG_TTL = "redis.call('PEXPIRE', KEYS[2], ARGV[7])"

FAULTS = {
    "the record is not looked up": (_LOOKUP, "local record = false"),
    "any nonce is taken for the caller's own": (_OWN, "if #KEYS == 2 and game[2] then"),
    "a nonce is taken for the record of a client's key": (_OWN, "if game[2] == name then"),
    "no commit of our own is recognised": (_OWN, "if false then"),
    "nothing that exists is written again": ("local confirmed = ARGV[9] == '1'", ""),
    "all that exists is written again": (
        "local confirmed = ARGV[9] == '1'",
        "local confirmed = 1",
    ),
    "an existing nonce is not written again": (_REWRITTEN_NONCE, ""),
    "an existing record is not written again": (_REWRITTEN, ""),
    "an existing id is not written again": (_REWRITTEN_ID, ""),
    "an id written again is of another move": (
        _REWRITTEN_ID,
        _REWRITTEN_ID.replace("known[1]", "'0:0'"),
    ),
    "a record written again lives for ever": (", 'KEEPTTL'", ""),
    "a record written again is the new one": (_REWRITTEN, _REWRITTEN.replace("record", "ARGV[5]")),
    "a client's key is not looked up": (_KNOWN, "if false then"),
    "a key is known for ever": (_KNOWN, "if last then"),
    "a key is known for an instant too long": (_KNOWN, _KNOWN.replace(">", ">=")),
    "another slot is read": (_SLOT, _SLOT.replace("count", "(count + 1)")),
    "only the first slot is read": (_SLOT, _SLOT.replace("count % kept", "1")),
    "the record of another key is given": (_IN_SLOT, "if true then"),
    "the record of a key is never given": (_IN_SLOT, "if false then"),
    "a record is given with its id": ("#name + 1)", "1)"),
    "an older key moves again": (_EXPIRED, ""),
    "the moves of an owner are not counted": (_COUNT, "moves = 1"),
    "the version is not compared": ("if version ~= ARGV[1] then", "if false then"),
    "only newer games are stale": ("version ~= ARGV[1]", "version > ARGV[1]"),
    "only older games are stale": ("version ~= ARGV[1]", "version < ARGV[1]"),
    "a deleted game has any version": ("or '0'\n", "or ARGV[1]\n"),
    "the stale version is the expected one": (_STALE, "return {'stale', ARGV[1]}"),
    "a stale commit leaves its record": (_STALE, f"if #KEYS == 3 then {_RECORD} end\n  {_STALE}"),
    "a stale commit leaves its id": (_STALE, f"if #KEYS == 4 then {_ID} end\n  {_STALE}"),
    "a stale commit renews the game": (_STALE, f"{_GAME_TTL}\n  {_STALE}"),
    "the log's end is not compared": (_LENGTH, "if false then"),
    "a log may be longer than the game knows": (_LENGTH, _LENGTH.replace("~=", "<")),
    "a log may be shorter than the game knows": (_LENGTH, _LENGTH.replace("~=", ">")),
    "a refused commit has written something": (
        _LENGTH,
        f"redis.call('HSET', KEYS[1], 'meta', ARGV[4])\n{_LENGTH}",
    ),
    "the guard is left out": ("if ARGV[8] == '1' and", "if false and"),
    "the guard is for everybody": ("if ARGV[8] == '1' and", "if"),
    "a check writes a record": (_CHECK, _CHECK.replace(", 'XX'", "")),
    "a check goes on to write": ("return {'allowed'}", ""),
    "no right is asked for": ("if denial then", "if false then"),
    "the right to write the game is not asked for": (
        "denied('HSET', KEYS[1], 'version', '') or ",
        "",
    ),
    "the right to write the log is not asked for": (" or denied('RPUSH', KEYS[2], '')", ""),
    "the right to write the record is not asked for": (
        "or (#KEYS == 3 and denied('SET', KEYS[3], ''))",
        "",
    ),
    "the right to read all ids is not asked for": ("denied('HGETALL', KEYS[3]) or ", ""),
    "the right to forget ids is not asked for": (" or denied('HDEL', KEYS[3], '')", ""),
    "the right to set lifetimes is not asked for": ("or denied('PEXPIRE', KEYS[1], '1')", ""),
    "the version is not written": ("'version', ARGV[2], ", ""),
    "the state is not written": ("'state', ARGV[3], ", ""),
    "the meta is not written": (", 'meta', ARGV[4]", ""),
    "the nonce is not written": ("redis.call('HSET', KEYS[1], 'nonce', name)", ""),
    "state and meta are exchanged": (
        "'state', ARGV[3], 'meta', ARGV[4]",
        "'state', ARGV[4], 'meta', ARGV[3]",
    ),
    "no event is appended": (_PUSH, ""),
    "each event is appended twice": (_PUSH, f"{_PUSH}\n  {_PUSH}"),
    "events are put in front": (_PUSH, _PUSH.replace("RPUSH", "LPUSH")),
    "the first event is left out": ("place = 14", "place = 15"),
    "the last event is left out": ("for place = 14, #ARGV do", "for place = 14, #ARGV - 1 do"),
    "the record is not written": (_RECORD, ""),
    "the record lives for ever": (", 'PX', ARGV[6]", ""),
    "the record's lifetime is in seconds": ("'PX'", "'EX'"),
    "the record lives as long as the game": ("'PX', ARGV[6]", "'PX', ARGV[7]"),
    "the id is not written": (_ID, "redis.call('HSET', KEYS[3], 'n', moves)"),
    "the count is not written": (_ID, _ID.replace(", 'n', moves", "")),
    "the id's lifetime is over at once": (_ID, _ID.replace("now + ARGV[6] / 1000", "now")),
    "the answer is not written": (_ANSWER, ""),
    "the answer is written without its id": (_ANSWER, _ANSWER.replace("name .. ", "")),
    "all answers stay": (_ANSWER, _ANSWER.replace("moves % kept", "moves")),
    "half of the answers stay": (_ANSWER, _ANSWER.replace("kept", "(kept / 2)")),
    "the ids live for ever": (_IDS_TTL, ""),
    "the ids live as long as the game": (_IDS_TTL, _IDS_TTL.replace("6", "7")),
    "the answers live for ever": (_ANSWERS_TTL, ""),
    "the answers live as long as the game": (_ANSWERS_TTL, _ANSWERS_TTL.replace("6", "7")),
    "no id is ever forgotten": ("if moves % 64 == 0 then", "if false then"),
    "every id is forgotten": (_FORGOTTEN, "if last then"),
    "no id is forgotten at its end": (_FORGOTTEN, _FORGOTTEN.replace("<=", "<")),
    "the count is forgotten": (
        _FORGOTTEN,
        "if not last or tonumber(last) <= now then",
    ),
    "the game lives for ever": (_GAME_TTL, ""),
    "the game's lifetime is not renewed": (_GAME_TTL, _GAME_TTL.replace(")", ", 'NX')")),
    "the game lives as long as the record": (_GAME_TTL, _GAME_TTL.replace("7", "6")),
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
