"""The settings: what is read, and how a bad value is refused."""

from contextlib import suppress
from dataclasses import fields
from pathlib import Path

import pytest

from engine import snapshot
from service.config import Config, ConfigError
from service.store.durability import Durability


def test_an_empty_environment_gives_the_defaults() -> None:
    config = Config.from_environ({})

    assert config == Config()
    assert (config.host, config.port, config.workers, config.threads) == ("127.0.0.1", 8000, 2, 8)
    assert config.redis_url is None
    assert config.data_dir == Path("var")
    assert config.game_ttl_seconds == 14 * 24 * 60 * 60
    assert config.unplayed_ttl_seconds == 24 * 60 * 60
    assert config.allowed_hosts == ()
    assert config.keepalive_seconds == 75
    assert config.max_body_bytes == 16 * 1024
    assert config.log_level == "INFO"


def test_every_setting_is_read_from_the_variable_of_its_name() -> None:
    environ = {
        "HOST": "0.0.0.0",
        "PORT": "0",
        "WORKERS": "4",
        "THREADS": "16",
        "REDIS_URL": "rediss://:word@store.example:6380/2",
        "REDIS_SERVER": "/usr/bin/redis-server",
        "DURABILITY": "Acknowledged",
        "REPLICAS": "2",
        "APPEND_FSYNC": "always",
        "DATA_DIR": "/data",
        "WRITE_FORMAT": "4",
        "GAME_TTL_SECONDS": "60",
        "UNPLAYED_TTL_SECONDS": "30",
        "ALLOWED_HOSTS": "cards.example, Play.Example ,[::2],.Below.example,*",
        "ALLOWED_ORIGINS": "https://App.example, null,capacitor://localhost,*",
        "ROOT_PATH": "/card.games/three-13",
        "TRUSTED_PROXIES": "2",
        "AI_TURN_SOLVES": "7",
        "KEEPALIVE_SECONDS": "30",
        "MAX_BODY_BYTES": "2048",
        "LOG_LEVEL": "debug",
        "LOG_FORMAT": "JSON",
        "MAX_STORE_MEMORY_PERCENT": "75",
        "RATE_LIMIT": "Off",
        "RATE_LIMIT_CREATE": "5",
        "RATE_LIMIT_JOIN": "4",
        "RATE_LIMIT_EVALUATE": "3",
        "RATE_LIMIT_HINT": "2",
        "RATE_LIMIT_REVIEW": "1",
        "METRICS_HOST": "0.0.0.0",
        "METRICS_PORT": "9100",
        "PATH": "/bin",
    }

    missing = SETTINGS.keys() - set(environ)
    assert not missing, f"write an example of {sorted(missing)} into environ and the Config below"
    assert Config.from_environ(environ) == Config(
        host="0.0.0.0",
        port=0,
        workers=4,
        threads=16,
        redis_url="rediss://:word@store.example:6380/2",
        redis_server=Path("/usr/bin/redis-server"),
        durability=Durability.ACKNOWLEDGED,
        replicas=2,
        append_fsync="always",
        data_dir=Path("/data"),
        write_format=4,
        game_ttl_seconds=60,
        unplayed_ttl_seconds=30,
        allowed_hosts=("cards.example", "play.example", "[::2]", ".below.example", "*"),
        allowed_origins=("https://app.example", "null", "capacitor://localhost", "*"),
        root_path="/card.games/three-13",
        trusted_proxies=2,
        ai_turn_solves=7,
        keepalive_seconds=30,
        max_body_bytes=2048,
        log_level="DEBUG",
        log_format="json",
        max_store_memory_percent=75,
        rate_limit="off",
        rate_limit_create=5,
        rate_limit_join=4,
        rate_limit_evaluate=3,
        rate_limit_hint=2,
        rate_limit_review=1,
        metrics_host="0.0.0.0",
        metrics_port=9100,
    )


def test_the_formats_to_write_are_those_that_the_engine_writes() -> None:
    accepted = []
    for number in range(20):
        with suppress(ConfigError):
            accepted.append(Config.from_environ({"WRITE_FORMAT": str(number)}).write_format)
    assert tuple(accepted) == snapshot.WRITTEN_FORMATS
    assert Config().write_format == snapshot.DEFAULT_FORMAT == min(accepted)


def test_an_empty_or_blank_variable_counts_as_unset() -> None:
    assert Config.from_environ({"PORT": "", "REDIS_URL": "  "}) == Config()


def test_a_host_may_be_an_address_in_brackets() -> None:
    assert Config.from_environ({"HOST": "[::1]"}).host == "::1"


def test_a_unix_socket_is_an_address_of_a_store() -> None:
    url = "unix:///run/redis.sock?db=1"

    assert Config.from_environ({"REDIS_URL": url}).redis_url == url


