"""From mteb result files to data-set scores, averages and comparisons."""
