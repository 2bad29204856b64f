"""SQLAlchemy: mapped classes, those of automap among them, are refused with what to do instead."""

from typing import Any

import pytest
import sqlalchemy
from sqlalchemy.ext.automap import automap_base
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

import envpickle
from envpickle import errors


def _automapped() -> Any:
    engine = sqlalchemy.create_engine("sqlite://")
    with engine.begin() as connection:
        connection.execute(sqlalchemy.text("create table crate (id integer primary key, label text)"))
    base = automap_base()
    base.prepare(autoload_with=engine)
    engine.dispose()
    return base


def _declared() -> Any:
    class Base(DeclarativeBase):
        pass

    class Crate(Base):
        __tablename__ = "crate"
        id: Mapped[int] = mapped_column(primary_key=True)

    return Crate


MAPPED = {
    "automap": lambda: _automapped().classes.crate,
    "the base of automap": _automapped,
    "declared in a function": _declared,
}


@pytest.mark.parametrize("what", MAPPED)
@pytest.mark.parametrize("by_value", [None, False])
def test_a_mapped_class_is_refused(what: str, by_value: bool | None) -> None:
    """No maker, and no by-value fallback that would map the table twice; the refusal says what to send instead."""
    cls = MAPPED[what]()
    with pytest.raises(errors.RegistrationError, match=r"mapped by SQLAlchemy.*Reflect the tables again"):
        envpickle.register(cls) if by_value is None else envpickle.register(cls, by_value=by_value)

    assert "__envpickle_record__" not in vars(cls)


def test_an_ordinary_class_is_not_taken_for_one() -> None:
    """Nor one with an attribute called registry."""
    ordinary = type("Ordinary", (), {"registry": {}, "metadata": 1})

    assert envpickle.describe(envpickle.register(ordinary)).name == "Ordinary"
