"""Training objectives, one module each, pure on tensors.

    SpanLayout, WordLayout  which tokens make up each span or word (indices only)       pieces, layout, words
    SpanBatch, WordBatch    their pooled states                                         batch, words
    LossInputs              what one step knows: states, sentence vectors, layouts, …   inputs
    a loss                  settings as a frozen dataclass; called on inputs            contrastive … omnisonar
    build_loss, PRESETS     losses and whole training settings by name                  presets

Every loss is a pure function on tensors (``span_contrastive``, ``interpolation``, …) under a small callable that
holds its settings.
"""
