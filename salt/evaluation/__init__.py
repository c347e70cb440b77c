"""Token-level evaluation: everything the SALT paper measures, for any encoder (paper §4.1, §5, Appendices C–E).

    data readers ──▶ task ──▶ states (each sentence encoded once) ──▶ pure metric ──▶ Score ──▶ report, compare

Readers turn a benchmark's own files into records; tasks ask the state store for token states and hand arrays to pure
metrics; a `Score` keeps per-item counts, so that intervals and paired comparisons need no second run.
"""
