"""pydantic: models of `create_model` and parametrised generic ones travel as what they are made of, or are refused."""

import gc
import pickle
import typing
from collections.abc import Callable
from typing import Annotated, Any, ClassVar

import annotated_types
import pydantic
import pytest
from harbour import made_pydantic, tripped
from pydantic import Field, create_model
from voyage.made import legs, verdicts

import envpickle
from envpickle import errors
from envpickle.makers import generics

HOLD = "harbour.made_pydantic"


@pytest.mark.parametrize(("tool", "piece"), legs(HOLD))
def test_a_model_crosses_and_comes_home(tool: str, piece: str) -> None:
    """A fresh child gets the model it would have made itself, and it comes home as the object that left."""
    assert verdicts(HOLD, tool)[piece] == "ok"


def test_a_model_is_registered_in_place() -> None:
    """Its metaclass is pydantic's own, so nothing that holds the model has to change."""
    model = made_pydantic.order("InPlace")
    inside: Any = create_model("Holder", one=(model, ...))

    assert envpickle.register(model) is model
    assert pickle.loads(pickle.dumps(model)) is model
    assert envpickle.describe(model).builder == "envpickle.makers.pydantic:create_model"
    assert type(inside(one={"thing": "tea"}).one) is model


def _spelled() -> Any:
    return create_model(
        "Spelled",
        a=(int, ...),
        b=(list[int], []),
        c=(int, Field(gt=1, strict=True, description="c", max_digits=3)),
        d=(Annotated[int, annotated_types.Gt(1)], Field(2, lt=9)),
        e=(Annotated[str, pydantic.StringConstraints(min_length=1)], "x"),
        f=int,
    )


def test_type_hints_are_what_they_were() -> None:
    """A field comes along as it was spelled: what is in the annotation and what is not."""
    model = _spelled()
    hints = typing.get_type_hints(model, include_extras=True)
    payload = pickle.dumps(envpickle.register(model))
    del model
    gc.collect()
    back = pickle.loads(payload)

    assert typing.get_type_hints(back, include_extras=True) == hints
    assert pickle.dumps(back) == payload


def _uses(model: Any) -> None:
    import copy
    import inspect

    one = model(thing="tea")
    one.count = 5
    model.model_json_schema()
    inspect.signature(model)
    model.model_rebuild(force=True)
    assert isinstance(one, model)
    assert copy.copy(one) == copy.deepcopy(one) == one
    assert model.model_validate_json(one.model_dump_json(by_alias=True)).count == 5


def test_a_model_in_use_is_what_it_was() -> None:
    """Instances, schemas and a rebuild change nothing that counts."""
    model = envpickle.register(made_pydantic.order("Used"))
    pickle.dumps(model)
    _uses(model)

    assert pickle.loads(pickle.dumps(model)) is model


def _adds(model: Any) -> None:
    model.extra = 1


def _configures(model: Any) -> None:
    model.model_config["frozen"] = True


def _replaces_a_field(model: Any) -> None:
    model.model_fields["count"] = pydantic.fields.FieldInfo(annotation=int, default=9)


def _edits_a_field(model: Any) -> None:
    model.model_fields["count"].default = 9
    model.model_rebuild(force=True)


def _edits_a_field_alone(model: Any) -> None:
    model.model_fields["count"].default = 9


def _edits_a_default(model: Any) -> None:
    model.model_fields["words"].default.append("more")


PATCHES = [_adds, _configures, _replaces_a_field, _edits_a_field, _edits_a_field_alone, _edits_a_default]


@pytest.mark.parametrize("patch", PATCHES)
def test_a_patched_model_is_refused(patch: Callable[[Any], None]) -> None:
    """What was changed after registering would be lost, so it is named."""
    model = envpickle.register(made_pydantic.order(f"Patched{patch.__name__}"))
    pickle.dumps(model)
    patch(model)

    with pytest.raises(errors.ClassChanged, match=r"extra|model_config|__pydantic_fields__|: fields\."):
        pickle.dumps(model)


def _body() -> Any:
    return create_model("Body", __validators__={"twice": lambda self: 2}, x=(int, 1))


def _local_validator() -> Any:
    def local(cls: Any, value: int) -> int:
        return value

    return create_model("Local", __validators__={"local": pydantic.field_validator("x")(classmethod(local))}, x=(int, 1))


def _computed() -> Any:
    class Computed(pydantic.BaseModel):
        x: int = 1

        @pydantic.computed_field  # type: ignore[prop-decorator]
        @property
        def twice(self) -> int:
            return self.x * 2

    return Computed


def _variable() -> Any:
    class Variable(pydantic.BaseModel):
        x: ClassVar[int] = 1

    return Variable


