"""Reading and writing of data and models.

readwrite.py       `read` and `write`: the file ending selects the format
formats/           one module for each family of file formats
tables/            tables: parse cells, infer the roles of columns, build the data set
options.py         options of `read`, and the memory that a file may take
files.py           packed files, and text in any encoding
dataset.py         `Dataset`, the result of `read`
dataset_folder.py  a data set as the folder of a project
models.py          fitted models as JSON and arrays
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
