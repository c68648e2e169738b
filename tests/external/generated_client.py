"""Imports every module of a generated Python client and has its models read the examples.

    python -W error generated_client.py PACKAGE MODELS STYLE EXAMPLES

STYLE is how its models read: `from_dict` or `model_validate`. EXAMPLES is a JSON file of pairs, a
schema's name and an object. It runs in the generators' own environment.
"""

import importlib
import json
import pkgutil
import re
import sys
from datetime import datetime
from pathlib import Path

_TIME = re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+Z")


def imported(name):
    """Import a module and everything below it; how many they are."""
    module = importlib.import_module(name)
    below = pkgutil.iter_modules(getattr(module, "__path__", ()), f"{name}.")
    return 1 + sum(imported(each.name) for each in below)


def read_back(model, style, example):
    """The example as the model writes what it has read."""
    if style == "model_validate":
        return model.model_validate(example).model_dump(mode="json", exclude_unset=True)
    return json.loads(json.dumps(model.from_dict(example).to_dict(), default=str))


def holds(written, example):
    """Whether all of an example was written; defaults may be added, a time look different."""
    match example, written:
        case dict(), dict():
            return all(name in written and holds(written[name], example[name]) for name in example)
        case list(), list():
            return len(written) == len(example) and all(map(holds, written, example))
        case str(), str() if _TIME.fullmatch(example):
            return datetime.fromisoformat(written) == datetime.fromisoformat(example)
        case _:
            return written == example


def main(package, models, style, examples):
    """Print how many modules were imported and how many examples were read."""
    modules = imported(package)
    schemas = importlib.import_module(models)
    pairs = json.loads(Path(examples).read_text())
    for name, example in pairs:
        given = json.loads(json.dumps(example))  # reading may use it up
        written = read_back(getattr(schemas, name), style, given)
        assert holds(written, example), f"{name}: {example} was read as {written}"
    print(f"{modules} modules, {len(pairs)} examples")


main(*sys.argv[1:])
