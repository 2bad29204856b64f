"""EzPickle: what it recorded makes the instance again, or the instance is refused; whose arguments they are is looked at."""

import pickle

import pytest
from harbour import recorded

from envpickle import errors


@pytest.mark.parametrize("piece", recorded.PIECES)
def test_recorded_arguments_make_the_instance_again_or_are_refused(piece: str) -> None:
    """A base that recorded its own arguments says nothing of a derived constructor that takes others."""
    one = recorded.one_of(piece)
    if recorded.CONSTRUCTORS[recorded.PIECES[piece][1]]:
        assert recorded.shown(pickle.loads(pickle.dumps(one))) == recorded.shown(one)
        return

    with pytest.raises(errors.InstanceRefused, match=r"Further[\s\S]*after super\(\)\.__init__: EzPickle\.__init__\(self[,)]"):
        pickle.dumps(one)


def test_the_remedy_is_enough() -> None:
    """What the refusal says to write, written, lets the same environment travel."""
    refused, mended = recorded.one_of("by position, before super"), recorded.one_of("by position, after super")
    with pytest.raises(errors.InstanceRefused):
        pickle.dumps(refused)

    assert recorded.shown(refused) == recorded.shown(pickle.loads(pickle.dumps(mended)))
