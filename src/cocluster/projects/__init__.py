"""A project: one folder with data, what people said of them, and all fits; never pickle.

    mydocs-cocluster/
      project.json      name, source, checksum, how it was read and counted        project.py
      data/             matrices, names and samples                    cocluster.io.dataset_folder
      links.csv         the ledger of links                                         ledger.py
      names.csv         names given to clusters                                    project.py
      interview.json    questions and answers, to go on with; talk.json: up to where  talk.py
      runs/001/         run.json, labels_TYPE.csv, model.json, model.npz, account.json   runs.py
      report.html

A new project, and every new run, is written elsewhere and then renamed: it is whole, or not there.
"""

from cocluster.projects.project import Project, open_project
from cocluster.projects.samples import read_like
from cocluster.projects.saving import load, save

__all__ = ["Project", "load", "open_project", "read_like", "save"]
