"""Encoders of texts by others; `bench/src/inference/encoder-peers.ts` has the commands."""

import base64
import json
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import onnxruntime
import openvino
from onnxruntime.quantization import QuantType, quantize_dynamic

# Texts of a batch: they are sorted by length, as the padding of a batch is computed as well.
BATCH = 16

encoders = {}


class OnnxInt8:
    """ONNX Runtime with weights in bytes, and activations in the bytes that fit each of its tensors."""

    def __init__(self, graph, threads):
        with tempfile.TemporaryDirectory() as folder:
            file = str(Path(folder) / 'int8.onnx')
            quantize_dynamic(graph, file, weight_type=QuantType.QInt8)
            options = onnxruntime.SessionOptions()
            options.intra_op_num_threads = threads
            options.add_session_config_entry('session.intra_op.allow_spinning', '0')
            self.session = onnxruntime.InferenceSession(file, options, providers=['CPUExecutionProvider'])
        self.inputs = [given.name for given in self.session.get_inputs()]

    def hidden(self, values):
        return self.session.run(None, {name: values[name] for name in self.inputs})[0]


class OpenVino:
    """OpenVINO, computing in the numbers that `precision` names."""

    def __init__(self, graph, threads, precision):
        settings = {
            'INFERENCE_PRECISION_HINT': precision,
            'INFERENCE_NUM_THREADS': threads,
            'PERFORMANCE_HINT': 'LATENCY',
        }
        self.model = openvino.Core().compile_model(graph, 'CPU', settings)
        self.inputs = [given.any_name for given in self.model.inputs]

    def hidden(self, values):
        return self.model({name: values[name] for name in self.inputs})[0]


def load(name, graph, threads):
    makers = {
        'onnxruntime int8': lambda: OnnxInt8(graph, threads),
        'openvino f32': lambda: OpenVino(graph, threads, 'f32'),
        'openvino bf16': lambda: OpenVino(graph, threads, 'bf16'),
    }
    encoders[name] = makers[name]()
    return {}


def vectors_of(encoder, texts):
    """The mean of the tokens' vectors, at unit length."""
    longest = max(map(len, texts))
    ids = np.zeros((len(texts), longest), np.int64)
    mask = np.zeros_like(ids)
    for row, text in enumerate(texts):
        ids[row, : len(text)] = text
        mask[row, : len(text)] = 1
    values = {'input_ids': ids, 'attention_mask': mask, 'token_type_ids': np.zeros_like(ids)}
    hidden = encoder.hidden(values)
    means = (hidden * mask[:, :, None]).sum(1) / mask.sum(1)[:, None]
    return means / np.linalg.norm(means, axis=1, keepdims=True)


def embed(name, texts):
    """The vectors of all texts, and the times of the wall and of the processor for them."""
    encoder = encoders[name]
    begun, used = time.perf_counter(), time.process_time()
    order = sorted(range(len(texts)), key=lambda row: len(texts[row]))
    parts = [order[start : start + BATCH] for start in range(0, len(order), BATCH)]
    found = [vectors_of(encoder, [texts[row] for row in part]) for part in parts]
    milliseconds, cpu = (time.perf_counter() - begun) * 1000, (time.process_time() - used) * 1000
    vectors = np.empty((len(texts), found[0].shape[1]), np.float32)
    vectors[order] = np.concatenate(found)
    return {'vectors': base64.b64encode(vectors.tobytes()).decode(), 'milliseconds': milliseconds, 'cpu': cpu}


for line in sys.stdin:
    command = json.loads(line)
    operations = {'load': load, 'embed': embed}
    print(json.dumps(operations[command.pop('op')](**command)), flush=True)
