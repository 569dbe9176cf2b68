"""Preparation of data, as scikit-learn transformers: texts, and what the papers did.

Texts
    `WordCounter`: words of texts, without those that tell nothing; `sentence_model`: vectors
Words
    `TopWordsByMutualInformation`, `TopByVariance`, `DocumentCategory`
Genes
    `GeneScreen`, `TopGenesByFirstComponent`
Images
    `ImageFeatures`: colour and texture
"""

from cocluster.preprocessing.categories import DocumentCategory
from cocluster.preprocessing.images import COLOR, TEXTURE, ImageFeatures
from cocluster.preprocessing.selection import (
    GeneScreen,
    TopByVariance,
    TopGenesByFirstComponent,
    TopWordsByMutualInformation,
)
from cocluster.preprocessing.texts import WordCounter, sentence_model

__all__ = [
    "COLOR",
    "TEXTURE",
    "DocumentCategory",
    "GeneScreen",
    "ImageFeatures",
    "TopByVariance",
    "TopGenesByFirstComponent",
    "TopWordsByMutualInformation",
    "WordCounter",
    "sentence_model",
]
