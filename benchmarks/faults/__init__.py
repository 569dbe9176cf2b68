"""Commands that are killed while they work: is everything whole, and can one go on?

python -m benchmarks faults [--kills 200] [--only fit edit]

killing.py     a process that is killed at a moment of chance, or when it is about to write
scenes.py      what is run: every command that writes, what must hold of its folder, its result
serving.py     the same for the workbench, with someone who edits in it
run.py         many kills, and the table of what came out: benchmarks/results/faults.csv
"""
