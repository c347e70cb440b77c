"""Encoders behind one interface: token states, masks, offsets, pooling and, if a model needs it, a language token."""
