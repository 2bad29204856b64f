"""CPython's own tests of pickle: run with run-time classes about, and against the allow-listed unpickler."""

import builtins
import io
import pickle
import unittest
from typing import Any

import envpickle
from envpickle import errors
from envpickle.inspecting.judging import allowed_names

NOT_OURS = {
    "asks for other errors than the one that every refusal is": [
        "test_bad_reduce", "test_badly_escaped_string", "test_maxint64", "test_negative_put", "test_truncated_data",
        "test_bad_ext_code", "test_bad_ext_inverted_registry", "test_pickle_setstate_None", "test_proto",
    ],
    "asks the class for attributes that pickle.Unpickler has": [
        "test_custom_find_class", "test_find_class", "test_framed_write_sizes_with_delayed_writer",
    ],
    "puts items into what is no list and no dict": [
        "test_appends_on_non_lists", "test_setitems_on_non_dicts", "test_recursive_dict_like", "test_recursive_dict_like_key",
        "test_recursive_list_like", "test_recursive_tuple_and_dict_like", "test_recursive_tuple_and_dict_like_key",
        "test_recursive_tuple_and_list_like",
    ],
    "takes attributes of classes and instances by getattr": [
        "test_c_methods", "test_py_methods", "test_nested_names", "test_in_band_buffers", "test_bytes_memoization",
        "test_bytearray_memoization", "test_recursive_nested_names2",
    ],
    "looks up extension codes": ["test_global_ext1", "test_global_ext2", "test_global_ext4"],
    "goes through functools.partial, as protocols 2 and 3 write keyword arguments of __new__": ["test_complex_newobj_ex"],
    "sets a state that is an instance of its own, or on what a function returned": [
        "test_recursive_inst_state", "test_compat_pickle",
    ],
    "uses names that it does not list, all over the standard library": [
        "test_builtin_functions", "test_builtin_types", "test_compat_unpickle", "test_structseq", "test_load_global",
        "test_load_stack_global", "test_buffers_numpy", "test_evil_class_mutating_dict",
    ],
}  # fmt: skip
"""Tests of CPython's that do not apply to the allow-listed unpickler: why, and which."""


def outcome(suite: unittest.TestSuite) -> dict[str, Any]:
    """Run tests; how many, and the names of those that failed."""
    done = unittest.TextTestRunner(stream=io.StringIO()).run(suite)
    failed = {getattr(test, "test_case", test).id() for test, _ in (*done.failures, *done.errors)}
    return {"ran": done.testsRun, "failed": sorted(failed)}


def with_envpickle_about() -> dict[str, Any]:
    """CPython's tests of pickle as they are, in a process where classes of several metaclasses were built and pickled."""
    from harbour import docks, instances

    kept = [docks.dock(["lift"]), instances.actions(["LIFT"]), instances.error("Aground", ["where"])]
    assert [pickle.loads(pickle.dumps(cls)) for cls in kept] == kept
    return bare()


def bare() -> dict[str, Any]:
    """CPython's tests of pickle as they are."""
    return outcome(unittest.defaultTestLoader.loadTestsFromName("test.test_pickle"))


def against_ours() -> dict[str, Any]:
    """Those of them that unpickle, against the allow-listed unpickler, which is given the names that they use."""
    import test.pickletester as theirs

    names = [f"test.pickletester:{name}" for name in [*vars(theirs), "Nested.A", "Nested.A.B", "Nested.A.B.C", "Recursive"]]
    names += [f"builtins:{name}" for name in vars(builtins)]
    names += [f"__main__:{name}" for name in "CDE"] + ["http.cookies:SimpleCookie", "http.cookies:Morsel", "time:struct_time"]
    listed = [name for name in names if _can_be_listed(name)]

    class Ours:
        bad_stack_errors = truncated_errors = (errors.UnsafePickle,)
        unpickler = None

        def loads(self, data: bytes, **keywords: Any) -> Any:
            if keywords:
                raise unittest.SkipTest(f"loads takes no {sorted(keywords)}")
            return envpickle.loads(data, allow=listed)

        def dumps(self, arg: Any, proto: Any = None, **keywords: Any) -> bytes:
            return pickle.dumps(arg, proto, **keywords)

    kinds = [theirs.AbstractUnpickleTests, theirs.AbstractPickleTests]
    cases = [type(kind.__name__, (Ours, kind, unittest.TestCase), {}) for kind in kinds]
    return outcome(unittest.TestSuite(map(unittest.defaultTestLoader.loadTestsFromTestCase, cases)))


def _can_be_listed(name: str) -> bool:
    try:
        return bool(allowed_names([name]))
    except ValueError:
        return False
