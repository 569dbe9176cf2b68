"""Pictures with matplotlib, one idea a file; `cocluster.report.plots` has them all."""
