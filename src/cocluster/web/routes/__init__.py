"""What the workbench answers, by subject; each module has a list ``ENDPOINTS``."""

from cocluster.web.api import Endpoint
from cocluster.web.routes import ask, clusters, compare, links, map, matrix, project, runs

ENDPOINTS: list[Endpoint] = [
    *project.ENDPOINTS,
    *runs.ENDPOINTS,
    *matrix.ENDPOINTS,
    *clusters.ENDPOINTS,
    *map.ENDPOINTS,
    *links.ENDPOINTS,
    *ask.ENDPOINTS,
    *compare.ENDPOINTS,
]
