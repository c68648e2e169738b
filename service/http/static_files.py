"""Files that stay as they are while the service runs: kept in memory, compressed once.

An address with the version of all files of a set in it may be kept for a year, and is 404 with any
other version. An address without it is asked for again each time (304 where nothing changed), and
so is the page that names the version. `If-Match`, which is for changes, is left alone.
"""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path

from flask import Response, request
from werkzeug.exceptions import NotFound

from service.games.answers.entity_tags import is_cached
from service.http.replies import IMMUTABLE, Reply

VERSION_MARK = "{version}"
"""What stands in a page where the version of its files belongs."""
_REVALIDATED = "no-cache"
_MEDIA_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".mjs": "text/javascript; charset=utf-8",
    ".png": "image/png",
    ".svg": "image/svg+xml; charset=utf-8",
    ".txt": "text/plain; charset=utf-8",
}
"""By the ending of a name: what is served, and as what; browsers refuse modules of other types."""
_DIGITS = 16
_WORTH = 0.9
"""A compressed form is kept if it is smaller than this part of the file."""


class StaticFile:
    """The content of a file, its entity tags, and its compressed form."""

    def __init__(self, content: bytes, media_type: str) -> None:
        self.content = content
        self.media_type = media_type
        self.digest = hashlib.sha256(content).hexdigest()[:_DIGITS]

    @cached_property
    def compressed(self) -> bytes | None:
        """The content as gzip, made when it is first asked for; None where that saves little."""
        compressed = gzip.compress(self.content, mtime=0)
        return compressed if len(compressed) < _WORTH * len(self.content) else None

    def reply(self, caching: str = _REVALIDATED) -> Response:
        """The answer to the current request, in the form that it accepts."""
        compressed = self.compressed if request.accept_encodings["gzip"] else None
        headers = [("Vary", "Accept-Encoding"), ("Cache-Control", caching)]
        plain_tag, gzip_tag = f'"{self.digest}"', f'"{self.digest}-gzip"'
        headers.append(("ETag", plain_tag if compressed is None else gzip_tag))
        known = request.headers.get("If-None-Match")
        if is_cached(known, plain_tag) or is_cached(known, gzip_tag):
            return Reply(b"", 304, headers)
        headers.append(("Content-Type", self.media_type))
        if compressed is None:
            return Reply(self.content, 200, headers)
        return Reply(compressed, 200, [*headers, ("Content-Encoding", "gzip")])


class StaticFiles:
    """A set of files by their names in addresses; all are read when the first is asked for."""

    def __init__(self, paths: Mapping[str, Path]) -> None:
        self.paths = paths

    @classmethod
    def below(cls, folder: Path) -> StaticFiles:
        """Every file in a folder, and in those below it, that has a media type and is no page."""
        suffixes = _MEDIA_TYPES.keys() - {".html"}
        found = (each for each in sorted(folder.rglob("*")) if each.suffix in suffixes)
        return cls({each.relative_to(folder).as_posix(): each for each in found})

    @cached_property
    def version(self) -> str:
        """Hexadecimal digits that are others once any of the files is another."""
        stated = "\n".join(f"{file.digest} {name}" for name, file in self._files.items())
        return hashlib.sha256(stated.encode()).hexdigest()[:_DIGITS]

    def reply(self, name: str) -> Response:
        """A file, which is asked for again each time; raises NotFound."""
        return self._file(name).reply()

    def kept_reply(self, version: str, name: str) -> Response:
        """A file that may be kept for a year; raises NotFound, also at another version."""
        if version != self.version:
            raise NotFound
        return self._file(name).reply(IMMUTABLE)

    def page(self, path: Path) -> StaticFile:
        """A page that names the version of these files at each mark."""
        text = path.read_text(encoding="utf-8").replace(VERSION_MARK, self.version)
        return StaticFile(text.encode(), _MEDIA_TYPES[path.suffix])

    def _file(self, name: str) -> StaticFile:
        try:
            return self._files[name]
        except KeyError:
            raise NotFound from None

    @cached_property
    def _files(self) -> dict[str, StaticFile]:
        return {
            name: StaticFile(path.read_bytes(), _MEDIA_TYPES[path.suffix])
            for name, path in self.paths.items()
        }
