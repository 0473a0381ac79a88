"""A joint model of random weights, whose tower for pictures has the shape and the graph of CLIP's ViT-B/32."""

import json
from pathlib import Path

import numpy
from onnx import TensorProto, helper, numpy_helper, save

SIDE, PATCH, WIDTH, HEADS, LAYERS, DIM = 224, 32, 768, 12, 12, 512
ROWS = (SIDE // PATCH) ** 2 + 1
RANDOM = numpy.random.default_rng(13)


class Graph:
    def __init__(self):
        self.nodes, self.weights = [], []

    def constant(self, values):
        self.weights.append(numpy_helper.from_array(values, f'w{len(self.weights)}'))
        return self.weights[-1].name

    def number(self, value):
        return self.constant(numpy.array(value, numpy.float32))

    def list(self, *values):
        return self.constant(numpy.array(values, numpy.int64))

    def random(self, *shape, scale=None):
        scale = scale or 1 / numpy.sqrt(shape[0])
        return self.constant((RANDOM.standard_normal(shape) * scale).astype(numpy.float32))

    def op(self, kind, *inputs, output=None, **attributes):
        output = output or f'v{len(self.nodes)}'
        self.nodes.append(helper.make_node(kind, list(inputs), [output], **attributes))
        return output

    def norm(self, x):
        scale = self.constant(numpy.ones(WIDTH, numpy.float32))
        return self.op('LayerNormalization', x, scale, self.random(WIDTH, scale=0.1), axis=-1, epsilon=1e-5)

    def linear(self, x, rows, columns):
        return self.op('Add', self.op('MatMul', x, self.random(rows, columns)), self.random(columns, scale=0.1))

    def attention(self, x):
        def heads(order):
            split = self.op('Reshape', self.linear(x, WIDTH, WIDTH), self.list(0, 0, HEADS, WIDTH // HEADS))
            return self.op('Transpose', split, perm=order)

        query = self.op('Mul', heads([0, 2, 1, 3]), self.number((WIDTH // HEADS) ** -0.5))
        shares = self.op('Softmax', self.op('MatMul', query, heads([0, 2, 3, 1])), axis=-1)
        context = self.op('Transpose', self.op('MatMul', shares, heads([0, 2, 1, 3])), perm=[0, 2, 1, 3])
        return self.linear(self.op('Reshape', context, self.list(0, 0, WIDTH)), WIDTH, WIDTH)

    def quick_gelu(self, x):
        return self.op('Mul', x, self.op('Sigmoid', self.op('Mul', x, self.number(1.702))))

    def save(self, path, kind, name, shape):
        inputs = [helper.make_tensor_value_info(name, kind, shape)]
        outputs = [helper.make_tensor_value_info('embedding', TensorProto.FLOAT, ['n', DIM])]
        graph = helper.make_graph(self.nodes, 'tower', inputs, outputs, self.weights)
        path.parent.mkdir()
        save(helper.make_model(graph, opset_imports=[helper.make_opsetid('', 17)], ir_version=9), path)


def picture_tower(path):
    g = Graph()
    kernel = g.random(WIDTH, 3, PATCH, PATCH, scale=1 / numpy.sqrt(3 * PATCH * PATCH))
    x = g.op('Conv', 'pixel_values', kernel, kernel_shape=[PATCH] * 2, strides=[PATCH] * 2)
    x = g.op('Transpose', g.op('Reshape', x, g.list(0, WIDTH, -1)), perm=[0, 2, 1])
    count = g.op('Gather', g.op('Shape', 'pixel_values'), g.list(0), axis=0)
    shape = g.op('Concat', count, g.list(1, WIDTH), axis=0)
    x = g.op('Concat', g.op('Expand', g.random(1, 1, WIDTH), shape), x, axis=1)
    x = g.norm(g.op('Add', x, g.random(1, ROWS, WIDTH, scale=0.5)))
    for _ in range(LAYERS):
        x = g.op('Add', x, g.attention(g.norm(x)))
        inner = g.quick_gelu(g.linear(g.norm(x), WIDTH, 4 * WIDTH))
        x = g.op('Add', x, g.linear(inner, 4 * WIDTH, WIDTH))
    first = g.op('Gather', x, g.constant(numpy.array(0)), axis=1)
    g.op('MatMul', g.norm(first), g.random(WIDTH, DIM), output='embedding')
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
