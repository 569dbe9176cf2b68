"""The public names of the package, imported when they are first used."""

from .readwrite import read as read
