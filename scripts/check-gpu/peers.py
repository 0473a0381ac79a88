"""The peers of `npm run check:gpu`: the same encoder and the same search on PyTorch and ONNX Runtime.

`peers.py models FOLDER` reads the weights, the texts and our vectors that lie there; `peers.py nearest FOLDER` reads
vectors, queries and the scores of our neighbors. Prints a JSON object a line: figures, or the reason for which there are
none. Uses nothing but what the Python has.
"""

import json
import math
import os
import sys
import time

FEW = 64
"""Texts whose vectors are compared."""

BATCH_TOKENS = 16_384
QUERY_TOKENS = 16


def say(peer, **figures):
    print(json.dumps({"peer": peer, **figures}), flush=True)


def tried(peer, work):
    """Says why there are no figures where something fails: a peer that does not work is absent, and ours is still checked."""
    try:
        work()
    except Exception as error:  # noqa: BLE001
        say(peer, absent=f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"[:300])


def floats(path):
    return torch.frombuffer(bytearray(open(path, "rb").read()), dtype=torch.float32)


def integers(path):
    return torch.frombuffer(bytearray(open(path, "rb").read()), dtype=torch.int32).long()


def median(values):
    return sorted(values)[len(values) // 2]


def weights(path):
    """The tensors of a file of safetensors, which PyTorch reads without a library."""
    data = bytearray(open(path, "rb").read())
    size = int.from_bytes(data[:8], "little")
    header = json.loads(bytes(data[8 : 8 + size]))
    tensors = {}
    for name, facts in header.items():
        start, end = facts["data_offsets"]
        flat = torch.frombuffer(data, dtype=torch.float32, count=(end - start) // 4, offset=8 + size + start)
        tensors[name] = flat.view(facts["shape"])
    return tensors


def encoder(folder):
    """An encoder of the BERT family with mean pooling: ids and a mask in, a vector for each text out."""
    config = json.load(open(os.path.join(folder, "config.json")))
    width, heads = config["hidden_size"], config["num_attention_heads"]
    functional = torch.nn.functional

    class Encoder(torch.nn.Module):
        def __init__(self):
            super().__init__()
            for name, tensor in weights(os.path.join(folder, "model.safetensors")).items():
                self.register_buffer(name.replace(".", "_"), tensor)

        def of(self, name):
            return getattr(self, name.replace(".", "_"))

        def product(self, name, x):
            return functional.linear(x, self.of(f"{name}.weight"), self.of(f"{name}.bias"))

        def norm(self, name, x):
            weight, bias = self.of(f"{name}.weight"), self.of(f"{name}.bias")
            return functional.layer_norm(x, (width,), weight, bias, config["layer_norm_eps"])

        def forward(self, ids, mask):
            texts, tokens = ids.shape
            places = torch.arange(tokens, device=ids.device)
            x = self.of("embeddings.word_embeddings.weight")[ids]
            x = x + self.of("embeddings.position_embeddings.weight")[places]
            x = x + self.of("embeddings.token_type_embeddings.weight")[0]
            x = self.norm("embeddings.LayerNorm", x)
            seen = mask[:, None, None, :]
            for layer in range(config["num_hidden_layers"]):
                at = f"encoder.layer.{layer}"
                parts = [self.product(f"{at}.attention.self.{part}", x) for part in ("query", "key", "value")]
                q, k, v = [part.view(texts, tokens, heads, width // heads).transpose(1, 2) for part in parts]
                mixed = functional.scaled_dot_product_attention(q, k, v, attn_mask=seen)
                mixed = mixed.transpose(1, 2).reshape(texts, tokens, width)
                mixed = self.product(f"{at}.attention.output.dense", mixed)
                x = self.norm(f"{at}.attention.output.LayerNorm", x + mixed)
                inner = functional.gelu(self.product(f"{at}.intermediate.dense", x))
                x = self.norm(f"{at}.output.LayerNorm", x + self.product(f"{at}.output.dense", inner))
            counted = mask[:, :, None].to(x.dtype)
            return (x * counted).sum(1) / counted.sum(1)

    return Encoder().eval()


def texts_of(folder):
    ids, lengths = integers(os.path.join(folder, "ids.u32")), integers(os.path.join(folder, "lengths.u32"))
    return list(torch.split(ids, lengths.tolist()))


def padded(texts):
    ids = torch.nn.utils.rnn.pad_sequence(texts, batch_first=True)
    lengths = torch.tensor([len(text) for text in texts])
    return ids, torch.arange(ids.shape[1])[None, :] < lengths[:, None]


def batches(texts):
    """Texts of like lengths beside each other, so that little is padding; with the places that they had."""
    order = sorted(range(len(texts)), key=lambda at: len(texts[at]))
    batch = []
    for at in order:
        if batch and len(texts[at]) * (len(batch) + 1) > BATCH_TOKENS:
            yield batch
            batch = []
        batch.append(at)
    if batch:
        yield batch


def least_cosine(found, folder, count):
    ours = floats(os.path.join(folder, "ours.f32")).view(-1, found.shape[1])[:count]
    return torch.nn.functional.cosine_similarity(found[:count].double(), ours.double()).min().item()


def measured(peer, folder, texts, run, rounds, queries):
    """Cosine, speed and latency of a function from padded ids and a mask to vectors on the CPU."""
    found = run(*padded(texts[:FEW]))
    cosine = least_cosine(found, folder, FEW)
    tokens = sum(len(text) for text in texts)
    batched = [padded([texts[at] for at in batch]) for batch in batches(texts)]
    best = math.inf
    for _ in range(rounds):
        begun = time.perf_counter()
        for ids, mask in batched:
            run(ids, mask)
        best = min(best, time.perf_counter() - begun)
    ids = torch.cat(texts)[:QUERY_TOKENS][None, :]
    mask = torch.ones_like(ids, dtype=torch.bool)
    times = []
    for _ in range(queries):
        begun = time.perf_counter()
        run(ids, mask)
        times.append((time.perf_counter() - begun) * 1e3)
    say(peer, cosine=cosine, tokens_a_second=tokens / best, query_ms=median(times))


def on_torch(folder):
    texts, model = texts_of(folder), encoder(folder)
    if torch.cuda.is_available():
        model = model.cuda().half()
        peer, device, rounds, queries = "PyTorch f16, fused attention", "cuda", 4, 200
    else:
        peer, device, rounds, queries = "PyTorch f32 on the processor", "cpu", 1, 3

    def run(ids, mask):
        with torch.inference_mode():
            return model(ids.to(device), mask.to(device)).float().cpu()

    tried(peer, lambda: measured(peer, folder, texts, run, rounds, queries))


def on_onnxruntime(folder):
    import onnxruntime

    has_cuda = "CUDAExecutionProvider" in onnxruntime.get_available_providers()
    peer = "ONNX Runtime f32 on CUDA" if has_cuda else "ONNX Runtime f32 on the processor"

    def work():
        texts, path = texts_of(folder), os.path.join(folder, "model.onnx")
        ids, mask = padded(texts[:3])
        axes = {"ids": {0: "texts", 1: "tokens"}, "mask": {0: "texts", 1: "tokens"}}
        with torch.inference_mode():
            torch.onnx.export(
                encoder(folder), (ids, mask), path, input_names=["ids", "mask"], dynamic_axes=axes, dynamo=False
            )
        providers = ["CUDAExecutionProvider"] if has_cuda else ["CPUExecutionProvider"]
        session = onnxruntime.InferenceSession(path, providers=providers)

        def run(ids, mask):
            found = session.run(None, {"ids": ids.numpy(), "mask": mask.numpy()})
            return torch.from_numpy(found[0])

        if has_cuda:
            measured(peer, folder, texts, run, 2, 100)
        else:
            count = min(len(texts), 16)
            found = run(*padded(texts[:count]))
            say(peer, cosine=least_cosine(found, folder, count))

    tried(peer, work)


def nearest(folder):
    dim = int(open(os.path.join(folder, "dim")).read())
    vectors = floats(os.path.join(folder, "vectors.f32")).view(-1, dim)
    queries = floats(os.path.join(folder, "queries.f32")).view(-1, dim)
    ours = floats(os.path.join(folder, "ours.f32")).view(len(queries), -1)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    peer = "PyTorch (cuBLAS) f32" if device == "cuda" else "PyTorch f32 on the processor"
    torch.backends.cuda.matmul.allow_tf32 = False

    def work():
        there, k = vectors.to(device), ours.shape[1]

        def run():
            return torch.topk(queries.to(device) @ there.T, k).values.cpu()

        found = run()
        difference = ((found - ours).abs() / found.abs().clamp(min=1)).max().item()
        best = math.inf
        for _ in range(10):
            begun = time.perf_counter()
            run()
            best = min(best, time.perf_counter() - begun)
        say(peer, difference=difference, queries_a_second=len(queries) / best)

    tried(peer, work)


if __name__ == "__main__":
    what, where = sys.argv[1:]
    try:
        import torch
    except ImportError as error:
        say("PyTorch", absent=f"{sys.executable} has none: {error}")
        sys.exit(0)
    if what == "nearest":
        nearest(where)
    else:
        tried("PyTorch", lambda: on_torch(where))
        tried("ONNX Runtime", lambda: on_onnxruntime(where))
