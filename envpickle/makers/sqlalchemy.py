"""SQLAlchemy's mapped classes: known, and refused with what to do instead."""

import sys

from .checks import cannot


def recognise(cls: type) -> None:
    """Refuse a mapped class, such as one that ``automap_base`` made of a table.

    It is bound to a mapper, a registry and the classes it is related to; a second one would be mapped onto the same table
    in the same registry, and one alone would lack its relations. What makes all of them again is reading the tables again.

    Raises:
        RegistrationError: It is mapped, or a base that classes are mapped with.
    """
    sqlalchemy = sys.modules.get("sqlalchemy")
    orm = sys.modules.get("sqlalchemy.orm")
    if sqlalchemy is None or orm is None:
        return
    if sqlalchemy.inspect(cls, raiseerr=False) is None and not isinstance(getattr(cls, "registry", None), orm.registry):
        return
    raise cannot(
        cls,
        "it is mapped by SQLAlchemy, whose registry would hold it twice, and its relations lead to classes that stay here",
        "Reflect the tables again where they are needed, in a function that the other process calls, and send primary keys or "
        "plain data.",
    )
