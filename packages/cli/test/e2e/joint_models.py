"""Makes small joint models with random weights, and what an independent pipeline computes with them.

Usage: joint_models.py FOLDER. Each model has the shapes, the kind of tokenizer and the preprocessing of a family of real
ones. Texts are cleaned by ftfy, cut by the tokenizers library and padded here, pictures are prepared by Pillow, and both
run on ONNX Runtime one at a time. The folder then holds the folders of the models, the pictures, and `cases.json`.
"""

import base64
import html
import io
import json
import random
import string
import sys
from pathlib import Path

import ftfy
import numpy as np
import onnxruntime
from onnx import TensorProto, helper, numpy_helper, save
from PIL import Image
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

DIM = 24
WIDTH = 32
DRAW = random.Random(13)
NUMBERS = np.random.default_rng(13)

OPENAI = ([0.48145466, 0.4578275, 0.40821073], [0.26862954, 0.26130258, 0.27577711])
HALF = ([0.5] * 3, [0.5] * 3)
IMAGENET = ([0.485, 0.456, 0.406], [0.229, 0.224, 0.225])


# Texts and tokenizers

WORDS = """a the of cat dog red blue shoe photo picture drawing small large café naïve Москва 東京 summer Winter running
l'été don't it's 42 3.14 x-ray under_score R&amp;D &lt;tag&gt; “quoted” ﬁne e\u0301clair emoji😀 ＷＩＤＥ hello, world!
(brackets) #hash @you 50% STRASSE über""".split()


def texts():
    fixed = ["", " ", "a", "a photo of a cat", "word " * 200, "x" * 500, "&amp;amp; <b>bold</b>", "A\tB\nC  D"]
    rest = [" ".join(DRAW.choice(WORDS) for _ in range(DRAW.randint(1, 40))) for _ in range(200)]
    return fixed + rest


def corpus():
    return [" ".join(DRAW.choice(WORDS) for _ in range(20)).lower() for _ in range(500)]


def clip_tokenizer():
    tokenizer = Tokenizer(models.BPE(end_of_word_suffix="</w>"))
    tokenizer.normalizer = normalizers.Sequence([normalizers.NFC(), normalizers.Lowercase()])
    pattern = r"'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+"
    split = pre_tokenizers.Split(__import__("tokenizers").Regex(pattern), "removed", invert=True)
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([split, pre_tokenizers.ByteLevel(add_prefix_space=False)])
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=900, initial_alphabet=alphabet, end_of_word_suffix="</w>", show_progress=False,
        # As in the original the two come last, so that the end has the largest id.
        special_tokens=[],
    )
    tokenizer.train_from_iterator(corpus(), trainer)
    tokenizer.add_special_tokens(["<|startoftext|>", "<|endoftext|>"])
    start, end = (tokenizer.token_to_id(f"<|{name}oftext|>") for name in ("start", "end"))
    tokenizer.post_processor = processors.RobertaProcessing(
        ("<|endoftext|>", end), ("<|startoftext|>", start), trim_offsets=False, add_prefix_space=False
    )
    return tokenizer


def unigram(special, template, unk):
    tokenizer = Tokenizer(models.Unigram())
    tokenizer.normalizer = normalizers.NFKC()
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    trainer = trainers.UnigramTrainer(vocab_size=400, special_tokens=special, unk_token=unk, show_progress=False)
    tokenizer.train_from_iterator(corpus(), trainer)
    ids = [(token, special.index(token)) for token in special if token in template]
    tokenizer.post_processor = processors.TemplateProcessing(single=template, special_tokens=ids)
    return tokenizer


def wordpiece(special, start, end, unk):
    tokenizer = Tokenizer(models.WordPiece(unk_token=unk))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    trainer = trainers.WordPieceTrainer(vocab_size=400, special_tokens=special, show_progress=False)
    tokenizer.train_from_iterator(corpus(), trainer)
    tokenizer.post_processor = processors.BertProcessing((end, special.index(end)), (start, special.index(start)))
    return tokenizer


def t5():
    return unigram(["<pad>", "</s>", "<unk>"], "$A </s>", "<unk>")


def xlm_roberta():
    return unigram(["<s>", "<pad>", "</s>", "<unk>"], "<s> $A </s>", "<unk>")


def mpnet():
    return wordpiece(["<s>", "<pad>", "</s>", "[UNK]"], "<s>", "</s>", "[UNK]")


