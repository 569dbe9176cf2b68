"""Pictures with matplotlib, one idea a file; `cocluster.plots` has them all."""
