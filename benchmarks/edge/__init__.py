"""Nodes near the devices: what a row costs there."""
