"""
Active learning: answer questions
=================================

You do not have to know which pairs are informative. `Interview` asks about the most informative
pairs and spreads each answer to similar samples.

The samples here are images of digits. This example answers the questions from the true digits, as a
person would.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_digits

from cocluster import CoCluster, Interview
from cocluster.metrics import accuracy

digits = load_digits()
X, y = digits.data[:, digits.data.any(axis=0)], digits.target
interview = Interview(X, CoCluster(10, random_state=0), random_state=0)

# %%
# A question names two samples, the reason for asking, and what the answer would change.
query = interview.next_queries()[0]
print(f"Do {query.i} and {query.j} belong together? ({query.reason}; {query.changes})")
figure, axes = plt.subplots(1, 2, figsize=(3, 1.6), layout="constrained")
for ax, sample in zip(axes, (query.i, query.j), strict=True):
    ax.imshow(digits.images[sample], cmap="gray_r")
    ax.set_axis_off()
plt.show()

# %%
# Give eighty answers for 1,797 images. Each answer is used at once to choose the next question.
curve = [(0, accuracy(y, interview.labels))]
for _ in range(4):
    for _ in range(20):
        query = interview.next_queries()[0]
        interview.answer(query.i, query.j, "same" if y[query.i] == y[query.j] else "different")
    interview.refit()
    curve.append((len(interview.answers), accuracy(y, interview.labels)))

# %%
figure, ax = plt.subplots(figsize=(6, 3.5), layout="constrained")
ax.plot(*zip(*curve, strict=True), marker="o")
ax.set(xlabel="answers", ylabel="accuracy")
plt.show()

# %%
# You can undo an answer, and you can save an interview and continue it another day.
print(interview.undo())
print(interview)
