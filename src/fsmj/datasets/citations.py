"""Whom to cite for each corpus."""

LEWIS = (
    "Reuters-21578, Distribution 1.0, assembled by Reuters Ltd. and Carnegie Group, Inc., and "
    "prepared by D. D. Lewis, 1997, "
    "http://www.daviddlewis.com/resources/testcollections/reuters21578/ (for research only)."
)
LANG = (
    "K. Lang, NewsWeeder: Learning to Filter Netnews, Proceedings of the 12th International "
    "Conference on Machine Learning, 1995, 331-339."
)
CACHOPO = (
    "A. Cardoso-Cachopo, Improving Methods for Single-label Text Categorization, PhD thesis, "
    "Instituto Superior Técnico, Universidade Técnica de Lisboa, 2007."
)
CAI = (
    "D. Cai, X. He and J. Han, Document Clustering Using Locality Preserving Indexing, "
    "IEEE Transactions on Knowledge and Data Engineering 17(12), 2005, 1624-1637."
)
