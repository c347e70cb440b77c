"""Aligned spans of parallel texts (SALT paper, §3.1).

pairs ──▶ case.py (links, constituents) ──▶ spans.parquet ──▶ stats, review sheets, the trainer
      └─▶ llm.py  (a chat model's answer) ─┘
"""
