"""SONAR in its two layouts: the checkpoints of fairseq2, and folders of Transformers.

layout   names and rows, on dictionaries of tensors           fairseq2 state ⇄ M2M100 state
files    reading and writing what holds them                  sonar.pt ⇄ folder
"""
