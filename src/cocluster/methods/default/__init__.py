"""The default algorithm of `CoCluster`; begin with `pipeline`, which names the stages in order."""
