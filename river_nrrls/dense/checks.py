"""What parameters, features and weights must be, with errors that name the remedy."""

from __future__ import annotations

import collections.abc
import math
import numbers
import struct
from collections.abc import Callable, Container, Hashable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from river.base.typing import FeatureName

# The square of a larger number overflows, and the sums would never recover.
LARGEST = 1e150
HUGE = 1e300
# The inverse of a smaller weight would overflow.
LIGHTEST = 1e-300

NO_DICT = (
    "x must be a dict of features, got {}; call .to_dict() on a pandas row, or learn_many / "
    "predict_many on a frame"
)

Check = Callable[[str, Any], None]
_pack_one = struct.Struct("d").pack


class Parameter:
    """A constructor parameter that is checked whenever it is set and stored unchanged.

    Without `__get__` in its way an instance reads the value at the speed of a plain attribute,
    while a clone, `mutate` and a wrapper's nested `mutate` all pass through the check.
    """

    def __init__(self, check: Check) -> None:
        self.check = check

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    if TYPE_CHECKING:

        def __get__(self, obj: Any, owner: type | None = None) -> Any: ...

    def __set__(self, obj: Any, value: Any) -> None:
        self.check(self.name, value)
        values = obj.__dict__
        before = dict(values)
        values[self.name] = value
        try:
            obj._parameter_changed(self.name)
        except ValueError:
            values.clear()
            values.update(before)
            raise


def refuse(name: str, value: Any, wanted: str) -> ValueError:
    return ValueError(f"{name} must be {wanted}, got {value!r}")


def is_real(value: Any) -> bool:
    return isinstance(value, numbers.Real) and not isinstance(value, bool)


def interval(low: float, high: float, closed: str = "both") -> Check:
    """A real number between two bounds; `closed` is "both", "neither", "left" or "right"."""
    left, right = closed in ("both", "left"), closed in ("both", "right")
    text = f"a number in {'[' if left else '('}{low:g}, {high:g}{']' if right else ')'}"

    def check(name: str, value: Any) -> None:
        # numpy would compare in the precision of a float32.
        number = value.item() if isinstance(value, np.generic) else value
        inside = is_real(number) and (
            (low < number < high) or (left and number == low) or (right and number == high)
        )
        if not inside:
            raise refuse(name, value, text)

    return check


def positive(name: str, value: Any) -> None:
    if not (is_real(value) and 0 < value < math.inf):
        raise refuse(name, value, "a finite number above 0")


def non_negative(name: str, value: Any) -> None:
    if not (is_real(value) and 0 <= value < math.inf):
        raise refuse(name, value, "a finite number of at least 0")


def finite(name: str, value: Any) -> None:
    if not (is_real(value) and math.isfinite(value)):
        raise refuse(name, value, "a finite number")


def positive_integer(name: str, value: Any) -> None:
    if not (isinstance(value, numbers.Integral) and not isinstance(value, bool) and int(value) > 0):
        raise refuse(name, value, "an integer of at least 1")


def non_negative_integer(name: str, value: Any) -> None:
    if isinstance(value, bool) or not isinstance(value, numbers.Integral) or int(value) < 0:
        raise refuse(name, value, "an integer of at least 0")


def boolean(name: str, value: Any) -> None:
    if not isinstance(value, bool):
        raise refuse(name, value, "True or False")


open_unit = interval(0.0, 1.0, "neither")
half_open_unit = interval(0.0, 1.0, "right")


def choice(*options: Any) -> Check:
    """One of some strings (or other constants)."""
    text = "one of " + ", ".join(repr(option) for option in options)

    def check(name: str, value: Any) -> None:
        if not (isinstance(value, Hashable) and value in options):
            raise refuse(name, value, text)

    return check


def either(option: Any, other: Check) -> Check:
    """A constant such as None or "auto", or else what the other check asks."""

    def check(name: str, value: Any) -> None:
        if value is option or (isinstance(value, str) and value == option):
            return
        try:
            other(name, value)
        except ValueError as error:
            raise ValueError(f"{error} (or {option!r})") from None

    return check


def is_missing(value: Any) -> bool:
    """None, NaN, NaT and pandas.NA: never a label."""
    try:
        return value is None or bool(value != value)
    except (TypeError, ValueError):
        return True


def classes(name: str, value: Any) -> None:
    if value is None:
        return
    if not isinstance(value, tuple) or not value:
        raise refuse(name, value, "None or a non-empty tuple of labels")
    for label in value:
        if not isinstance(label, Hashable) or is_missing(label):
            raise refuse(name, value, "a tuple of hashable labels without None and NaN")
    if len(set(value)) != len(value):
        raise refuse(name, value, "a tuple of different labels")


def weight(w: Any) -> float:
    """A sample weight as a float; integers and numpy scalars are as good as floats."""
    if not isinstance(w, numbers.Real):
        raise TypeError(f"w must be a number, got {w!r} ({type(w).__name__})")
    value = float(w)
    if not (LIGHTEST <= value <= LARGEST or value == 0.0):
        raise ValueError(
            f"w must be 0, or a finite weight in [{LIGHTEST:g}, {LARGEST:g}], got {w!r}; "
            "use unlearn_one, where a learner has it, to take a row back"
        )
    return value


def number(name: FeatureName, value: Any) -> float:
    """A feature's value as a float, or an error that names the feature."""
    try:
        (number,) = struct.unpack("d", _pack_one(value))
    except (struct.error, TypeError, ValueError, OverflowError):
        if isinstance(value, numbers.Integral):
            raise ValueError(_too_large(name, value)) from None
        raise TypeError(
            f"feature {name!r} must be a number, got {value!r} ({type(value).__name__}); "
            "convert text with float (stream.iter_csv takes converters=), one-hot encode "
            "categories, and leave missing features out or impute them"
        ) from None
    if math.isnan(number):
        raise ValueError(
            f"feature {name!r} is nan; impute it (preprocessing.StatImputer) or leave it out of x"
        )
    if not -LARGEST <= number <= LARGEST:
        raise ValueError(_too_large(name, value))
    return float(number)


def _too_large(name: FeatureName, value: Any) -> str:
    shown = repr(value)
    if len(shown) > 40:
        shown = f"{shown[:20]}… ({len(shown)} characters)"
    return (
        f"feature {name!r} is {shown}: not finite, or above {LARGEST:g} in size, where squares "
        "overflow; rescale or clip it"
    )


def plain(x: Any) -> dict[Any, Any]:
    """A row of another kind than dict; a defaultdict would take in the names it is asked for."""
    if not isinstance(x, collections.abc.Mapping):
        raise TypeError(NO_DICT.format(type(x).__name__))
    return dict(x)


def features(x: Any, known: Container[FeatureName] | None = None) -> dict[FeatureName, float]:
    """A row's values as floats; with the `known` names, for predicting, others may be NaN.

    preprocessing.MinMaxScaler says NaN of what it has not seen, which has no weight either.
    """
    return {
        name: number(name, value)
        for name, value in plain(x).items()
        if known is None or name in known or not isinstance(value, float) or value == value
    }


def parameter_mapping(name: str, value: Mapping[Any, Any], each: Check) -> None:
    for key, item in value.items():
        each(f"{name}[{key!r}]", item)
