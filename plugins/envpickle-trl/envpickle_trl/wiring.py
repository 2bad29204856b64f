"""One line between a trainer and its training: what was opened is closed, what crosses is checked, what died is noticed."""

import logging
from collections.abc import Callable
from types import TracebackType
from typing import Any, Literal, Self

from envpickle import Owner

from .elsewhere import ElsewhereWorker
from .errors import CrossingRefused, WiringError
from .trainers import kind_of, rollout_arguments

__all__ = ["Close", "Wiring", "wire"]

Close = Literal["after_training", "at_exit"]
_CLOSE: tuple[Close, ...] = ("after_training", "at_exit")
_PARTS = ("environment_factory", "reward_funcs", "tools")

log = logging.getLogger("envpickle")


class Wiring:
    """What `wire` returns; as a context manager it closes the owners when its block is left.

    Attributes:
        owners: The owners.
        when: When they are closed: ``"after_training"`` or ``"at_exit"``.
    """

    def __init__(self, owners: tuple[Owner, ...], when: Close) -> None:
        self.owners = owners
        self.when = when

    def close(self) -> None:
        """Close every owner; what goes wrong is logged, so that it does not hide how the training ended."""
        for owner in self.owners:
            try:
                owner.close()
            except Exception as error:  # noqa: BLE001 -- the others are closed all the same
                log.warning("closing %r: %r", owner, error)

    def training_is_over(self) -> None:
        """Close every owner, if that is when they are to be closed."""
        if self.when == "after_training":
            self.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Wiring of {', '.join(map(repr, self.owners)) or 'no owner'}, closed {self.when.replace('_', ' ')}>"


def wire(trainer: Any, *owners: Owner, close: Close | None = None, worker: ElsewhereWorker | None = None) -> Wiring:
    """Tie owners to a trainer: the one line between making it and ``train()``.

    For an AsyncGRPOTrainer it checks that everything passed to the rollout process will get there, ends the run with the
    rollout process's own exception if that process dies, and closes the owners when ``train()`` ends, fails or is
    interrupted. Such a trainer trains only once, as TRL cannot start its rollout process again.

    A GRPOTrainer plays in this process, keeps its environments and may train or evaluate again. So its owners stay open
    until they are closed themselves: at the end of the ``with`` block of an owner or of what this returns, or when the
    process ends.

    Args:
        trainer: A GRPOTrainer or an AsyncGRPOTrainer.
        *owners: What to close: AgentEnvs, or any other `envpickle.Owner`.
        close: ``"after_training"`` closes them when ``train()`` is over; a GRPOTrainer can neither train nor evaluate after
            that, and if its ``train()`` fails, they are closed only as with ``"at_exit"``. ``"at_exit"`` leaves them open
            until then. The default is the first for an AsyncGRPOTrainer, and the second for a GRPOTrainer.
        worker: What plays an AsyncGRPOTrainer's rollouts instead of TRL's own process, such as
            `envpickle_ray.RayRolloutWorker`; it takes over what the trainer had prepared for its own worker.

    Returns:
        The tie, which is a context manager: ``with wire(trainer, port): trainer.train()``.

    Raises:
        CrossingRefused: Something would not get into the rollout process; the text lists every fault and its remedy.
        WiringError: Not a trainer, not an owner or a closed one, an unknown `close`, or a `worker` that plays no rollouts.
        UnsupportedTrl: TRL is missing or too old.
    """
    kind = kind_of(trainer)
    _check_owners(owners)
    if close is not None and close not in _CLOSE:
        raise WiringError(f"close is {close!r}; it is 'after_training' or 'at_exit'")
    wiring = Wiring(owners, close or ("after_training" if kind == "async" else "at_exit"))
    if worker is not None:
        _check_worker(worker, kind)
    if kind == "async" and getattr(trainer, "rollout_worker", None) is not None:  # only the main process has one
        if worker is not None and trainer.rollout_worker is not worker:
            worker.take_over(trainer.rollout_worker)
            trainer.rollout_worker, trainer.rollout_queue = worker, worker.rollout_buffer
        if isinstance(trainer.rollout_worker, ElsewhereWorker):
            trainer.rollout_worker.afterwards.append(wiring.training_is_over)
            return wiring
        _check_crossing(trainer)
        if _guard(trainer, wiring):
            return wiring
    if wiring.when == "after_training":
        trainer.add_callback(_at_train_end(wiring.training_is_over))
    return wiring


def _guard(trainer: Any, wiring: Wiring) -> bool:
    """Have the trainer hold a worker that ends with its process, and read from it; whether there is such a worker."""
    from .rollout_end import RolloutEnd, ending_with_its_process

    worker = trainer.rollout_worker
    if isinstance(worker, RolloutEnd):
        worker.afterwards.append(wiring.training_is_over)
        return True
    trainer.rollout_worker = ending_with_its_process(worker)
    if trainer.rollout_worker is worker:
        return False
    trainer.rollout_worker.afterwards.append(wiring.training_is_over)
    trainer.rollout_queue = trainer.rollout_worker.samples
    return True


def _at_train_end(action: Callable[[], None]) -> Any:
    from .schemas import callback_class

    def on_train_end(self: Any, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        action()

    return type("CloseOwners", (callback_class(),), {"on_train_end": on_train_end})()


def _check_crossing(trainer: Any) -> None:
    from .crossing import check_crossing

    handed = rollout_arguments(trainer)
    findings = check_crossing(**{name: handed.get(name) for name in _PARTS})
    faults = [finding for finding in findings if finding.severity == "error"]
    if faults:
        text = "\n".join(f"  {fault.subject}: {fault.message} {fault.remedy}" for fault in faults)
        raise CrossingRefused(
            f"{len(faults)} of the things handed to the rollout process would not get there:\n{text}",
            subjects=tuple(fault.subject for fault in faults),
        )


def _check_worker(worker: Any, kind: str) -> None:
    if kind != "async":
        raise WiringError("a GRPOTrainer plays its rollouts itself and has no use for a worker; leave worker out")
    if not isinstance(worker, ElsewhereWorker):
        raise WiringError(
            f"worker is {worker!r:.120}, which cannot take over from TRL's worker; give a RayRolloutWorker or another"
            " envpickle_trl.elsewhere.ElsewhereWorker"
        )


def _check_owners(owners: tuple[Any, ...]) -> None:
    for owner in owners:
        if not isinstance(owner, Owner):
            hint = "; give the AgentEnv or other owner that made it" if isinstance(owner, type) else ""
            raise WiringError(f"wire() closes owners, and {owner!r:.120} is none{hint}")
        if owner.closed:
            raise WiringError(f"{owner!r} is closed already; make another, and its classes again")
