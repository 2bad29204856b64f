"""The smallest model and tokenizer that TRL takes for a tool-calling Qwen3, made in code."""

from pathlib import Path

SPECIAL = ("<|endoftext|>", "<|im_start|>", "<|im_end|>", "<think>", "</think>", "<tool_call>", "</tool_call>")
LEARNT_FROM = """
# Tools You may call one or more functions to assist with the user query. You are provided with function signatures within
{"type": "function", "function": {"name": "list_containers", "description": "List", "parameters": {"type": "object",
"properties": {"container": {"type": "string", "description": "Name of the container, such as C1"}, "bay": {"type": "integer",
"description": "Number of the bay, 0 to 9"}}, "required": ["container", "bay"]}, "return": {"type": "string"}}}
For each function call, return a json object with function name and arguments within XML tags: user assistant system
A ship with 3 containers is at the quay, which has bays 0 to 9. Place every container in the bay it is wanted in, then send
"""


def save_tiny_model(directory: Path) -> Path:
    """Write a model of two small layers and its tokenizer.

    Args:
        directory: Where to, an empty or missing directory.

    Returns:
        The directory, which `from_pretrained` reads.
    """
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast, Qwen3Config, Qwen3ForCausalLM
    from trl.chat_template_utils import qwen3_chat_template

    bytewise = Tokenizer(models.BPE())
    bytewise.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    bytewise.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=640, special_tokens=list(SPECIAL), initial_alphabet=alphabet, show_progress=False)
    bytewise.train_from_iterator(LEARNT_FROM.split(), trainer)
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=bytewise, eos_token="<|im_end|>", pad_token="<|endoftext|>")
    tokenizer.chat_template = qwen3_chat_template
    tokenizer.save_pretrained(directory)
    config = Qwen3Config(
        vocab_size=len(tokenizer),
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=2,
        num_key_value_heads=1,
        head_dim=16,
        max_position_embeddings=32768,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
        tie_word_embeddings=True,
    )
    Qwen3ForCausalLM(config).save_pretrained(directory)
    return directory
