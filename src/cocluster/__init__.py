"""Co-clustering: group the rows and the columns of one matrix or of many at the same time.

The public names are listed in ``__init__.pyi``. Each is imported when it is first used, so that a
small fit does not wait for methods that it does not need.
"""

import lazy_loader

__version__ = "0.3.0.dev0"

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
