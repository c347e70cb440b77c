"""Encoders as folders: what a folder says about itself, its tokenizer, its network with every weight in place.

    folder ──recipe──▶ pooling, prompts, length, language token ─┐
           ──tokens──▶ ids, mask, character offsets              ├──▶ scoring (alee_mteb.models), training (salt)
           ──network─▶ a Transformers encoder, checked ──────────┘

Needs torch and Transformers when something is loaded, and never mteb: training starts without it.
"""
