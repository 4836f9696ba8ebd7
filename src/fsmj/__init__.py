"""fsmj: choose the words that tell text categories apart.

What there is, and where, stands in ``__init__.pyi``; each part is imported when it is first used.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
__all__.remove("spark")  # a star import must work without Spark
