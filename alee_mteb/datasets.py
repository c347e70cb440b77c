"""Names of the official data sets, for the parts that must not import mteb."""

#: In the order of the paper.
THREE_DATASETS = ("ALEE-F200", "ALEE-MT61", "ALEE-BQ275")
