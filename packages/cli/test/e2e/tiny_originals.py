"""Makes original models in small, with random weights, as their own libraries save them.

Usage: tiny_originals.py FOLDER. The folder then holds `hf` (BERT), `xlm-roberta`, `sbert` (a pipeline that pools by the
class token and normalises), `dense` (one with a layer more), `open-clip`, `siglip`, `multilingual-clip`, `dino`, `frcnn`
(which is as large as the original, since its library makes no other), and `vectors.json`, what the first gives for some
texts.
"""

import json
import sys
from pathlib import Path

import open_clip
import timm
import torch
from safetensors.torch import save_file
from sentence_transformers import SentenceTransformer
from sentence_transformers.models import Dense, Normalize, Pooling, Transformer
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors, trainers
from torchvision.models.detection import fasterrcnn_resnet50_fpn_v2
from transformers import BertConfig, BertModel, PreTrainedTokenizerFast, XLMRobertaConfig, XLMRobertaModel

WORDS = "a the of cat dog red blue shoe photo picture small large café naïve Москва 東京 summer winter it's 42".split()
CORPUS = [" ".join(WORDS[(i * 7 + j * 3) % len(WORDS)] for j in range(12)) for i in range(200)]
VOCABULARY = 300


def wordpiece():
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    trainer = trainers.WordPieceTrainer(vocab_size=VOCABULARY, special_tokens=special, show_progress=False)
    tokenizer.train_from_iterator(CORPUS, trainer)
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, unk_token="[UNK]", pad_token="[PAD]", cls_token="[CLS]", sep_token="[SEP]",
        model_input_names=["input_ids", "token_type_ids", "attention_mask"], model_max_length=64,
    )


def unigram(special, template, **names):
    tokenizer = Tokenizer(models.Unigram())
    tokenizer.normalizer = normalizers.NFKC()
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    trainer = trainers.UnigramTrainer(
        vocab_size=VOCABULARY, special_tokens=special, unk_token="<unk>", show_progress=False
    )
    tokenizer.train_from_iterator(CORPUS, trainer)
    ids = [(token, special.index(token)) for token in special if token in template]
    tokenizer.post_processor = processors.TemplateProcessing(single=template, special_tokens=ids)
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, model_input_names=["input_ids", "attention_mask"], unk_token="<unk>", **names
    )


def xlm_roberta_tokenizer():
    special = ["<s>", "<pad>", "</s>", "<unk>"]
    return unigram(special, "<s> $A </s>", pad_token="<pad>", bos_token="<s>", eos_token="</s>", cls_token="<s>", sep_token="</s>")


def small(kind, **more):
    return kind(
        vocab_size=VOCABULARY, hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=64,
        max_position_embeddings=600, initializer_range=0.5, **more,
    )


def hf(folder):
    BertModel(small(BertConfig)).eval().save_pretrained(folder)
    wordpiece().save_pretrained(folder)


def xlm_roberta(folder):
    XLMRobertaModel(small(XLMRobertaConfig, pad_token_id=1)).eval().save_pretrained(folder)
    xlm_roberta_tokenizer().save_pretrained(folder)


def sbert(folder, *more):
    transformer = Transformer(str(folder.parent / "hf"))
    SentenceTransformer(modules=[transformer, Pooling(32, pooling_mode="cls"), *more, Normalize()]).save(str(folder))


def open_clip_model(folder, text, clean=None):
    config = {
        "embed_dim": 24,
        "vision_cfg": {"image_size": 32, "layers": 1, "width": 64, "patch_size": 8},
        "text_cfg": {"context_length": 16, "vocab_size": 49408, "width": 32, "heads": 2, "layers": 1, **text},
    }
    colours = {"mean": [0.5] * 3, "std": [0.5] * 3, "interpolation": "bicubic", "resize_mode": "squash"}
    folder.mkdir()
    preprocess = {} if clean is None else colours
    published = {"model_cfg": config, "preprocess_cfg": preprocess}
    (folder / "open_clip_config.json").write_text(json.dumps(published))
    model = open_clip.CLIP(**config).eval()
    for parameter in model.parameters():
        if parameter.dim() > 1:
            torch.nn.init.normal_(parameter, std=0.2)
    save_file(model.state_dict(), folder / "open_clip_model.safetensors")


def siglip(folder):
    tokenizer = unigram(["<pad>", "</s>", "<unk>"], "$A </s>", pad_token="</s>", eos_token="</s>")
    text = {
        "vocab_size": VOCABULARY, "hf_tokenizer_name": "siglip", "tokenizer_kwargs": {"clean": "canonicalize"},
        "no_causal_mask": True, "pool_type": "last", "proj_bias": True,
    }
    open_clip_model(folder, text, clean="canonicalize")
    tokenizer.save_pretrained(folder)


def multilingual_clip(folder):
    """The text tower as the publisher keeps it: a transformer and a linear layer, in one file of weights."""
    open_clip_model_folder = folder / "image"
    text = folder / "text"
    text.mkdir(parents=True)
    open_clip_model(open_clip_model_folder, {})
    transformer = XLMRobertaModel(small(XLMRobertaConfig, pad_token_id=1))
    linear = torch.nn.Linear(32, 24)
    weights = {f"transformer.{name}": value for name, value in transformer.state_dict().items()}
    weights |= {f"LinearTransformation.{name}": value for name, value in linear.state_dict().items()}
    torch.save(weights, text / "pytorch_model.bin")
    # Its base is a folder here, where the publisher names a repository.
    xlm_roberta(text / "base")
    xlm_roberta_tokenizer().save_pretrained(text)
    config = {"modelBase": str(text / "base"), "transformerDimensions": 32, "numDims": 24, "model_type": "M-CLIP"}
    (text / "config.json").write_text(json.dumps(config))


def dino(folder):
    args = {"embed_dim": 48, "depth": 2, "num_heads": 6}
    model = timm.create_model("vit_small_patch16_224", num_classes=0, **args)
    for parameter in model.parameters():
        if parameter.dim() > 1:
            torch.nn.init.normal_(parameter, std=0.3)
    timm.models.save_for_hf(model, folder, model_args=args)


def frcnn(folder):
    folder.mkdir()
    model = fasterrcnn_resnet50_fpn_v2(weights=None, weights_backbone=None)
    torch.save(model.state_dict(), folder / "weights.pth")


def class_token_vectors(folder):
    """The hidden state of each text's first token, scaled to length 1."""
    tokenizer = PreTrainedTokenizerFast.from_pretrained(folder)
    model = BertModel.from_pretrained(folder).eval()
    with torch.no_grad():
        states = [model(**tokenizer(text, return_tensors="pt")).last_hidden_state[0, 0] for text in CORPUS[:20]]
    return [{"text": text, "vector": (state / state.norm()).tolist()} for text, state in zip(CORPUS, states)]


def main():
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(13)
    hf(folder / "hf")
    xlm_roberta(folder / "xlm-roberta")
    sbert(folder / "sbert")
    sbert(folder / "dense", Dense(32, 32))
    open_clip_model(folder / "open-clip", {})
    siglip(folder / "siglip")
    multilingual_clip(folder / "multilingual-clip")
    dino(folder / "dino")
    frcnn(folder / "frcnn")
    (folder / "vectors.json").write_text(json.dumps(class_token_vectors(folder / "hf")))


main()