def _private() -> Any:
    class Private(pydantic.BaseModel):
        _x: int = 1

    return Private


def _generator() -> Any:
    return create_model("Generated", __config__=pydantic.ConfigDict(alias_generator=tripped.trip), x=(int, 1))


def _schema_function() -> Any:
    return create_model("Schema", x=(int, Field(1, json_schema_extra=tripped.trip)))


def _patched_before() -> Any:
    model = made_pydantic.order("Before")
    model.model_fields["count"].default = 9
    return model


def _waiting() -> Any:
    return create_model("Waiting", x=("Missing", ...))


def _schema_input() -> Any:
    check = pydantic.field_validator("x", mode="before", json_schema_input_type=str)(classmethod(made_pydantic.positive))
    return create_model("Input", __validators__={"check": check}, x=(int, 1))


def _schema_input_beside() -> Any:
    check = pydantic.BeforeValidator(made_pydantic.shout, json_schema_input_type=str)
    return create_model("InputBeside", x=(Annotated[str, check], "x"))


def _registering_base() -> Any:
    return create_model("Registered", __base__=made_pydantic.Registering, x=(int, 1))


def _plain_base_beside() -> Any:
    return create_model("Mixed", __base__=(made_pydantic.Crate, tripped.Plain), x=(int, 1))


def _parametrized_and_patched() -> Any:
    box: Any = made_pydantic.Box[frozenset[int]]
    box.extra = 1
    return box


REFUSED = {
    "a method": (_body, "twice"),
    "a validator that no name leads to": (_local_validator, "local"),
    "a computed field": (_computed, "twice"),
    "a class variable": (_variable, "x"),
    "private state": (_private, "_x"),
    "a generator of aliases": (_generator, "generator of aliases"),
    "a function for the schema": (_schema_function, "trip stands where plain values belong"),
    "patched before": (_patched_before, "what it validates"),
    "waiting for a type": (_waiting, "model_rebuild"),
    "what the schema takes": (_schema_input, "JSON schema"),
    "what the schema takes, beside a type": (_schema_input_beside, "JSON schema"),
    "a base that is told of what derives from it": (_registering_base, "__pydantic_init_subclass__"),
    "a plain base beside a model": (_plain_base_beside, "Plain.* is no class that this maker derives from"),
    "a patched parametrised one": (_parametrized_and_patched, "extra"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_would_not_come_along_is_refused(what: str) -> None:
    """The refusal names it, and nothing is left on the class."""
    make, named = REFUSED[what]
    model = make()
    with pytest.raises(errors.RegistrationError, match=named) as caught:
        envpickle.register(model)

    assert not hasattr(model, "__envpickle_record__")
    assert str(caught.value).count("Registration") == 0
    assert any(word in str(caught.value) for word in ("Define", "Call", "Derive"))


def test_a_default_that_is_no_plain_data_is_refused() -> None:
    """With the path to it."""
    with pytest.raises(errors.RegistrationError, match=r"create_model\(fields=\[0\]\[3\]\[\"default\"\]\)"):
        envpickle.register(create_model("Lock", x=(Any, object())))


def test_an_inner_model_is_registered_first() -> None:
    """The refusal of the outer one names the inner."""
    inner: Any = create_model("Unknown", x=(int, 1))
    outer = create_model("Around", one=(inner, ...))
    with pytest.raises(errors.RegistrationError, match="Unknown"):
        envpickle.register(outer)
    envpickle.register(inner)

    assert envpickle.register(outer) is outer
    assert pickle.loads(pickle.dumps(outer)) is outer


def test_found_by_its_name_in_one_process_alone() -> None:
    """`Box[int]` made at the top of a module is put into that module, here; it travels as `Box` and `int` all the same."""
    exec("Made = Box[complex]", vars(made_pydantic))  # as a statement at its top does
    made: Any = vars(made_pydantic)["Made"]
    assert vars(made_pydantic)["Box[complex]"] is made
    envpickle.register(made)

    spec = envpickle.describe(made)
    assert spec.builder == "envpickle.makers.generics:parametrized"
    assert spec.arguments == {"origin": made_pydantic.Box, "args": (complex,)}
    assert pickle.loads(pickle.dumps(made(value=1j))) == made(value=1j)


def test_a_class_that_is_here_already_is_the_one_that_arrives() -> None:
    """Also where it is found by a name: loading makes no second one, and neither the class nor the name is lost."""
    exec("Here = Box[bytes]", vars(made_pydantic))
    here: Any = vars(made_pydantic)["Here"]
    bound = generics.parametrized(made_pydantic.Box, (bytes,))

    assert bound is here is made_pydantic.Box[bytes] is vars(made_pydantic)["Box[bytes]"]
    assert pickle.loads(pickle.dumps(here)) is here