def bert():
    return wordpiece(["[PAD]", "[UNK]", "[CLS]", "[SEP]"], "[CLS]", "[SEP]", "[UNK]")


def mended(text):
    # Bytes that were decoded wrongly stay as they are.
    return html.unescape(html.unescape(ftfy.fix_text(text, fix_encoding=False))).strip()


def whitespace(text):
    return " ".join(mended(text).split())


def lower(text):
    return whitespace(text).lower()


def canonicalize(text):
    bare = mended(text).replace("_", " ").translate(str.maketrans("", "", string.punctuation))
    return " ".join(bare.lower().split())


def untouched(text):
    return text


# Graphs


class Graph:
    """Nodes by the name of what they give."""

    def __init__(self):
        self.nodes, self.initializers, self.count = [], [], 0

    def op(self, kind, *inputs, name=None, **attributes):
        self.count += 1
        name = name or f"value_{self.count}"
        self.nodes.append(helper.make_node(kind, list(inputs), [name], **attributes))
        return name

    def constant(self, values):
        self.count += 1
        name = f"constant_{self.count}"
        self.initializers.append(numpy_helper.from_array(np.asarray(values), name))
        return name

    def weights(self, *shape, scale=None):
        scale = scale or 1 / np.sqrt(shape[0])
        return self.constant((NUMBERS.standard_normal(shape) * scale).astype(np.float32))

    def save(self, path, inputs, outputs):
        described = [[helper.make_tensor_value_info(*one) for one in some] for some in (inputs, outputs)]
        graph = helper.make_graph(self.nodes, "toy", *described, self.initializers)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
        path.parent.mkdir(parents=True, exist_ok=True)
        save(model, path)


def text_tower(path, vocabulary, *, ids="input_ids", kind=TensorProto.INT64, length, pooled, masked, batch="n", axis=False):
    """One layer of attention; pooled at the largest id (CLIP), the last token (SigLIP) or by the mean of the attended."""
    g = Graph()
    ids64 = g.op("Cast", ids, to=TensorProto.INT64)
    x = g.op("Gather", g.weights(vocabulary, WIDTH, scale=1), ids64)
    if length is not None:
        x = g.op("Add", x, g.weights(length, WIDTH, scale=0.3))
    q, k, v = (g.op("MatMul", x, g.weights(WIDTH, WIDTH)) for _ in range(3))
    scores = g.op("MatMul", q, g.op("Transpose", k, perm=[0, 2, 1]))
    scores = g.op("Mul", scores, g.constant(np.float32(1 / np.sqrt(WIDTH))))
    if pooled == "largest":
        scores = g.op("Add", scores, g.constant(np.triu(np.full((length, length), -1e9, np.float32), 1)))
    if masked:
        mask = g.op("Cast", "attention_mask", to=TensorProto.FLOAT)
        hidden = g.op("Mul", g.op("Sub", g.constant(np.float32(1)), mask), g.constant(np.float32(-1e9)))
        scores = g.op("Add", scores, g.op("Unsqueeze", hidden, g.constant(np.array([1]))))
    x = g.op("Add", x, g.op("MatMul", g.op("Softmax", scores, axis=-1), v))
    x = g.op("Add", x, g.op("Tanh", g.op("MatMul", x, g.weights(WIDTH, WIDTH))))
    if pooled == "mean":
        column = g.op("Unsqueeze", mask, g.constant(np.array([2])))
        total = g.op("ReduceSum", g.op("Mul", x, column), g.constant(np.array([1])), keepdims=0)
        vector = g.op("Div", total, g.op("ReduceSum", column, g.constant(np.array([1])), keepdims=0))
    else:
        if pooled == "largest":
            place = g.op("ArgMax", ids64, axis=1, keepdims=1)
        else:
            place = g.op("Add", g.op("Mul", g.op("Slice", ids64, *(g.constant(np.array([n])) for n in (0, 1, 1))),
                                     g.constant(np.int64(0))), g.constant(np.int64(length - 1)))
        place = g.op("Expand", g.op("Unsqueeze", place, g.constant(np.array([2]))), g.constant(np.array([1, 1, WIDTH])))
        vector = g.op("Squeeze", g.op("GatherElements", x, place, axis=1), g.constant(np.array([1])))
    shape = [batch, DIM]
    vector = g.op("MatMul", vector, g.weights(WIDTH, DIM), name=None if axis else "text_embeds")
    if axis:
        g.op("Unsqueeze", vector, g.constant(np.array([0])), name="text_embeds")
        shape = [1, *shape]
    inputs = [(ids, kind, [batch, length or "t"])]
    if masked:
        inputs.append(("attention_mask", kind, [batch, length or "t"]))
    g.save(path, inputs, [("text_embeds", TensorProto.FLOAT, shape)])


