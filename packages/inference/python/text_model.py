"""Text models of transformers and sentence-transformers: types hf, hf_stella, sbert, sbert_onnx and test.

The graph takes `input_ids`, `attention_mask` and, where the model has them, `token_type_ids`, and gives
`last_hidden_state`. Pooling is left to Pelorus.
"""

import inspect
import json
from pathlib import Path

import torch
import transformers
from graphs import GRAPH, versions, write_graph
from samples import TEXTS
from tokenizer_file import TOKENIZER, save_tokenizer


class Encoder(torch.nn.Module):
    def __init__(self, model, names):
        super().__init__()
        self.model, self.names = model, names

    def forward(self, *values):
        return self.model(**dict(zip(self.names, values))).last_hidden_state


def export(job):
    folder = Path(job["folder"])
    if job["isPipeline"]:
        tokenizer, model, vectors, made_with = pipeline(job)
    else:
        tokenizer, model = load(job)
        vectors, made_with = encode, versions(torch, transformers)
    save_tokenizer(tokenizer, folder)
    write(model, tokenizer, folder)
    return {
        "files": [GRAPH, TOKENIZER],
        "madeWith": made_with,
        "poolingConfig": optional_json(job["source"], "1_Pooling/config.json"),
        "modules": optional_json(job["source"], "modules.json"),
        "texts": [{"text": text, "vectors": vectors(text, tokenizer, model, job)} for text in TEXTS],
        "pictures": [],
    }


def load(job):
    more = {"attn_implementation": "eager"}
    if job["trustsCode"]:
        # Both only save work on a GPU, by operators that no graph has.
        more |= {"trust_remote_code": True, "use_memory_efficient_attention": False, "unpad_inputs": False}
    tokenizer = transformers.AutoTokenizer.from_pretrained(job["source"], trust_remote_code=job["trustsCode"])
    model = transformers.AutoModel.from_pretrained(job["source"], **more)
    return tokenizer, model.float().eval()


def pipeline(job):
    """A pipeline of sentence-transformers, whose own vectors are the original's."""
    import sentence_transformers

    whole = sentence_transformers.SentenceTransformer(
        job["source"], device="cpu", model_kwargs={"attn_implementation": "eager"}
    )
    whole.max_seq_length = job["tokens"]
    known = ("Transformer", "Pooling", "Normalize", "Dropout")
    strange = [type(one).__name__ for one in whole if type(one).__name__ not in known]
    if strange:
        raise ValueError("its pipeline has a layer " + strange[0] + ", which Pelorus does not run")

    def vectors(text, *_):
        return {"pipeline": whole.encode([text], convert_to_numpy=True)[0].tolist()}

    model = whole[0].auto_model.float().eval()
    return whole.tokenizer, model, vectors, versions(torch, transformers, sentence_transformers)


def write(model, tokenizer, folder):
    takes = inspect.signature(model.forward).parameters
    names = [name for name in ("input_ids", "attention_mask", "token_type_ids")
             if name in tokenizer.model_input_names and name in takes]
    # Two texts of unequal length, so that nothing of the mask is taken for a constant.
    example = tokenizer(TEXTS[1:3], padding=True, return_tensors="pt")
    write_graph(
        Encoder(model, names), folder, {name: example[name] for name in names}, ["last_hidden_state"],
        {0: "batch", 1: "tokens"},
    )


def encode(text, tokenizer, model, job):
    """The vectors of both ways to pool; Pelorus knows which one counts."""
    inputs = tokenizer([text], truncation=True, max_length=job["tokens"], return_tensors="pt")
    takes = inspect.signature(model.forward).parameters
    with torch.no_grad():
        hidden = model(**{name: value for name, value in inputs.items() if name in takes}).last_hidden_state[0]
    return {"mean": hidden.mean(dim=0).tolist(), "cls": hidden[0].tolist()}


def optional_json(source, name):
    path = Path(source) / name
    if not Path(source).is_dir():
        path = transformers.utils.cached_file(source, name, _raise_exceptions_for_missing_entries=False)
    if path is None or not Path(path).is_file():
        return None
    return json.loads(Path(path).read_text(encoding="utf-8"))