@pytest.mark.parametrize(
    ("variable", "value", "expected"),
    [
        ("HOST", "http://here", "an address or a host name"),
        ("PORT", "http", "a whole number from 0 to 65535"),
        ("PORT", "65536", "a whole number from 0 to 65535"),
        ("PORT", "-1", "a whole number from 0 to 65535"),
        ("PORT", "٨٠", "a whole number from 0 to 65535"),
        ("PORT", "9" * 5000, "a whole number from 0 to 65535"),
        ("WORKERS", "0", "a whole number from 1 to 64"),
        ("THREADS", "1e3", "a whole number from 1 to 256"),
        ("DURABILITY", "sure", "one of local, replicated, acknowledged"),
        ("DURABILITY", "acknowledged", "local, or REDIS_URL to be set"),
        ("APPEND_FSYNC", "sometimes", "one of always, everysec, no"),
        ("WRITE_FORMAT", "2", "3 or 4, the formats that this release writes"),
        ("WRITE_FORMAT", "5", "3 or 4, the formats that this release writes"),
        ("WRITE_FORMAT", "newest", "3 or 4, the formats that this release writes"),
        ("DATA_DIR", "~nobody-of-this-name/var", "a path"),
        ("GAME_TTL_SECONDS", "14d", "a whole number from 1 to 315360000"),
        ("UNPLAYED_TTL_SECONDS", "0", "a whole number from 1 to 315360000"),
        ("ALLOWED_HOSTS", "https://cards.example", "host names without scheme or port"),
        ("ALLOWED_HOSTS", "cards.example:80", "host names without scheme or port"),
        ("ALLOWED_HOSTS", "*.example.com", "host names without scheme or port"),
        ("ALLOWED_HOSTS", "..example.com", "host names without scheme or port"),
        ("ALLOWED_HOSTS", ".", "host names without scheme or port"),
        ("ALLOWED_ORIGINS", "app.example", "origins as browsers name them"),
        ("ALLOWED_ORIGINS", "https://app.example/", "origins as browsers name them"),
        ("ALLOWED_ORIGINS", "https://*.app.example", "origins as browsers name them"),
        ("ROOT_PATH", "games", "a path such as /games"),
        ("ROOT_PATH", "/", "a path such as /games"),
        ("ROOT_PATH", "/games/", "a path such as /games"),
        ("ROOT_PATH", "//games", "a path such as /games"),
        ("ROOT_PATH", "/a/../b", "a path such as /games"),
        ("ROOT_PATH", "/.", "a path such as /games"),
        ("ROOT_PATH", "/my games", "a path such as /games"),
        ("ROOT_PATH", "/games?x=1", "a path such as /games"),
        ("ROOT_PATH", "/games#x", "a path such as /games"),
        ("ROOT_PATH", "/g%61mes", "a path such as /games"),
        ("ROOT_PATH", "/jeux-\u00e9", "a path such as /games"),
        ("ROOT_PATH", "https://cards.example/games", "a path such as /games"),
        ("ROOT_PATH", "/v1", "another beginning than /v1, /healthz, /readyz"),
        ("ROOT_PATH", "/v1/games", "another beginning than /v1, /healthz, /readyz"),
        ("TRUSTED_PROXIES", "10.0.0.1", "a whole number from 0 to 16"),
        ("MAX_BODY_BYTES", "16", "a whole number from 1024 to 1048576"),
        ("LOG_LEVEL", "loud", "one of DEBUG, INFO, WARNING, ERROR, CRITICAL"),
        ("LOG_FORMAT", "xml", "one of plain, json"),
    ],
)
def test_a_bad_value_is_named_with_what_is_expected(
    variable: str, value: str, expected: str
) -> None:
    with pytest.raises(ConfigError) as refused:
        Config.from_environ({variable: value})

    assert refused.value.variable == variable
    assert refused.value.value == value
    assert expected in refused.value.expected
    assert str(refused.value).startswith(f"{variable} is {value!r}: expected ")


SETTINGS = {each.name.upper(): each.default for each in fields(Config)}


@pytest.mark.parametrize(
    ("url", "shown", "expected"),
    [
        ("localhost:6379", "…", "redis://host:6379/0"),
        ("redis://ann:secret@host:port", "redis://…", "a port from 1 to 65535 of host 1"),
        ("redis+sentinel://host", "redis+sentinel://…", "the name of the master after the hosts"),
    ],
)
def test_a_bad_address_is_named_by_the_part_that_is_wrong(
    url: str, shown: str, expected: str
) -> None:
    with pytest.raises(ConfigError) as refused:
        Config.from_environ({"REDIS_URL": url})

    assert refused.value.value == shown
    assert refused.value.expected.startswith(expected)


def test_the_store_is_named_without_its_password() -> None:
    assert Config(redis_url="redis://ann:secret@host:6379/0").store == "redis://…@host:6379/0"
    sentinels = "redis+sentinel://:secret@one,two/games?sentinel_password=secret"
    shown = "redis+sentinel://…@one,two/games?sentinel_password=…"
    assert Config(redis_url=sentinels).store == shown
    assert Config(redis_url="unix:///s?password=secret").store == "unix:///s?password=…"
    assert Config(data_dir=Path("/data")).store == "/data"
