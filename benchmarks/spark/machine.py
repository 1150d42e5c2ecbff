"""What two cores of this machine give to work that shares nothing: no query can gain more.

Cores of virtual machines are often two halves of one, and the memory behind them is everybody's.
"""

import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from statistics import median

import numpy as np

__all__ = ["gain_of_two_cores"]

_ROUNDS = 5
_NUMBERS = 1 << 21


def gain_of_two_cores() -> float:
    """How many times as fast two processes do two pieces of work as one does them."""
    with ProcessPoolExecutor(2, get_context("spawn")) as pool:
        list(pool.map(_work, range(4)))  # both are there and warm
        return median(_gains(pool))


def _gains(pool: ProcessPoolExecutor) -> Iterator[float]:
    for _ in range(_ROUNDS):
        start = time.perf_counter()
        pool.submit(_work, 0).result()
        pool.submit(_work, 1).result()
        turned = time.perf_counter()
        list(pool.map(_work, range(2)))
        yield (turned - start) / (time.perf_counter() - turned)


def _work(seed: int) -> float:
    """Some computing and some moving of memory, as a query has."""
    numbers = np.random.default_rng(seed).random(_NUMBERS)
    for _ in range(3):
        numbers = np.sqrt(np.sort(numbers[::-1]) + 1.0)
    return float(numbers.sum())
