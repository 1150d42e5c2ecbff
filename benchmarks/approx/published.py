"""What the A²MTA paper reports (Villalba and Carrera, 2019), in percent of AMTA's footprint.

Windows of 2,592,000 readings, one a second, of the memory of a server with 64 GB.
"""

__all__ = ["BLOCKS", "BOUNDS", "HOP", "LIMITS"]

# By the largest relative error that was asked for.
BOUNDS = {1e-6: 44.0, 1e-5: 6.6, 1e-4: 0.83, 1e-3: 0.099, 1e-2: 0.0102, 1e-1: 0.00099}

# By the updates in a block.
BLOCKS = {10: 91.0, 10**2: 91.0, 10**3: 95.0, 10**4: 61.0, 10**5: 4.4, 10**6: 20.0}

HOP = 0.52

# By the scenario, and how many buckets there may be.
LIMITS = {
    "mean": {10**6: 33.0, 10**5: 3.8, 10**4: 0.38, 10**3: 0.039, 10**2: 0.0039, 10: 0.0004},
    "max": {10**6: 43.0, 10**5: 11.8, 10**4: 2.2, 10**3: 0.34, 10**2: 0.037, 10: 0.0033},
    "hop": {10**6: 38.6, 10**5: 4.6, 10**4: 0.47, 10**3: 0.047, 10**2: 0.0047, 10: 0.00049},
}
