"""Offline construction of triplets: corpus → graph → edit → text → validation."""
