"""The tokenizer of an original as the one file that Pelorus reads."""

TOKENIZER = "tokenizer.json"


def save_tokenizer(tokenizer, folder):
    """Saves a tokenizer of transformers. What it pads with stands elsewhere in the original, and here in the file."""
    inner = getattr(tokenizer, "backend_tokenizer", None)
    if inner is None:
        raise ValueError("its tokenizer has no fast form, and so no tokenizer.json")
    inner.no_truncation()
    if tokenizer.pad_token_id is not None:
        inner.enable_padding(pad_id=tokenizer.pad_token_id, pad_token=tokenizer.pad_token)
    inner.save(str(folder / TOKENIZER))
    inner.no_padding()
