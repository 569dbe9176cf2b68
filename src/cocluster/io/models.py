"""Models and other objects of the library as ``NAME.json`` and ``NAME.npz``, without pickle."""

from __future__ import annotations

import json
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from cocluster.linalg.npz import load_arrays
from cocluster.linalg.trees import Codec, put_together, taken_apart
from cocluster.methods.catalogue import METHODS
from cocluster.utils.files import wrap_read_errors
from cocluster.utils.optional import versions
from cocluster.utils.text import json_object, quote

# Version of the file format; it is raised when older versions of the library cannot read a file.
FORMAT = 1
# The module of every class that a file may name, by the name stored in files. A stored name never
# changes: a class that was renamed is listed as "module:NewName" under the name it had before.
_MODULES = {
    **{method.name: "cocluster" for method in METHODS.values()},
    "CoCluster": "cocluster",
    "TriFactorization": "cocluster",
    "ConsensusITCC": "cocluster.methods.default.pipeline",
    "ShiftedITCC": "cocluster.methods.default.pipeline",
    "Findings": "cocluster.methods.default.results:FitResult",
    "Form": "cocluster.methods.task",
    "SeenRows": "cocluster.methods.streams",
    "Stream": "cocluster.methods.streams",
    "Scaling": "cocluster.data.scaling",
    "Shifted": "cocluster.data.scaling",
    "KnownScale": "cocluster.methods.unknown",
    "Biases": "cocluster.data.missing",
    "Partition": "cocluster.linalg.partitions",
    "Violations": "cocluster.links.violations",
    "Affinity": "cocluster.methods.spectral.ncut",
    "LearnedViews": "cocluster.methods.factorization.star_ssnmf",
    "LearnedMetrics": "cocluster.methods.factorization.metric.learn",
    "MetricOperator": "cocluster.methods.factorization.metric.operator",
    "KMeans": "sklearn.cluster",
    **dict.fromkeys(
        (
            "Free",
            "GraphEnsemble",
            "Identity",
            "Indicator",
            "NonNegative",
            "NonNegativeAssociation",
            "Orthogonal",
            "PairTerms",
            "SpectralAnchor",
            "Unconstrained",
        ),
        "cocluster.trifactor",
    ),
    "Dataset": "cocluster.io.dataset",
    "Reading": "cocluster.io.dataset",
    "WordCounter": "cocluster.preprocessing",
    "RandomState": "numpy.random",
    "Generator": "numpy.random",
}

# Stored names of the classes that were renamed, by their names of today.
_STORED_NAMES = {
    place.partition(":")[2]: stored for stored, place in _MODULES.items() if ":" in place
}


def _random_state(state: Any) -> np.random.RandomState:
    """Restore a `RandomState`."""
    restored = np.random.RandomState()
    restored.set_state(state)
    return restored


def _generator(state: dict[str, Any]) -> np.random.Generator:
    """Restore a `Generator`."""
    kinds = ("PCG64", "PCG64DXSM", "MT19937", "Philox", "SFC64")
    if state["bit_generator"] not in kinds:
        raise ValueError(f"a generator is kept as {quote(state['bit_generator'])}")
    bits = getattr(np.random, state["bit_generator"])()
    bits.state = state
    return np.random.Generator(bits)


def _word_counter(plain: dict[str, Any]) -> Any:
    """Restore a `WordCounter`."""
    return _Library().kind_of("WordCounter").from_json(plain)  # type: ignore[attr-defined]


# Attributes that have another name than in files of earlier versions, by class.
_RENAMED: dict[str, dict[str, str]] = {
    "CoCluster": {"_found": "_result"},
    "RMC": {"spread": "weight_penalty"},
}


# Conversions of objects that cannot be stored by their attributes.
_CODECS = {
    "WordCounter": Codec(lambda counter: counter.to_json(), _word_counter),
    "RandomState": Codec(lambda state: state.get_state(), _random_state),
    "Generator": Codec(lambda generator: generator.bit_generator.state, _generator),
}


class _Library:
    """The classes that files may contain, imported when they are needed."""

    def name_of(self, kind: type) -> str | None:
        """Return the name of a class in files; None if files cannot contain it."""
        name = _STORED_NAMES.get(kind.__name__, kind.__name__)
        return name if name in _MODULES and self.kind_of(name) is kind else None

    def kind_of(self, name: str) -> type:
        """Return the class that files store under a name; ValueError if it is unknown."""
        if name not in _MODULES:
            raise ValueError(f"{quote(name)} is nothing that this version knows")
        return _import_class(name)

    def renamed_attributes(self, name: str) -> dict[str, str]:
        """Return the attributes of a class that had another name in files of earlier versions."""
        return _RENAMED.get(name, {})

    def codec_of(self, name: str) -> Codec | None:
        """Return the conversion for objects of a class; None if attributes suffice."""
        return _CODECS.get(name)


@cache
def _import_class(name: str) -> type:
    """Import the class that files store under a name."""
    module, _, renamed = _MODULES[name].partition(":")
    kind: type = getattr(import_module(module), renamed or name)
    return kind


def write_value(folder: Path, name: str, value: Any) -> None:
    """Write a model or another object of the library as two files of a folder.

    Raises TypeError if a part of it cannot be saved, such as a function of the caller.
    """
    try:
        plain, arrays = taken_apart(value, _Library())
    except TypeError as error:
        raise TypeError(
            f"This {type(value).__name__} cannot be saved: {error}. Save it with pickle, or "
            "leave that out."
        ) from None
    content = {"format": FORMAT, "versions": versions(), "value": plain}
    # Not indented: the names of a hundred thousand features would take as many lines. Letters
    # beyond ASCII are escaped, so that texts which are no valid Unicode can be saved, too.
    (folder / f"{name}.json").write_text(json.dumps(content) + "\n", encoding="ascii")
    with (folder / f"{name}.npz").open("wb") as file:
        # The names of arrays begin with a number, and so differ from the function's parameters.
        np.savez_compressed(file, **arrays)  # type: ignore[arg-type]


def read_value(folder: Path, name: str) -> Any:
    """Read what `write_value` wrote; ValueError if the files are damaged or of a newer format."""
    path = folder / f"{name}.json"
    # Damaged or foreign files raise errors of many kinds.
    with wrap_read_errors(str(path), Exception):
        content = json_object(path.read_text(encoding="utf-8"), str(path))
        check_format(content, str(path))
        return put_together(content["value"], load_arrays(folder / f"{name}.npz"), _Library())


def check_format(content: dict[str, Any], path: str) -> None:
    """Raise ValueError if a newer version of the library, or another program, wrote a file."""
    version = content.get("format")
    if version == FORMAT:
        return
    if isinstance(version, int) and version > FORMAT:
        writer: Any = content.get("versions")
        has_version = isinstance(writer, dict) and "cocluster" in writer
        newer = f" {writer['cocluster']}" if has_version else ""
        raise ValueError(
            f"{path} has format {version}, this version of cocluster reads format {FORMAT}; "
            f"install the version that wrote it{newer}, or a newer one."
        )
    raise ValueError(f"{path} has no format {FORMAT} and was not written by cocluster.")
