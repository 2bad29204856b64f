"""What may change on a class after it was built, each with its reason, and what else has changed.

Compared are all names without double underscores, the special methods below, the code and the defaults of functions, plain
containers by value, the bases and the names. Not compared: the insides of other objects, cells of closures (a counter in a
closure is how such a class works), docstrings and annotations of functions.
"""

from .classes import RECORD, Record, defaults_of, is_dunder, state_of
from .snapshots import unchanged

EXEMPT = {
    "_abc_impl": "the caches of an abstract base class, filled by isinstance",
    "_value2member_map_": "a Flag enters composite members here when they are first used",
    "_unhashable_values_": "an Enum's cache of look-ups",
    "_unhashable_values_map_": "the same, from Python 3.13 on",
    "_hashable_values_": "the same, from Python 3.13 on",
    "_member_map_": "a Flag's composite members may be entered here",
}
"""Names without double underscores that change by themselves. Of the others only those in BEHAVIOUR are compared; left out
on purpose are ``__annotations__`` (appears on reading), ``__slotnames__`` (appears when an instance is first copied),
``__abstractmethods__`` (replaced by update_abstractmethods), ``__doc__``, and all that pydantic and attrs replace on a rebuild.
"""

BEHAVIOUR = frozenset(
    f"__{name}__"
    for line in (
        "init new del call repr str bytes format lt le eq ne gt ge hash bool getattr getattribute setattr delattr dir get set",
        "delete set_name init_subclass class_getitem instancecheck subclasscheck subclasshook len length_hint getitem setitem",
        "delitem missing iter next reversed contains add sub mul matmul truediv floordiv mod divmod pow lshift rshift and xor",
        "or radd rsub rmul rmatmul rtruediv rfloordiv rmod rdivmod rpow rlshift rrshift rand rxor ror iadd isub imul imatmul",
        "itruediv ifloordiv imod ipow ilshift irshift iand ixor ior neg pos abs invert complex int float index round trunc",
        "floor ceil enter exit aenter aexit await aiter anext copy deepcopy replace reduce reduce_ex getstate setstate",
        "getnewargs getnewargs_ex sizeof fspath post_init buffer release_buffer slots match_args module envpickle_close",
        "envpickle_state",
    )
    for name in line.split()
)


def differences(cls: type, record: Record) -> list[str]:
    """What differs between a class and what it was when built, a few words each; empty if nothing that counts."""
    found = _own_differences(cls, record)
    for kin, its_record in record.related:
        found += [f"{kin.__name__}: {text}" for text in _own_differences(kin, its_record)]
    return found


def _own_differences(cls: type, record: Record) -> list[str]:
    before = dict(zip(record.names, record.values, strict=True))
    now = dict(cls.__dict__)
    state = state_of(cls)
    found = []
    for name in sorted({*before, *now}):
        if name == RECORD or name in EXEMPT or name in state or (is_dunder(name) and name not in BEHAVIOUR):
            continue
        if name not in before:
            found.append(f"{name} was added")
        elif name not in now:
            found.append(f"{name} was deleted")
        elif before[name] is not now[name]:
            found.append(f"{name} was replaced")
    found += [
        f"{name} was changed in place"
        for name, value, frozen in record.containers
        if name not in EXEMPT and name not in state and now.get(name) is value and not unchanged(value, frozen)
    ]
    found += _changed_functions(record)
    if (cls.__name__, cls.__qualname__) != record.title or cls.__mro__ is not record.mro:
        found.append("its name or bases were set anew")
    return found


def _changed_functions(record: Record) -> list[str]:
    changed = [f for f, code in zip(record.functions, record.codes, strict=True) if f.__code__ is not code]
    changed += [f for f, *before in record.defaults if defaults_of(f) != tuple(before) and f not in changed]
    return [f"{function.__name__} was changed in place" for function in changed]