def image_tower(path, size, *, name="pixel_values", kind=TensorProto.FLOAT, batch="n", patch=8):
    g = Graph()
    x = g.op("Cast", name, to=TensorProto.FLOAT)
    x = g.op("Conv", x, g.weights(WIDTH, 3, patch, patch, scale=0.1), kernel_shape=[patch] * 2, strides=[patch] * 2)
    x = g.op("Transpose", g.op("Reshape", x, g.constant(np.array([0, WIDTH, -1]))), perm=[0, 2, 1])
    x = g.op("Add", x, g.op("Tanh", g.op("MatMul", x, g.weights(WIDTH, WIDTH))))
    x = g.op("ReduceMean", x, axes=[1], keepdims=0)
    x = g.op("MatMul", x, g.weights(WIDTH, DIM))
    g.op("Cast", x, to=kind, name="image_embeds")
    g.save(path, [(name, kind, [batch, 3, size, size])], [("image_embeds", kind, [batch, DIM])])


# Pictures


def pictures():
    made = []
    for i in range(200):
        size = (DRAW.randint(9, 160), DRAW.randint(9, 160))
        mode = ("RGB", "RGB", "L", "RGBA", "P", "LA", "CMYK")[i % 7]
        noise = NUMBERS.integers(0, 256, (size[1] // 4 + 1, size[0] // 4 + 1, 4), dtype=np.uint8)
        picture = Image.fromarray(noise, "RGBA").resize(size, Image.Resampling.BICUBIC)
        picture = picture.convert("RGB").convert(mode) if mode in ("CMYK", "P") else picture.convert(mode)
        out = io.BytesIO()
        picture.save(out, "JPEG" if mode == "CMYK" or i % 7 == 1 else "PNG")
        made.append(out.getvalue())
    return made


def prepared(data, size, colours, interpolation, resize):
    """As torchvision's Resize, CenterCrop and Normalize make it of a Pillow picture."""
    picture = Image.open(io.BytesIO(data))
    width, height = picture.size
    if resize == "shortest":
        short, long = min(width, height), max(width, height)
        longer = int(size * long / short)
        width, height = (size, longer) if width <= height else (longer, size)
    else:
        width, height = size, size
    picture = picture.resize((width, height), getattr(Image.Resampling, interpolation))
    left, top = int(round((width - size) / 2.0)), int(round((height - size) / 2.0))
    picture = picture.crop((left, top, left + size, top + size)).convert("RGB")
    mean, std = (np.array(one, np.float32) for one in colours)
    return ((np.asarray(picture, np.float32) / 255 - mean) / std).transpose(2, 0, 1)


def family(name, *, properties, tokenizer, clean, length, pad, text, image, size, colours, interpolation, resize, end=None, omit=None):
    return locals()


FAMILIES = [
    family(
        "clip", tokenizer=clip_tokenizer, clean=lower, length=77, pad=0, end="<|endoftext|>",
        properties={"type": "open_clip", "name": "ViT-B-32", "size": 48},
        text={"ids": "text", "kind": TensorProto.INT32, "pooled": "largest", "masked": False},
        image={}, size=48, colours=OPENAI, interpolation="BICUBIC", resize="shortest",
    ),
    family(
        "siglip", tokenizer=t5, clean=canonicalize, length=64, pad=1,
        properties={"type": "open_clip", "name": "ViT-B-16-SigLIP", "size": 40},
        text={"pooled": "last", "masked": False},
        image={"name": "image", "batch": 1}, size=40, colours=HALF, interpolation="BICUBIC", resize="squash",
    ),
    family(
        "clipa", tokenizer=bert, clean=whitespace, length=32, pad=0, omit="[SEP]",
        properties={"type": "open_clip", "name": "ViT-L-14-CLIPA-336", "imagePreprocessor": "CLIPA", "size": 32},
        text={"pooled": "last", "masked": False, "axis": True},
        image={"kind": TensorProto.FLOAT16}, size=32, colours=IMAGENET, interpolation="BILINEAR", resize="squash",
    ),
    family(
        "xlm-roberta", tokenizer=xlm_roberta, clean=whitespace, length=77, pad=1,
        properties={"type": "open_clip", "name": "mine", "tokenizer": "xlm-roberta-base", "size": 56},
        text={"pooled": "mean", "masked": True, "kind": TensorProto.INT32, "batch": 1},
        image={}, size=56, colours=OPENAI, interpolation="BICUBIC", resize="shortest",
    ),
    family(
        "mpnet", tokenizer=mpnet, clean=whitespace, length=77, pad=1,
        properties={"type": "open_clip", "name": "mine", "tokenizer": "some/mpnet", "size": 24, "mean": [0, 0, 0], "std": [1, 1, 1]},
        text={"pooled": "mean", "masked": True},
        image={"batch": 3}, size=24, colours=([0] * 3, [1] * 3), interpolation="BICUBIC", resize="shortest",
    ),
    family(
        "multilingual-clip", tokenizer=xlm_roberta, clean=untouched, length=None, pad=1,
        properties={"type": "multilingual_clip", "name": "mine", "size": 48},
        text={"pooled": "mean", "masked": True},
        image={}, size=48, colours=OPENAI, interpolation="BICUBIC", resize="shortest",
    ),
]


def encoded(tokenizer, text, length, pad, end, omit):
    """Ids and mask of a text, without the library's own truncation and padding where the original does without."""
    if end is not None:
        # The tokenizer of CLIP: the first ids, of which the last is forced to be the end.
        ids = tokenizer.encode(text).ids
        if len(ids) > length:
            ids = [*ids[: length - 1], tokenizer.token_to_id(end)]
    else:
        tokenizer.enable_truncation(length or 512)
        ids = tokenizer.encode(text).ids
    mask = [1] * len(ids)
    if omit is not None:
        ids = [0 if id == tokenizer.token_to_id(omit) else id for id in ids]
    missing = 0 if length is None else length - len(ids)
    return ids + [pad] * missing, mask + [0] * missing


def unit(rows):
    rows = np.asarray(rows, np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def text_vectors(session, f, tokenizer, some):
    kinds = {"tensor(int32)": np.int32, "tensor(int64)": np.int64}
    rows = []
    for text in some:
        ids, mask = encoded(tokenizer, f["clean"](text), f["length"], f["pad"], f["end"], f["omit"])
        given = zip(session.get_inputs(), (ids, mask))
        feeds = {one.name: np.array([values], kinds[one.type]) for one, values in given}
        rows.append(session.run(None, feeds)[0].reshape(DIM))
    return unit(rows)


def image_vectors(session, tensors):
    [one] = session.get_inputs()
    batch = one.shape[0] if isinstance(one.shape[0], int) else 1
    kind = np.float16 if one.type == "tensor(float16)" else np.float32
    return unit([session.run(None, {one.name: np.stack([t] * batch).astype(kind)})[0][0].astype(np.float32) for t in tensors])


def main(folder):
    all_texts, all_pictures = texts(), pictures()
    cases = {"texts": all_texts, "pictures": [base64.b64encode(one).decode() for one in all_pictures], "models": []}
    for f in FAMILIES:
        to = folder / f["name"]
        tokenizer = f["tokenizer"]()
        text_tower(to / "text" / "model.onnx", tokenizer.get_vocab_size(), length=f["length"], **f["text"])
        image_tower(to / "image" / "model.onnx", f["size"], **f["image"])
        tokenizer.save(str(to / "tokenizer.json"))
        sessions = {tower: onnxruntime.InferenceSession(to / tower / "model.onnx") for tower in ("text", "image")}
        tensors = [prepared(one, f["size"], f["colours"], f["interpolation"], f["resize"]) for one in all_pictures]
        text_vectors(sessions["text"], f, tokenizer, all_texts).tofile(folder / f"{f['name']}.texts")
        image_vectors(sessions["image"], tensors).tofile(folder / f"{f['name']}.pictures")
        np.stack(tensors).astype(np.float32).tofile(folder / f"{f['name']}.tensors")
        cases["models"].append({"name": f["name"], "properties": {"dimensions": DIM, **f["properties"]}, "std": f["colours"][1]})
    (folder / "cases.json").write_text(json.dumps(cases), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
