"""preflight of the training in async_dock.py, against the real server; and what that server says to the lengths in question."""

import json
from pathlib import Path
from typing import Any

import httpx
from datasets import Dataset
from settings import adapter, settings
from watching import read_plan

import envpickle_trl


def main() -> None:
    plan = read_plan()
    server = plan["server"]
    args = settings(plan)
    length = httpx.get(f"{server}/v1/models", trust_env=False).json()["data"][0]["max_model_len"]
    room = length - args.max_completion_length
    with envpickle_trl.environment(plan["dock"], name="Dock", max_result_chars=200) as dock:
        arguments = {
            "model": plan["model"],
            "environment_factory": dock.factory,
            "train_dataset": Dataset.from_list([{"prompt": [{"role": "user", "content": ""}], **plan["task"]}]),
            "args": args,
            "peft_config": adapter(),
        }
        said = {
            "good": envpickle_trl.preflight(arguments, server=server),
            "fits": envpickle_trl.preflight(arguments, server=server, longest_conversation=room),
            "over": envpickle_trl.preflight(arguments, server=server, longest_conversation=room + 1),
        }
    found = {name: json.loads(report.to_json()) for name, report in said.items()}
    answers = {
        "fits": answered(plan, room, args.max_completion_length),
        "over": answered(plan, room + 1, args.max_completion_length),
    }
    Path(plan["results"]).write_text(json.dumps({"length": length, "found": found, "answers": answers}), encoding="utf-8")


def answered(plan: dict[str, Any], prompt: int, tokens: int) -> int:
    """The server's status for a prompt of that length, asked as TRL asks."""
    asked = {"model": plan["model"], "prompt": [5] * prompt, "max_tokens": tokens}
    return httpx.post(f"{plan['server']}/v1/completions", json=asked, timeout=120, trust_env=False).status_code


if __name__ == "__main__":
    main()
