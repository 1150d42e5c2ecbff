"""Which release this is; the package is built by it too."""

__all__ = ["__version__"]

__version__ = "0.1.0"
