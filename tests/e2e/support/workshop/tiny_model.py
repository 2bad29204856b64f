"""The tiny model of the training checks: makes tool calls in the right form, and chooses their digits at random.

``python -m workshop.tiny_model DIRECTORY DOCK-URL PANTRY-URL`` makes it there, in about half a minute: a Qwen3 of two layers, a
tokenizer trained on its own transcripts, and a few steps of training on what the assistant says in them. The tool schemas are
those of the environment classes, so the prompts are the ones TRL will render.
"""

import sys
from pathlib import Path
from typing import Any

import torch
from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerFast, Qwen3Config, Qwen3ForCausalLM
from transformers.utils import get_json_schema
from trl.chat_template_utils import qwen3_chat_template, qwen3_training_chat_template

from envpickle_openenv import AgentEnv

from .transcripts import conversations

__all__ = ["make"]

END, PAD, START = "<|im_end|>", "<|endoftext|>", "<|im_start|>"
MARKS = ["<think>", "</think>", "<tool_call>", "</tool_call>"]
VOCABULARY = 1500  # as many as there are merges: a line of a tool schema is one token
STEPS, BATCH, WARM_UP, RATE = 200, 16, 10, 3e-3


def make(directory: Path, urls: dict[str, str]) -> None:
    """Make the model and its tokenizer.

    Args:
        directory: Where to save both.
        urls: The addresses of the port's environments, by name.
    """
    torch.manual_seed(0)
    schemas = {name: tool_schemas(name, url) for name, url in urls.items()}
    tokenizer = make_tokenizer(schemas)
    model = make_model(tokenizer)
    batches = {name: encoded(tokenizer, name, tools) for name, tools in schemas.items()}
    train(model, [row for rows in batches.values() for row in rows])
    tokenizer.chat_template = qwen3_chat_template  # TRL knows this text, and swaps in the one trained on
    model.save_pretrained(directory)
    tokenizer.save_pretrained(directory)


def tool_schemas(name: str, url: str) -> list[dict[str, Any]]:
    """The schemas of an environment's tools, in the order TRL lists them."""
    with AgentEnv(url, name=name) as served:
        methods = sorted(set(served.toolset.names))
        return [get_json_schema(getattr(served.factory, method)) for method in methods]


def rendered(name: str, tools: list[dict[str, Any]], count: int, seed: int) -> list[str]:
    """Conversations as text."""
    bare = PreTrainedTokenizerFast(tokenizer_object=Tokenizer(models.BPE()), chat_template=qwen3_training_chat_template)
    return [bare.apply_chat_template(messages, tools=tools, tokenize=False) for messages in conversations(name, count, seed)]


def make_tokenizer(schemas: dict[str, list[dict[str, Any]]]) -> PreTrainedTokenizerFast:
    """Train a tokenizer whose digits stand alone, whatever stands beside them.

    Line ends stand alone too, so that what the assistant says is cut the same way whether the prompt ends before it or it is
    part of the conversation: a token that straddles that border would not be trained.
    """
    core = Tokenizer(models.BPE())
    core.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(r"\n+"), "isolated"),
            pre_tokenizers.Digits(individual_digits=True),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    core.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=VOCABULARY, special_tokens=[PAD, START, END], initial_alphabet=alphabet, max_token_length=None
    )
    texts = [text for name, tools in schemas.items() for text in rendered(name, tools, 64, seed=1)]
    for mark in (START, END, *MARKS):  # they are cut out before the rest is looked at, as they are when it is used
        texts = [piece for text in texts for piece in text.split(mark)]
    core.train_from_iterator(texts, trainer)
    core.add_tokens(MARKS)
    return PreTrainedTokenizerFast(
        tokenizer_object=core,
        eos_token=END,
        pad_token=PAD,
        padding_side="left",
        chat_template=qwen3_training_chat_template,
        clean_up_tokenization_spaces=False,
    )


def make_model(tokenizer: PreTrainedTokenizerFast) -> Qwen3ForCausalLM:
    """An untrained model for a tokenizer."""
    config = Qwen3Config(
        vocab_size=len(tokenizer),
        hidden_size=128,
        intermediate_size=384,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        head_dim=32,
        max_position_embeddings=1024,
        tie_word_embeddings=True,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
        bos_token_id=None,
        dtype="float32",
    )
    return Qwen3ForCausalLM(config)


def encoded(tokenizer: PreTrainedTokenizerFast, name: str, tools: list[dict[str, Any]]) -> list[dict[str, list[int]]]:
    """Conversations as tokens, with a mask of what the assistant says."""
    return [
        tokenizer.apply_chat_template(messages, tools=tools, return_dict=True, return_assistant_tokens_mask=True, tokenize=True)
        for messages in conversations(name, 256, seed=2)
    ]


def train(model: Qwen3ForCausalLM, rows: list[dict[str, list[int]]]) -> None:
    """Train on what the assistant says."""
    optimizer = torch.optim.AdamW(model.parameters(), lr=RATE)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: min(1.0, (step + 1) / WARM_UP))
    model.train()
    for step in range(STEPS):
        chosen = [rows[index] for index in torch.randint(len(rows), (BATCH,)).tolist()]
        longest = max(len(row["input_ids"]) for row in chosen)
        tokens = torch.tensor([row["input_ids"] + [0] * (longest - len(row["input_ids"])) for row in chosen])
        said = torch.tensor([row["assistant_masks"] + [0] * (longest - len(row["assistant_masks"])) for row in chosen])
        loss = model(input_ids=tokens, labels=tokens.masked_fill(said == 0, -100)).loss
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        optimizer.zero_grad()
        if step % 20 == 0 or step == STEPS - 1:
            print(f"tiny model: step {step + 1}/{STEPS}, {longest} tokens, loss {loss.item():.3f}", flush=True)


if __name__ == "__main__":
    make(Path(sys.argv[1]), {"dock": sys.argv[2], "pantry": sys.argv[3]})
