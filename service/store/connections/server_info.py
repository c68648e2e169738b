"""What servers say of themselves by INFO, of which a user may be denied the right."""

from __future__ import annotations

from service.store.connections.connection import Connection


def good_replicas(connection: Connection) -> int | None:
    """How many replicas keep up, the least of all servers used; None where one does not count.

    A server counts its replicas only if it refuses writes without enough of them.
    """
    counts = [fields.get("min_slaves_good_slaves") for fields in _info(connection, "replication")]
    return None if None in counts else min(int(count) for count in counts if count is not None)


def uptime_seconds(connection: Connection) -> int | None:
    """For how long the servers used have been running, in whole seconds of their own clocks.

    The least of them; None where one does not say.
    """
    texts = [fields.get("uptime_in_seconds") for fields in _info(connection, "server")]
    return None if None in texts else min(int(text) for text in texts if text is not None)


def eviction_policy(connection: Connection) -> str | None:
    """What a full server does: `noeviction`, or which keys it deletes; None if it is not said."""
    return _info(connection, "memory")[0].get("maxmemory_policy")


def memory_percent(connection: Connection) -> int | None:
    """How full the server is, in whole % of its `maxmemory`; None if it has none.

    What it holds for its replicas and its append-only file does not count there.
    """
    fields = _info(connection, "memory")[0]
    most = int(fields.get("maxmemory", 0))
    used = int(fields.get("used_memory", 0)) - int(fields.get("mem_not_counted_for_evict", 0))
    return used * 100 // most if most else None


def has_append_only_file(connection: Connection) -> bool | None:
    """Whether the server writes each change to a file; None if it is not said."""
    enabled = _info(connection, "persistence")[0].get("aof_enabled")
    return None if enabled is None else enabled == "1"


def _info(connection: Connection, section: str) -> list[dict[str, str]]:
    """The fields of a section, for each server that the attempt has used."""
    answers: list[bytes] = connection.execute_everywhere(("INFO", section))
    return [
        dict(line.split(":", 1) for line in answer.decode().splitlines() if ":" in line)
        for answer in answers
    ]
