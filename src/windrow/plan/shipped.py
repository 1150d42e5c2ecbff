"""The constants that windrow comes with, until `windrow calibrate` has measured a machine's own."""

from windrow.plan.constants import OTHER, Constants, Price

__all__ = ["SHIPPED"]

SHIPPED = Constants(
    stage=0.1,
    read=3e-7,
    sent=3e-7,
    result=3e-7,
    compiled={OTHER: Price(1e-8, 1e-8)},
    interpreted={OTHER: Price(1e-6, 1e-6)},
)
