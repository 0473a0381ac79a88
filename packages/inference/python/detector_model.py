"""Networks that take pictures apart: Faster R-CNN of torchvision (patch method frcnn), DINO of timm (dino-v1 and dino-v2).

Faster R-CNN takes one picture, `[3, 240, 240]` from 0 to 1, and gives `boxes`, `[parts, 4]`, and `scores`, `[parts]`:
resizing, normalising and the suppression of overlaps are in its graph. DINO takes `[batch, 3, 224, 224]`, normalised, and
gives `attention`, `[batch, heads, 196]`: how much the class token of the last layer looks at each patch.
"""

import base64
from pathlib import Path

import numpy as np
import torch
from graphs import GRAPH, versions, write_graph
from samples import pictures


class Boxes(torch.nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, picture):
        (found,) = self.model([picture])
        return found["boxes"], found["scores"]


class Attention(torch.nn.Module):
    """The last layer of a vision transformer up to its weights, which libraries compute and throw away."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, picture):
        model = self.model
        tokens = model.norm_pre(model._pos_embed(model.patch_embed(picture)))
        *before, last = model.blocks
        for block in before:
            tokens = block(tokens)
        attention = last.attn
        batch, count, width = tokens.shape
        heads = attention.qkv(last.norm1(tokens)).reshape(batch, count, 3, attention.num_heads, -1)
        queries, keys, _ = heads.permute(2, 0, 3, 1, 4).unbind(0)
        queries, keys = attention.q_norm(queries), attention.k_norm(keys)
        weights = (queries * attention.scale) @ keys.transpose(-2, -1)
        return weights.softmax(dim=-1)[:, :, 0, model.num_prefix_tokens :]


def export(job):
    return {"frcnn": export_boxes, "dino": export_attention}[job["detector"]](job)


def export_boxes(job):
    import torchvision
    from torchvision.models.detection import fasterrcnn_resnet50_fpn_v2

    options = {"box_score_thresh": 1e-4, "box_nms_thresh": 0.01, "box_detections_per_img": 100, "min_size": 320}
    if job["source"] is None:
        model = fasterrcnn_resnet50_fpn_v2(weights=job["tag"], **options)
    else:
        model = fasterrcnn_resnet50_fpn_v2(weights=None, weights_backbone=None, **options)
        model.load_state_dict(torch.load(weights_file(job["source"]), map_location="cpu", weights_only=True))
    inputs = [torch.from_numpy(colours(picture, 240)) for picture in pictures()]
    boxes = Boxes(model.eval())
    return exported(job, boxes, boxes, inputs, ["boxes", "scores"], {0: "parts"}, versions(torch, torchvision))


def weights_file(folder):
    files = sorted(Path(folder).glob("*.pth"))
    if len(files) != 1:
        raise FileNotFoundError("%s has %d files *.pth, expected one with the weights" % (folder, len(files)))
    return files[0]


def export_attention(job):
    import timm
    from timm.layers import set_fused_attn

    # Otherwise the library computes no weights that could be seen.
    set_fused_attn(False)
    model = timm.create_model(job["source"] or "%s.%s" % (job["architecture"], job["tag"]), pretrained=True).eval()
    mean, std = (np.array(one, np.float32).reshape(3, 1, 1) for one in [(0.485, 0.456, 0.406), (0.229, 0.224, 0.225)])
    inputs = [torch.from_numpy((colours(picture, 224) - mean) / std)[None] for picture in pictures()]
    original = lambda picture: seen_attention(model, picture)
    return exported(job, Attention(model), original, inputs, ["attention"], {0: "batch"}, versions(torch, timm))


def seen_attention(model, picture):
    """The weights of the last layer as the library itself has them on its way."""
    seen = []
    hook = model.blocks[-1].attn.attn_drop.register_forward_hook(lambda _, given, __: seen.append(given[0]))
    model.forward_features(picture)
    hook.remove()
    return seen[0][:, :, 0, model.num_prefix_tokens :]


def exported(job, module, original, inputs, outputs, dynamic, made_with):
    # A picture has no batch where the output counts parts.
    free = {} if "parts" in dynamic.values() else dynamic
    write_graph(module, job["folder"], {"picture": inputs[0]}, outputs, free, dynamic)
    with torch.no_grad():
        given = [original(one) for one in inputs]
    runs = [
        {"input": packed(one), "outputs": dict(zip(outputs, map(packed, each if isinstance(each, tuple) else [each])))}
        for one, each in zip(inputs, given)
    ]
    return {"files": [GRAPH], "madeWith": made_with, "texts": [], "pictures": [], "runs": runs}


def colours(picture, side):
    """`[3, side, side]`, from 0 to 1."""
    return np.asarray(picture.resize((side, side)), np.float32).transpose(2, 0, 1) / np.float32(255)


def packed(values):
    return base64.b64encode(values.numpy().astype("<f4").tobytes()).decode("ascii")
