"""Files and requests that are damaged on purpose, and what must come of them.

`targets` says what is tried: every reader, links, interviews, ledgers, projects, the HTTP API.
`seeds` are small sound inputs, `mutators` damage them with regard to their structure, `child` runs
cases in a process of its own under limits, and `watch` sees what becomes of that process. ``make
fuzz`` is the long run (`__main__`), `test_fuzz.py` a short one with fixed seeds.
"""
