"""A partial labelling never harms the samples without a label."""

from __future__ import annotations

import numpy as np
import pytest

from cocluster import LPFNMTF, SSNMF, KernelKMeans, Links, NCut
from cocluster.links.closure import link_share
from cocluster.metrics import accuracy
from tests.conftest import plant

FORMS = [
    (KernelKMeans, {"normalize": "tfidf"}),
    (NCut, {"normalize": "tfidf", "affinity": "cosine"}),
    (NCut, {"normalize": "tfidf"}),
    (SSNMF, {"normalize": "tfidf"}),
    (LPFNMTF, {}),
]


@pytest.mark.parametrize(("method", "form"), FORMS)
@pytest.mark.parametrize("share", [0.1, 0.3])
def test_samples_without_a_label_lose_nothing(method, form, share, rng):
    truth = rng.permutation(np.arange(150) % 3)
    X = plant(rng, truth, 60, 3, contrast=1.0).X
    known = rng.random(150) < share
    plain, helped = (
        method(3, random_state=0, **form).fit(X, y).labels_
        for y in (None, np.where(known, truth, -1))
    )
    lost = accuracy(truth[~known], plain[~known]) - accuracy(truth[~known], helped[~known])
    # One sample in fifty may go either way.
    assert lost <= 0.02


def test_links_of_a_labelling_weigh_two_together_and_drawn_pairs_stay_whole():
    n, members = 400, np.arange(40)
    labelled = Links.from_labels(np.where(np.arange(n) < 40, np.arange(n) % 2, -1))
    pairs = np.vstack([labelled.must_link, labelled.cannot_link])
    assert link_share(pairs) * (len(members) - 1) == pytest.approx(2)
    drawn = np.random.default_rng(0).integers(n, size=(800, 2))
    assert link_share(drawn) > 0.98
    assert link_share(np.empty((0, 2), dtype=int)) == link_share(np.array([[0, 1]])) == 1
