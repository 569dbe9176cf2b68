"""
Texts and their words
=====================
"""

print(1)
