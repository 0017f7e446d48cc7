"""Models that are the same all the way down."""

from dataclasses import fields, is_dataclass

import numpy as np

from blindauc import Estimate


def assert_same(one, other):
    """Equal to the last bit and type, all the way down."""
    assert type(one) is type(other)
    if isinstance(one, np.ndarray):
        assert one.dtype == other.dtype
        assert one.shape == other.shape
        assert_same(one.tolist(), other.tolist())
    elif isinstance(one, dict):
        assert_same(list(one), list(other))
        assert_same(list(one.values()), list(other.values()))
    elif isinstance(one, list | tuple):
        assert len(one) == len(other)
        for pair in zip(one, other, strict=True):
            assert_same(*pair)
    elif isinstance(one, Estimate):
        assert repr(one) == repr(other)
    elif isinstance(one, np.random.RandomState):
        assert_same(one.get_state(), other.get_state())
    elif is_dataclass(one):
        for each in fields(one):
            assert_same(getattr(one, each.name), getattr(other, each.name))
    elif hasattr(one, "__dict__") and not callable(one):
        assert_same(vars(one), vars(other))
    else:
        assert one == other or one != one
