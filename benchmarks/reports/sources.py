"""The reports: where each was made, and what it is about in a few words."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Report:
    """One public report.

    Attributes:
        url: Where it was made.
        words: What it is about.
    """

    url: str
    words: str

    @property
    def short(self) -> str:
        """Owner, repository and number, as people write them."""
        parts = self.url.removeprefix("https://github.com/").split("/")
        return f"{parts[1]}#{parts[3]}"


_GITHUB = "https://github.com/"
REPORTS: dict[str, Report] = {
    number: Report(_GITHUB + path, words)
    for number, path, words in [
        ("02", "cloudpipe/cloudpickle/issues/584", "a subclass sets an attribute to its base's own value"),
        ("03", "cloudpipe/cloudpickle/issues/527", "the base's `__init_subclass__` needs a keyword"),
        ("05", "cloudpipe/cloudpickle/issues/376", "loading at home rewires the original's functions"),
        ("06", "cloudpipe/cloudpickle/issues/482", "a metaclass puts a lock on each class"),
        ("07", "cloudpipe/cloudpickle/issues/520", "a `NewType` made at run time, in annotations"),
        ("08", "uqfoundation/dill/issues/381", "a base that refuses a second subclass of a name"),
        ("09", "uqfoundation/dill/issues/393", "instances in a container come home as another class's"),
        ("10", "uqfoundation/dill/issues/253", "a metaclass takes a key out of the class body"),
        ("12", "pydantic/pydantic/issues/12040", "a model of `pydantic.create_model`, with a validator"),
        ("13", "Point72/ccflow/issues/210", "a parametrised generic model in a fresh worker"),
        ("14", "DEAP/deap/pull/711", "classes that a library keeps in its own module"),
        ("15", "giampaolo/psutil/issues/461", "a named tuple, and a subclass of one"),
        ("16", "python/cpython/issues/106959", "an enumeration made by a call: members compared by `is`"),
        ("17", "python/cpython/issues/102103", "a frozen, slotted class of `make_dataclass`"),
        ("18", "python/cpython/issues/140820", "an abstract class with annotations and a virtual subclass"),
        ("19", "python/cpython/issues/126831", "local environment factories under forkserver"),
        ("20", "ray-project/ray/issues/22552", "an ancestor that is generic"),
        ("21", "openai/gym/issues/1496", "an EzPickle environment that does not hand its arguments on"),
        ("22", "uqfoundation/dill/issues/229", "`super()` and `__class__` in a class made by a function"),
        ("25", "vecna-labs/open-range/pull/324", "environments left open when their worker is stopped"),
        ("27", "huggingface/trl/pull/7226", "tools read by name, signature and docstring"),
        ("28", "huggingface/OpenEnv/pull/1036", "a factory that holds a live connection"),
        ("29", "beartype/plum/issues/322", "a long-lived worker grows with every load"),
        ("30", "python/cpython/issues/103061", "a worker's exception with a constructor of its own"),
        ("31", "ray-project/ray/issues/4591", "a gymnasium environment made at run time"),
        ("33", "runwayml/confingy/pull/1", "a wrapper that bears the original's name"),
        ("35", "cloudpipe/cloudpickle/issues/65", "a metaclass with a signature of its own"),
        ("36", "MagicStack/uvloop/issues/735", "a builder under the main guard"),
    ]
}
