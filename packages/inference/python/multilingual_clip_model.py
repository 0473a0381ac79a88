"""Multilingual CLIP: a text tower of its own beside the image tower of a CLIP model.

The text tower takes `input_ids` and `attention_mask`; the mean of the hidden states of what is not padding goes through
one linear layer. It lies on the hub as one file of weights, whose configuration names the transformer it is of.
"""

import json
from pathlib import Path

import open_clip_model
import torch
import transformers
from graphs import GRAPH, versions, write_graph
from samples import TEXTS
from tokenizer_file import TOKENIZER, save_tokenizer


class TextTower(torch.nn.Module):
    def __init__(self, transformer, linear):
        super().__init__()
        self.transformer, self.linear = transformer, linear

    def forward(self, ids, mask):
        hidden = self.transformer(input_ids=ids, attention_mask=mask).last_hidden_state
        weights = mask.unsqueeze(2).to(hidden.dtype)
        return self.linear((hidden * weights).sum(dim=1) / weights.sum(dim=1))


def export(job):
    folder = Path(job["folder"])
    tokenizer = transformers.AutoTokenizer.from_pretrained(job["textSource"])
    save_tokenizer(tokenizer, folder)
    tower = load(job["textSource"])
    example = tokenizer(TEXTS[1:3], padding=True, return_tensors="pt")
    names = ("input_ids", "attention_mask")
    axes = {0: "batch", 1: "tokens"}
    write_graph(tower, folder / "text", {name: example[name] for name in names}, ["output"], axes)
    model, preprocess = open_clip_model.load(job)
    files = open_clip_model.write_image_tower(model, preprocess, folder)
    return {
        "files": [TOKENIZER, f"text/{GRAPH}", *files],
        "madeWith": versions(torch, transformers, open_clip_model.open_clip),
        "texts": [{"text": text, "vectors": {"tower": encode(text, tokenizer, tower, job)}} for text in TEXTS],
        "pictures": open_clip_model.picture_vectors(model, preprocess),
    }


def load(source):
    config = json.loads(file_of(source, "config.json").read_text(encoding="utf-8"))
    base = transformers.AutoConfig.from_pretrained(config["modelBase"])
    transformer = transformers.AutoModel.from_config(base, attn_implementation="eager")
    linear = torch.nn.Linear(config["transformerDimensions"], config["numDims"])
    weights = torch.load(file_of(source, "pytorch_model.bin"), map_location="cpu", weights_only=True)
    fill(transformer, "transformer.", weights)
    fill(linear, "LinearTransformation.", weights)
    return TextTower(transformer, linear).float().eval()


def fill(module, prefix, weights):
    own = {name.removeprefix(prefix): value for name, value in weights.items() if name.startswith(prefix)}
    # Places of tokens were kept with the weights once; they follow from the configuration.
    missing, strange = module.load_state_dict(own, strict=False)
    wrong = [name for name in [*missing, *strange] if not name.endswith("position_ids")]
    if wrong:
        raise ValueError(f"its weights do not fit its configuration: {prefix}{wrong[0]}")


def file_of(source, name):
    if Path(source).is_dir():
        return Path(source) / name
    return Path(transformers.utils.cached_file(source, name))


def encode(text, tokenizer, tower, job):
    inputs = tokenizer([text], truncation=True, max_length=job["tokens"], return_tensors="pt")
    with torch.no_grad():
        return tower(inputs["input_ids"], inputs["attention_mask"])[0].tolist()
