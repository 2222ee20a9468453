"""The version of this package, which the release script sets."""

__version__ = "0.1.0"
