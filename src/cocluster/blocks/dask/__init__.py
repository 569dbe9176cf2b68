"""Row blocks on the workers of a Dask cluster."""
