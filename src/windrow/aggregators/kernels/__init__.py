"""Compiled loops over whole columns, specialised for the operator they run."""
