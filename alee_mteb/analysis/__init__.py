"""From scores to the paper's figures and tables, comparisons of models, and advice.

inputs ──▶ one computing module a figure (plain rows) ──▶ `figures/` (drawing) and `output` (CSV, JSON, text)

The computing modules are pure; `inputs`, `reference` and `output` read and write files; matplotlib is imported in
`figures` alone.
"""
