"""Comparing two numbers: by the gold's own precision, integers exactly, percentages and fractions apart."""

from decimal import Decimal

from coda_bench.answers.fieldtype import is_year
from coda_bench.answers.quantities import Number
from coda_bench.records.answer_spec import Rounding
from coda_bench.records.scores import Reason

_FULL_PRECISION_DIGITS = 15
"""A gold with as many significant digits is a float printed in full; its last digits are noise."""
_FLOAT_NOISE = Decimal("1e-12")
_HALF = Decimal("0.5")
_PERCENT_FACTOR = 100
_MAGNITUDES = frozenset(Decimal(10) ** power for power in (-9, -6, -3, 3, 6, 9))


def compare_number(found: Number, gold: Number, rounding: Rounding, *, may_lack_percent: bool) -> Reason:
    """Compare two numbers: equal to half a unit of the gold's last decimal, integers exactly.

    A percent sign may be missing or added only where the value cannot be meant as a fraction; a currency
    may be missing or added, not another one.

    Args:
        found: of the answer.
        gold: of the gold.
        rounding: how a number with more digits than the gold is brought to the gold's.
        may_lack_percent: whether the guideline speaks of percentages where the gold has no sign.
    """
    by_value = _compare_value(found, gold, rounding)
    if found.is_percent != gold.is_percent:
        return _compare_percent(found, gold, by_value, may_lack_percent=may_lack_percent)
    if found.currency and found.currency != gold.currency and (gold.currency or is_year(gold)):
        return Reason.UNIT_MISMATCH if by_value is Reason.MATCH else by_value
    return by_value


def _compare_percent(found: Number, gold: Number, by_value: Reason, *, may_lack_percent: bool) -> Reason:
    if by_value is Reason.MATCH:
        is_clear = gold.value == 0 or abs(gold.value) > 1
        return Reason.MATCH if is_clear and (gold.is_percent or may_lack_percent) else Reason.UNIT_MISMATCH
    factor = _PERCENT_FACTOR if gold.is_percent else Decimal(1) / _PERCENT_FACTOR
    unit = max(gold.unit, found.unit * factor)
    return Reason.PERCENT_VS_FRACTION if abs(found.value * factor - gold.value) <= unit else by_value


def _compare_value(found: Number, gold: Number, rounding: Rounding) -> Reason:
    if _is_equal(found, gold, rounding):
        return Reason.MATCH
    distance = abs(found.value - gold.value)
    if gold.value and found.value == -gold.value:
        return Reason.SIGN
    if gold.decimals and distance <= gold.unit:
        return Reason.ROUNDING
    if found.unit > gold.unit and distance <= found.unit * _HALF and found.value:
        return Reason.ROUNDING
    if found.value and gold.value and found.value / gold.value in _MAGNITUDES:
        return Reason.UNIT_MISMATCH
    return Reason.WRONG_VALUE


def _is_equal(found: Number, gold: Number, rounding: Rounding) -> bool:
    """Whether a number is the gold, or is brought to it by the rounding the task asks for."""
    distance = abs(found.value - gold.value)
    digits = len(gold.value.as_tuple().digits)
    noise = abs(gold.value) * _FLOAT_NOISE if gold.decimals and digits >= _FULL_PRECISION_DIGITS else Decimal(0)
    if distance <= noise:
        return True
    if rounding is Rounding.EXACT or found.unit >= gold.unit:
        return False
    if rounding is Rounding.TRUNCATE:
        is_same_side = found.value * gold.value >= 0
        return is_same_side and abs(gold.value) <= abs(found.value) < abs(gold.value) + gold.unit
    return distance <= gold.unit * _HALF
