"""Models and other values of the library in files: ``NAME.json`` and ``NAME.npz``, never pickle."""

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

# Of the files: raised whenever older programs could not read them any more.
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
    "Shifted": "cocluster.data.shifting",
    "KnownScale": "cocluster.methods.unknown",
    "Biases": "cocluster.data.biases",
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


def _same_state(fresh: Any, state: Any) -> Any:
    """A random state with a state that it had."""
    fresh.set_state(state)
    return fresh


def _same_generator(state: dict[str, Any]) -> np.random.Generator:
    """A generator with a state that it had."""
    kinds = ("PCG64", "PCG64DXSM", "MT19937", "Philox", "SFC64")
    if state["bit_generator"] not in kinds:
        raise ValueError(f"a generator is kept as {quote(state['bit_generator'])}")
    bits = getattr(np.random, state["bit_generator"])()
    bits.state = state
    return np.random.Generator(bits)


def _counter(plain: dict[str, Any]) -> Any:
    """A counter of words."""
    return _Library().kind_of("WordCounter").from_json(plain)  # type: ignore[attr-defined]


# Attributes that have another name than in files of earlier versions, by class.
_RENAMED: dict[str, dict[str, str]] = {
    "CoCluster": {"_found": "_result"},
    "RMC": {"spread": "weight_penalty"},
}


# Objects that are more, or less, than their attributes.
_CODECS = {
    "WordCounter": Codec(lambda counter: counter.to_json(), _counter),
    "RandomState": Codec(
        lambda state: state.get_state(), lambda held: _same_state(np.random.RandomState(), held)
    ),
    "Generator": Codec(lambda generator: generator.bit_generator.state, _same_generator),
}


class _Library:
    """The classes of this library that files may name, loaded when first met."""

    def name_of(self, kind: type) -> str | None:
        """The name of a class in files."""
        name = _STORED_NAMES.get(kind.__name__, kind.__name__)
        return name if name in _MODULES and self.kind_of(name) is kind else None

    def kind_of(self, name: str) -> type:
        """The class of a name."""
        if name not in _MODULES:
            raise ValueError(f"{quote(name)} is nothing that this version knows")
        return _loaded(name)

    def renamed_attributes(self, name: str) -> dict[str, str]:
        """Return the attributes of a class that had another name in files of earlier versions."""
        return _RENAMED.get(name, {})

    def codec_of(self, name: str) -> Codec | None:
        """How objects are kept that are more than their attributes."""
        return _CODECS.get(name)


@cache
def _loaded(name: str) -> type:
    """Import the class that files store under a name."""
    module, _, renamed = _MODULES[name].partition(":")
    kind: type = getattr(import_module(module), renamed or name)
    return kind


def write_value(folder: Path, name: str, value: Any) -> None:
    """Write a model or another value of the library as two files of a folder.

    TypeError if some part of it cannot be kept, such as a function that someone gave.
    """
    try:
        plain, arrays = taken_apart(value, _Library())
    except TypeError as error:
        raise TypeError(
            f"This {type(value).__name__} cannot be saved: {error}. Save it with pickle, or "
            "leave that out."
        ) from None
    content = {"format": FORMAT, "versions": versions(), "value": plain}
    # Not indented: names of a hundred thousand features would be as many lines. Letters beyond
    # ASCII are escaped, so that every text can be kept, also one that is no proper Unicode.
    (folder / f"{name}.json").write_text(json.dumps(content) + "\n", encoding="ascii")
    with (folder / f"{name}.npz").open("wb") as file:
        # Their names begin with a number, and so are none that the function itself takes.
        np.savez_compressed(file, **arrays)  # type: ignore[arg-type]


def read_value(folder: Path, name: str) -> Any:
    """The value that `write_value` wrote; ValueError if the files are damaged or of newer kind."""
    place = str(folder / f"{name}.json")
    # The files may hold anything that someone typed, or another program: what does not fit shows
    # in as many ways as there are parts.
    with wrap_read_errors(place, Exception):
        content = json_object((folder / f"{name}.json").read_text(encoding="utf-8"), place)
        check_format(content, place)
        return put_together(content["value"], load_arrays(folder / f"{name}.npz"), _Library())


def check_format(content: dict[str, Any], place: str) -> None:
    """Refuse what a newer version of the library wrote, or what is something else."""
    found = content.get("format")
    if found == FORMAT:
        return
    if isinstance(found, int) and found > FORMAT:
        made = content.get("versions", {})
        newer = f" {made['cocluster']}" if isinstance(made, dict) and "cocluster" in made else ""
        raise ValueError(
            f"{place} has format {found}, this version of cocluster reads format {FORMAT}; install "
            f"the version that wrote it{newer}, or a newer one."
        )
    raise ValueError(f"{place} has no format {FORMAT} and was not written by cocluster.")
