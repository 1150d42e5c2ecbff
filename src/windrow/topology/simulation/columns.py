"""Columns of the arrays that a simulation keeps, by name, and how many each array has.

They are numbers of numpy's: plain ones have types of their own to the compiler.
"""

import numpy as np

# How items of one layer choose a node of the next.
BY_ITEM, BY_SOURCE, BY_KEY = map(np.int64, range(3))
# When devices send.
POISSON, CYCLIC, BURSTY, TRACED = map(np.int64, range(4))

# Columns of `layout`, what layers are, and how many these are,
WIDTH, ROUTING, FIRST_NODE, FIRST_SLOT, SLOTS, LAYOUT = map(np.int64, range(6))
# of `limits`, what they take in a second and how far their clocks are behind,
ITEMS_LIMIT, BYTES_LIMIT, SHIFT, LIMITS = map(np.int64, range(4))
# of `counts` and `sums`, what happened at each,
OFFERED, ACCEPTED, DROPPED, DELAYED, WAITING = map(np.int64, range(5))
PEAK_WAITING, PEAK_HELD, PEAK_TRIED, COUNTS = map(np.int64, range(5, 9))
BYTES, PEAK_USE, LONGEST_DELAY, SUMS = map(np.int64, range(4))
# of `loads`, what a node had in its latest second,
SECOND, TRIED, TAKEN, TAKEN_BYTES, LOADS = map(np.int64, range(5))
# and of `cells`, what a node holds: a weight of 0 is none.
PERIOD, WEIGHT, CELLS = map(np.int64, range(3))

# Columns of `Streams.places`: the next device of a cycle, which cycle, whether it is a burst, and
# how many devices are left of those drawn ahead, at most `AHEAD`;
PLACE, CYCLE, BURSTING, LEFT, PLACES = map(np.int64, range(5))
AHEAD = np.int64(64)
# of `Streams.groups` and `Streams.rates`, one row for each class,
FIRST_DEVICE, DEVICES, GROUPS = map(np.int64, range(3))
DEVICE_RATE, CLASS_RATE, ITEM_BYTES, RATES = map(np.int64, range(4))
# and of `Streams.bursts`, a row for rests and one for bursts.
FACTOR, MEAN_S, BURSTS = map(np.int64, range(3))

# Columns of `Closings.places`: whose turn it is, and which period closes.
TURN, CLOSED, TURNS = map(np.int64, range(3))

# Cells of `Waiting.used`, and columns of `Waiting.tuples` and `Waiting.numbers`.
SIZE, NEXT_TICKET = map(np.int64, range(2))
LAYER, NODE, KEY, OF_PERIOD, OF_WEIGHT, TICKET, TUPLES = map(np.int64, range(7))
OF_BYTES, SINCE, NUMBERS = map(np.int64, range(3))
