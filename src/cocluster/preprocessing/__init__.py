"""Preparation of data as in the papers, as scikit-learn transformers.

Words
    `TopWordsByMutualInformation`, `TopByVariance`, `DocumentCategory`
Genes
    `GeneScreen`, `TopGenesByFirstComponent`
Images
    `ImageFeatures`: colour and texture
"""

from cocluster.preprocessing.categories import DocumentCategory
from cocluster.preprocessing.genes import GeneScreen, TopGenesByFirstComponent
from cocluster.preprocessing.images import COLOR, TEXTURE, ImageFeatures
from cocluster.preprocessing.words import TopByVariance, TopWordsByMutualInformation

__all__ = [
    "COLOR",
    "TEXTURE",
    "DocumentCategory",
    "GeneScreen",
    "ImageFeatures",
    "TopByVariance",
    "TopGenesByFirstComponent",
    "TopWordsByMutualInformation",
]
