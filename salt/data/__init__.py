"""From parallel text on disk to packed batches.

    files ──readers──▶ ParallelPair ──languages, filters──▶ pools by language pair ──sampling, packing──▶ stream

`select` (selection) applies every rule of SALT §4 in one call; `PackedStream` (stream) turns what is left into
batches, from any saved position.
"""
