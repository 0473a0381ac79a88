"""Models of two towers that OpenCLIP knows: types open_clip, clip, fp16_clip and clip_onnx, SigLIP among them.

The text tower takes token ids, `[batch, tokens]`, int32, the image tower `[batch, 3, size, size]`, float32. Both call what
they take `input` and what they give `output`, vectors that are not scaled.
"""

import shutil
from pathlib import Path

import open_clip
import torch
from graphs import GRAPH, versions, write_graph
from open_clip.tokenizer import SimpleTokenizer
from samples import TEXTS, pictures, png
from tokenizer_file import TOKENIZER, save_tokenizer

CONFIG = "open_clip_config.json"


class TextTower(torch.nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, ids):
        return self.model.encode_text(ids.long())


class ImageTower(torch.nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, pixels):
        return self.model.encode_image(pixels)


def export(job):
    folder = Path(job["folder"])
    model, preprocess = load(job)
    tokenizer = open_clip.get_tokenizer(place(job))
    write_tokenizer(tokenizer, folder)
    ids = tokenizer(TEXTS)
    write_graph(TextTower(model), folder / "text", {"input": ids[:2].int()}, ["output"], {0: "batch"})
    files = [TOKENIZER, f"text/{GRAPH}", *write_image_tower(model, preprocess, folder)]
    if job["publishes"] and write_config(job, folder / CONFIG):
        files.append(CONFIG)
    with torch.no_grad():
        texts = [model.encode_text(one[None])[0].tolist() for one in ids]
    return {
        "files": files,
        "madeWith": versions(torch, open_clip),
        "texts": [{"text": text, "vectors": {"tower": vector}} for text, vector in zip(TEXTS, texts)],
        "pictures": picture_vectors(model, preprocess),
    }


def place(job):
    """What OpenCLIP calls the model: an architecture, or where its configuration lies."""
    return job["architecture"] if job["tag"] else job["source"]


def load(job):
    """The model and how it prepares pictures."""
    model, preprocess = open_clip.create_model_from_pretrained(
        place(job),
        pretrained=job["tag"],
        precision="fp32",
        # The weights of OpenAI were trained so, whatever the architecture is called.
        force_quick_gelu=job["tag"] == "openai",
    )
    return model.float().eval(), preprocess


def write_image_tower(model, preprocess, folder):
    pixels = torch.stack([preprocess(picture) for picture in pictures()[:2]])
    write_graph(ImageTower(model), folder / "image", {"input": pixels}, ["output"], {0: "batch"})
    return [f"image/{GRAPH}"]


def picture_vectors(model, preprocess):
    with torch.no_grad():
        return [
            {"png": png(picture), "vector": model.encode_image(preprocess(picture)[None])[0].tolist()}
            for picture in pictures()
        ]


def write_tokenizer(tokenizer, folder):
    if isinstance(tokenizer, SimpleTokenizer):
        byte_pairs().save(str(folder / TOKENIZER))
    else:
        save_tokenizer(tokenizer.tokenizer, folder)


def byte_pairs():
    """The byte pairs of CLIP that OpenCLIP brings, as a tokenizer.json says them."""
    from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors

    original = SimpleTokenizer()
    # Two names differ from what the hub calls them; their ids are the same.
    names = {"<start_of_text>": "<|startoftext|>", "<end_of_text>": "<|endoftext|>"}
    vocabulary = {names.get(token, token): id for token, id in original.encoder.items()}
    merges = sorted(original.bpe_ranks, key=original.bpe_ranks.get)
    tokenizer = Tokenizer(
        models.BPE(vocab=vocabulary, merges=merges, end_of_word_suffix="</w>", unk_token="<|endoftext|>")
    )
    tokenizer.normalizer = normalizers.Sequence([normalizers.NFC(), normalizers.Lowercase()])
    pattern = Regex(r"'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+")
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Split(pattern, "removed", invert=True), pre_tokenizers.ByteLevel(add_prefix_space=False)]
    )
    tokenizer.decoder = decoders.ByteLevel()
    start, end = original.sot_token_id, original.eot_token_id
    tokenizer.add_special_tokens(list(names.values()))
    tokenizer.post_processor = processors.RobertaProcessing(
        ("<|endoftext|>", end), ("<|startoftext|>", start), trim_offsets=False, add_prefix_space=False
    )
    return tokenizer


def write_config(job, path):
    """What the publisher says of inputs goes along with a model that Pelorus does not know."""
    source = job["source"] or ""
    if source.startswith("local-dir:"):
        shutil.copyfile(Path(source.removeprefix("local-dir:")) / CONFIG, path)
        return True
    if source.startswith("hf-hub:"):
        from huggingface_hub import hf_hub_download

        shutil.copyfile(hf_hub_download(source.removeprefix("hf-hub:"), CONFIG), path)
        return True
    return False
