"""Classes that a name leads to in this process alone, because a library put them there as the program ran."""


def found_only_here(cls: type) -> bool:
    """Whether a class that is found by its name may not be found by it in another process.

    pydantic puts ``Box[int]`` into the module that asked for it at its top level, which may be any module; DEAP's ``creator``
    puts what it makes into ``deap.creator``. No class statement gives a name with a bracket.
    """
    return "[" in cls.__qualname__ or type(cls).__module__ == "deap.creator"
