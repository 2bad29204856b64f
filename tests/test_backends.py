"""The four backends keep the contract that is shipped to authors of plugins."""

import pytest

import envpickle
from envpickle import errors
from envpickle.backends import cloudpickle_backend, copyreg_backend, dill_backend, msgpack_backend
from envpickle.manager import backends
from envpickle.testing import BackendContract, toolbox


class TestCopyreg(BackendContract):
    backend = copyreg_backend
    module = "envpickle.backends.copyreg_backend"


class TestMsgpack(BackendContract):
    backend = msgpack_backend
    module = "envpickle.backends.msgpack_backend"
    carries_objects = False


class TestCloudpickle(BackendContract):
    backend = cloudpickle_backend
    module = "envpickle.backends.cloudpickle_backend"


class TestDill(BackendContract):
    backend = dill_backend
    module = "envpickle.backends.dill_backend"

    def test_a_run_time_subclass_is_refused(self) -> None:
        """Sent by dill, a run-time subclass goes by value over its base's call: nothing is lost, so it is not refused."""
        base = toolbox("Crane", ["lift"])
        heavy = type(base)("Heavy", (base,), {"lift": lambda self: "more"})
        home = self.backend.loads(self.backend.dumps(heavy))
        assert home().lift() == "more"
        assert home.__mro__[1] is base


def test_built_in_backends_come_through_the_hook() -> None:
    """All four are found by name, through the same door as a plugin's."""
    assert list(backends()) == ["copyreg", "msgpack", "cloudpickle", "dill"]


@pytest.mark.parametrize("name", ["cloudpickle", "dill"])
def test_an_optional_backend_can_be_switched_off_and_on(name: str) -> None:
    """disable() takes a backend away, enable() brings it back."""
    envpickle.disable(name)
    try:
        assert name not in backends()
    finally:
        envpickle.enable(name)
    assert name in backends()


@pytest.mark.parametrize("name", ["copyreg", "msgpack", "smoke signals"])
def test_other_names_cannot_be_switched(name: str) -> None:
    """The two that are always on, and unknown ones, are refused by name."""
    with pytest.raises(errors.PluginError, match=f"{name}.*A plugin is kept out by ENVPICKLE_DISABLE"):
        envpickle.disable(name)


def test_the_strict_cloudpickle_is_gone_when_switched_off() -> None:
    """A backend that is off says how to switch it on."""
    envpickle.disable("cloudpickle")
    try:
        with pytest.raises(errors.PluginError, match="enable"):
            cloudpickle_backend.dumps(1)
    finally:
        envpickle.enable("cloudpickle")
