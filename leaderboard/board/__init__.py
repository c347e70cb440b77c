"""The board: one static page that shows entries, works from ``file://`` and asks no server for anything.

entries ──figures──▶ scores, intervals ──ties──▶ groups ──assemble──▶ board (a dict, see `assemble`)
                                                                        └──site──▶ {path: bytes} ──build──▶ folder
                                                                                                 └──serve──▶ browser
"""
