"""Trained encoders as folders that Transformers, sentence-transformers and mteb load (DESIGN.md §5)."""
