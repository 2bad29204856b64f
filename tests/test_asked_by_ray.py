"""Ray looks for one name on a class before it makes a subclass of it: a built class refuses there, and nothing else notices."""

import pytest
from harbour import docks

import envpickle
from envpickle import errors


def test_a_built_class_refuses_to_become_an_actor_of_ray() -> None:
    """What `ray.remote` asks first is answered with what to use instead."""
    with pytest.raises(errors.UnknownClass, match=r"ray\.remote would make a subclass.*envpickle_ray\.actor"):
        hasattr(docks.dock(["lift"]), "__ray_actor_class__")


def test_subclasses_of_a_built_class_are_left_to_ray() -> None:
    """A user's own subclass has no record: Ray finds nothing on it, and what it puts there itself."""
    own = type("Own", (docks.dock(["lift"]),), {})
    assert not hasattr(own, "__ray_actor_class__")
    rays = type("Class", (own,), {"__ray_actor_class__": own})
    assert rays.__ray_actor_class__ is own
    rays.__ray_actor_class__ = None  # as cloudpickle sets what a class by value has
    assert rays.__ray_actor_class__ is None


def test_other_metaclasses_answer_for_themselves() -> None:
    """A metaclass derived from ours may make classes that Ray may derive from."""
    assert not hasattr(envpickle.RuntimeType("Bare", (), {}), "__ray_actor_class__")
