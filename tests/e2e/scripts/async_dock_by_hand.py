"""The training of async_dock.py, with its class made as one makes it without envpickle: in a function, from the tools."""

import json
from typing import Any

from datasets import Dataset
from no_gpu import stand_in
from settings import adapter, settings
from transformers.utils import get_json_schema
from trl.experimental.async_grpo import AsyncGRPOTrainer
from watching import Progress, read_plan, save
from websockets.sync.client import connect

from envpickle_openenv import list_tools


def dock_class(url: str) -> type:
    class Dock:
        def __init__(self) -> None:
            self.socket: Any = None
            self.reward: float | None = None

        def reset(self, **task: Any) -> str:
            self.socket = self.socket or connect(url.replace("http", "ws", 1) + "/ws", proxy=None)
            self.reward = None
            known = {name: value for name, value in task.items() if name != "prompt"}
            observation: str = self._ask("reset", known)["observation"]["metadata"]["message"]
            return observation

        def get_reward(self) -> float | None:
            return self.reward

        def _ask(self, kind: str, data: dict[str, Any]) -> dict[str, Any]:
            self.socket.send(json.dumps({"type": kind, "data": data}))
            answer: dict[str, Any] = json.loads(self.socket.recv())["data"]
            return answer

        def _step(self, tool: str, arguments: dict[str, Any]) -> str:
            data = self._ask("step", {"type": "call_tool", "tool_name": tool, "arguments": arguments})
            self.reward = data["reward"]
            return str(data["observation"]["result"]["data"])

    for tool in list_tools(url):
        setattr(Dock, tool.name, method(tool.name, tool.description, tool.input_schema["properties"]))
    return Dock


def method(name: str, description: str, parameters: dict[str, Any]) -> Any:
    source = ", ".join(["self", *(f"{parameter}=None" for parameter in parameters)])
    space: dict[str, Any] = {}
    given = ", ".join(f"{parameter!r}: {parameter}" for parameter in parameters)
    exec(f"def {name}({source}):\n    return self._step({name!r}, {{{given}}})", space)
    made = space[name]
    types = {"string": str, "integer": int}
    made.__annotations__ = {parameter: types[schema["type"]] for parameter, schema in parameters.items()}
    said = "\n".join(f"    {parameter}: {schema.get('description', parameter)}" for parameter, schema in parameters.items())
    made.__doc__ = f"{description}\n\nArgs:\n{said}" if said else description
    return made


def main() -> None:
    plan = read_plan()
    dock = dock_class(plan["dock"])
    env = dock()
    print(env.reset(**plan["task"]), env.move_container(container="C1", bay=9))
    print(get_json_schema(env.move_container))
    env.socket.close()
    trainer = AsyncGRPOTrainer(
        model=plan["model"],
        environment_factory=dock,
        train_dataset=Dataset.from_list([{"prompt": [{"role": "user", "content": ""}], **plan["task"]}]),
        args=settings(plan),
        peft_config=adapter(),
        callbacks=[Progress()],
    )
    trainer.train()
    save(plan, trainer)


if __name__ == "__main__":
    stand_in()
    main()
