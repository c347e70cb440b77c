"""Encoders behind one interface: token states, masks, offsets, pooling and, where a model wants one, a language token."""
