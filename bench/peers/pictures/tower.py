"""A joint model with random weights, whose tower for pictures computes about as much as that of ViT-B/32: 4.6 GFLOP."""

import json
from pathlib import Path

import numpy
from onnx import TensorProto, helper, numpy_helper, save

SIDE, PATCH, WIDTH, LAYERS, DIM = 224, 16, 384, 10, 64
RANDOM = numpy.random.default_rng(13)


class Graph:
    def __init__(self):
        self.nodes, self.weights = [], []

    def constant(self, values):
        self.weights.append(numpy_helper.from_array(values, f'w{len(self.weights)}'))
        return self.weights[-1].name

    def random(self, *shape):
        return self.constant((RANDOM.standard_normal(shape) / numpy.sqrt(shape[0])).astype(numpy.float32))

    def op(self, kind, *inputs, output=None, **attributes):
        output = output or f'v{len(self.nodes)}'
        self.nodes.append(helper.make_node(kind, list(inputs), [output], **attributes))
        return output

    def save(self, path, kind, name, shape):
        inputs = [helper.make_tensor_value_info(name, kind, shape)]
        outputs = [helper.make_tensor_value_info('embedding', TensorProto.FLOAT, ['n', DIM])]
        graph = helper.make_graph(self.nodes, 'tower', inputs, outputs, self.weights)
        path.parent.mkdir()
        save(helper.make_model(graph, opset_imports=[helper.make_opsetid('', 17)], ir_version=9), path)


def picture_tower(path):
    g = Graph()
    x = g.op('Conv', 'pixel_values', g.random(WIDTH, 3, PATCH, PATCH), kernel_shape=[PATCH] * 2, strides=[PATCH] * 2)
    x = g.op('Transpose', g.op('Reshape', x, g.constant(numpy.array([0, WIDTH, -1]))), perm=[0, 2, 1])
    for _ in range(LAYERS):
        hidden = g.op('Relu', g.op('MatMul', x, g.random(WIDTH, 4 * WIDTH)))
        x = g.op('Tanh', g.op('MatMul', hidden, g.random(4 * WIDTH, WIDTH)))
    g.op('MatMul', g.op('ReduceMean', x, axes=[1], keepdims=0), g.random(WIDTH, DIM), output='embedding')
    g.save(path, TensorProto.FLOAT, 'pixel_values', ['n', 3, SIDE, SIDE])


def text_tower(path):
    g = Graph()
    g.op('ReduceMean', g.op('Gather', g.random(2, DIM), 'input_ids'), axes=[1], keepdims=0, output='embedding')
    g.save(path, TensorProto.INT64, 'input_ids', ['n', 77])


def tower(folder):
    """Writes the folder of the model."""
    picture_tower(Path(folder) / 'image' / 'model.onnx')
    text_tower(Path(folder) / 'text' / 'model.onnx')
    words = {'type': 'WordLevel', 'vocab': {'[PAD]': 0, '[UNK]': 1}, 'unk_token': '[UNK]'}
    (Path(folder) / 'tokenizer.json').write_text(json.dumps({'version': '1.0', 'added_tokens': [], 'model': words}))
    return {'side': SIDE, 'dimensions': DIM}
