"""Image features: shares, symmetries, scaling, bad images."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from cocluster.preprocessing import COLOR, TEXTURE, ImageFeatures
from cocluster.preprocessing import images as families

pytest.importorskip("skimage")

SHARES = (families.histogram, families.coherence, families.edges, families.edge_coherence)


@pytest.fixture
def image(rng):
    """Coloured squares with some noise."""
    blocks = rng.random((4, 4, 3)).repeat(12, axis=0).repeat(12, axis=1)
    return np.clip(blocks + 0.05 * rng.normal(size=blocks.shape), 0, 1)


def test_the_numbers_of_features_are_those_of_the_paper(image):
    expected = {"moments": 9, "histogram": 12, "coherence": 24}
    expected |= {"gabor": 24, "edges": 9, "edge_coherence": 9}
    for name, size in expected.items():
        extractor = ImageFeatures([name])
        assert extractor.fit_transform([image]).shape == (1, size)
        assert len(set(extractor.get_feature_names_out())) == size
    assert len(ImageFeatures(COLOR).get_feature_names_out()) == 45
    assert len(ImageFeatures(TEXTURE).get_feature_names_out()) == 42


@pytest.mark.parametrize("family", SHARES)
def test_shares_sum_to_one(family, image):
    shares = family(image)
    assert shares.min() >= 0
    assert shares.sum() == pytest.approx(1)


def test_coherence_divides_the_histogram(image):
    parts = families.coherence(image).reshape(-1, 2)
    np.testing.assert_allclose(parts.sum(axis=1), families.histogram(image))


def test_colours_do_not_depend_on_where_pixels_are(image, rng):
    mixed = rng.permutation(image.reshape(-1, 3)).reshape(image.shape)
    for family in (families.moments, families.histogram):
        np.testing.assert_allclose(family(mixed), family(image))
    # Scattered pixels form small areas.
    assert families.coherence(mixed)[1::2].sum() > families.coherence(image)[1::2].sum()


def test_a_uniform_image_has_one_colour_and_no_texture():
    flat = np.full((20, 20, 3), (0.9, 0.1, 0.1))
    np.testing.assert_allclose(families.moments(flat).reshape(3, 3)[:, 1:], 0, atol=1e-12)
    assert sorted(families.coherence(flat))[-2:] == [0, 1]
    np.testing.assert_allclose(families.gabor(flat), 0, atol=1e-12)
    assert families.edges(flat).tolist() == [0] * 8 + [1]
    assert families.edge_coherence(flat).tolist() == [0] * 8 + [1]


def test_a_quarter_turn_turns_the_orientations(image):
    turned = np.rot90(image)
    before, after = (families.gabor(i).reshape(-1, 6) for i in (image, turned))
    np.testing.assert_allclose(np.roll(after, 3, axis=1), before, rtol=1e-6)
    before, after = (families.edges(i)[:8] for i in (image, turned))
    np.testing.assert_allclose(np.roll(after, 2), before)


def test_stripes_answer_to_the_filter_across_them():
    stripes = np.tile((np.arange(60) // 3 % 2).astype(float), (60, 1))
    response = families.gabor(np.stack([stripes] * 3, axis=-1)).reshape(-1, 6)
    assert response.max(axis=0).argmax() == 0
    direction = families.edges(np.stack([stripes] * 3, axis=-1))[:8]
    assert direction[[0, 4]].sum() > 0.9 * direction.sum()


def test_features_are_scaled_on_the_training_images(image, rng):
    images = [image * b for b in (1.0, 0.5, 0.2)]
    extractor = ImageFeatures()
    Z = extractor.fit_transform(images)
    assert Z.min() == 0
    assert Z.max() == pytest.approx(1)
    np.testing.assert_allclose(ImageFeatures().fit(images).transform(images), Z)
    new = extractor.transform([rng.random((30, 20, 3))])
    assert 0 <= new.min() <= new.max() <= 1


def test_formats_of_one_image_agree(image):
    whole = np.round(image * 255).astype(np.uint8)
    expected = families.as_rgb(whole, 0)
    np.testing.assert_allclose(families.as_rgb(whole / 255, 0), expected)
    alpha = np.concatenate([whole, whole[..., :1]], axis=2)
    np.testing.assert_allclose(families.as_rgb(alpha, 0), expected)
    grey = families.as_rgb(whole[..., 0], 0)
    assert (grey == grey[..., :1]).all()


def test_large_images_are_made_smaller(rng):
    assert families.as_rgb(rng.random((600, 300, 3)), 0).shape == (256, 128, 3)


@pytest.mark.parametrize(
    "bad", [np.ones(5), np.ones((2, 2, 5)), np.full((2, 2), 300.0), np.full((2, 2), np.nan)]
)
def test_bad_images_are_named(image, bad):
    with pytest.raises(ValueError, match="Image 1 has"):
        ImageFeatures().fit([image, bad])


@pytest.mark.parametrize("chosen", ["gabor", ["colour"], []])
def test_unknown_families_are_refused(chosen, image):
    with pytest.raises(ValueError, match=r"families is .*histogram"):
        ImageFeatures(chosen).fit([image])


def test_no_images_are_refused():
    with pytest.raises(ValueError, match="no images"):
        ImageFeatures().fit([])


def test_without_scikit_image_the_extra_is_named(image, monkeypatch):
    monkeypatch.setitem(sys.modules, "skimage.color", None)
    with pytest.raises(ImportError, match=r"\[image\]"):
        ImageFeatures().fit([image])
