"""SALT: post-training of sentence encoders on aligned spans."""
