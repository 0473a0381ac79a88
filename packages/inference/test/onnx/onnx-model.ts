/** Writes small ONNX files, sound and otherwise, so that no test needs a download or a Python. */

type Bytes = Uint8Array<ArrayBufferLike>;

const concat = (parts: readonly Bytes[]): Bytes => Buffer.concat(parts);

function varint(value: number): Bytes {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128);
  return Uint8Array.from([...bytes, Number(rest)]);
}

const number = (field: number, value: number) => concat([varint(field * 8), varint(value)]);
const bytes = (field: number, value: Bytes) => concat([varint(field * 8 + 2), varint(value.length), value]);
const text = (field: number, value: string) => bytes(field, Buffer.from(value));
const message = (field: number, ...parts: Bytes[]) => bytes(field, concat(parts));

const FLOAT = 1;
const INT64 = 7;
const FLOAT16 = 10;

export interface NodeSpec {
  readonly op: string;
  readonly inputs: readonly string[];
  readonly output: string;
  readonly attributes?: readonly Bytes[];
}

export const intAttribute = (name: string, value: number) => concat([text(1, name), number(3, value), number(20, 2)]);

/** An attribute that holds a graph, as the branches of an `If` do. */
export const graphAttribute = (name: string, graph: Bytes) => concat([text(1, name), bytes(6, graph), number(20, 5)]);

export const node = ({ op, inputs, output, attributes = [] }: NodeSpec) =>
  concat([...inputs.map((name) => text(1, name)), text(2, output), text(4, op), ...attributes.map((a) => bytes(5, a))]);

export function floats(name: string, dims: readonly number[], values: Float32Array): Bytes {
  const raw = new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
  return concat([...dims.map((dim) => number(1, dim)), number(2, FLOAT), text(8, name), bytes(9, raw)]);
}

export function integers(name: string, values: readonly number[]): Bytes {
  const raw = new Uint8Array(BigInt64Array.from(values, BigInt).buffer);
  return concat([number(1, values.length), number(2, INT64), text(8, name), bytes(9, raw)]);
}

/** A tensor whose values lie in another file. */
export function external(name: string, dims: readonly number[], location: string): Bytes {
  return concat([
    ...dims.map((dim) => number(1, dim)),
    number(2, FLOAT),
    text(8, name),
    message(13, text(1, 'location'), text(2, location)),
    number(14, 1),
  ]);
}

export const value = (name: string, type: number, dims: readonly (number | string)[]) => {
  const shape = dims.map((dim) => message(1, typeof dim === 'number' ? number(1, dim) : text(2, dim)));
  return concat([text(1, name), message(2, message(1, number(1, type), message(2, ...shape)))]);
};

export interface GraphSpec {
  readonly nodes: readonly Bytes[];
  readonly initializers?: readonly Bytes[];
  readonly inputs?: readonly Bytes[];
  readonly outputs?: readonly Bytes[];
}

export const graph = ({ nodes, initializers = [], inputs = [], outputs = [] }: GraphSpec) =>
  concat([
    ...nodes.map((part) => bytes(1, part)),
    text(2, 'test'),
    ...initializers.map((part) => bytes(5, part)),
    ...inputs.map((part) => bytes(11, part)),
    ...outputs.map((part) => bytes(12, part)),
  ]);

export const model = (part: Bytes) => concat([number(1, 8), bytes(7, part), message(8, text(1, ''), number(2, 17))]);

export interface EncoderSpec {
  /** Components of a hidden state. Default 8. */
  readonly dim?: number;
  /** Ids that have an embedding. Default 64. */
  readonly vocabulary?: number;
  /** Ids below this one have an embedding of finite numbers. Default all. */
  readonly finite?: number;
  /** Batch size that the graph declares. Default any. */
  readonly batch?: number;
  /** Inputs besides the ids and the mask. */
  readonly moreInputs?: readonly string[];
  /** The number of times that the hidden states are squashed once more, to make the graph slow. Default 0. */
  readonly extraLayers?: number;
}

/**
 * A text encoder in small: the hidden state of a token is `tanh(embedding + mean embedding of the text's
 * attended tokens)`, so that the mask, and nothing else of the batch, has a say in every vector.
 */
export function encoder(spec: EncoderSpec = {}): Bytes {
  const { dim = 8, vocabulary = 64, finite = vocabulary, batch = 'batch', moreInputs = [], extraLayers = 0 } = spec;
  const embeddings = Float32Array.from({ length: vocabulary * dim }, (_, i) =>
    i < finite * dim ? Math.sin(i * 1.7 + (i % 13)) : Number.NaN,
  );
  const step = (op: string, inputs: string[], output: string, ...attributes: Bytes[]) =>
    node({ op, inputs, output, attributes });
  const layers = Array.from({ length: extraLayers }, (_, i) =>
    step('Tanh', [`layer_${i}`], i === extraLayers - 1 ? 'last_hidden_state' : `layer_${i + 1}`),
  );
  return model(
    graph({
      nodes: [
        step('Gather', ['embeddings', 'input_ids'], 'tokens'),
        step('Cast', ['attention_mask'], 'mask', intAttribute('to', FLOAT)),
        step('Unsqueeze', ['mask', 'two'], 'column'),
        step('Mul', ['tokens', 'column'], 'attended'),
        step('ReduceSum', ['attended', 'one'], 'sum', intAttribute('keepdims', 1)),
        step('ReduceSum', ['column', 'one'], 'count', intAttribute('keepdims', 1)),
        step('Div', ['sum', 'count'], 'mean'),
        step('Add', ['tokens', 'mean'], 'mixed'),
        step('Tanh', ['mixed'], extraLayers === 0 ? 'last_hidden_state' : 'layer_0'),
        ...layers,
      ],
      initializers: [floats('embeddings', [vocabulary, dim], embeddings), integers('one', [1]), integers('two', [2])],
      inputs: ['input_ids', 'attention_mask', ...moreInputs].map((name) => value(name, INT64, [batch, 'length'])),
      outputs: [value('last_hidden_state', FLOAT, [batch, 'length', dim])],
    }),
  );
}

export interface TowerSpec {
  /** Components of a vector. Default 8. */
  readonly dim?: number;
  /** Batch size that the graph declares. Default any. */
  readonly batch?: number;
  /** Input and output of half precision. Default false. */
  readonly half?: boolean;
  /** An axis of 1 before the vectors. Default false. */
  readonly leadingAxis?: boolean;
  /** Axes of an input after its three channels. Default any height and width. */
  readonly axes?: readonly (number | string)[];
  /** The weights of each channel in a vector, `[3, dim]`. Default some numbers. */
  readonly weights?: Float32Array;
}

/** A tower for pictures, films or sounds in small: a matrix times the sum of each channel. Its input is called as nobody else's. */
export function tower(spec: TowerSpec = {}): Bytes {
  const { dim = 8, batch = 'batch', half = false, leadingAxis = false, axes = ['height', 'width'] } = spec;
  const { weights = Float32Array.from({ length: 3 * dim }, (_, i) => Math.sin(1 + i * 1.3)) } = spec;
  const type = half ? FLOAT16 : FLOAT;
  const step = (op: string, inputs: string[], output: string, ...attributes: Bytes[]) =>
    node({ op, inputs, output, attributes });
  return model(
    graph({
      nodes: [
        step('Cast', ['picture'], 'floats', intAttribute('to', FLOAT)),
        step('Reshape', ['floats', 'channels'], 'pixels'),
        step('ReduceSum', ['pixels', 'two'], 'sums', intAttribute('keepdims', 0)),
        step('MatMul', ['sums', 'weights'], 'product'),
        step('Cast', ['product'], leadingAxis ? 'cast' : 'vectors', intAttribute('to', type)),
        ...(leadingAxis ? [step('Unsqueeze', ['cast', 'zero'], 'vectors')] : []),
      ],
      initializers: [
        floats('weights', [3, dim], weights),
        integers('channels', [0, 3, -1]),
        integers('two', [2]),
        ...(leadingAxis ? [integers('zero', [0])] : []),
      ],
      inputs: [value('picture', type, [batch, 3, ...axes])],
      outputs: [value('vectors', type, [...(leadingAxis ? [1] : []), batch, dim])],
    }),
  );
}

/** A tower for texts in small: a row of `vectors`, `[ids, dim]`, for each id. */
export function wordTower(vectors: Float32Array, dim: number): Bytes {
  return model(
    graph({
      nodes: [node({ op: 'Gather', inputs: ['vectors', 'input_ids'], output: 'last_hidden_state' })],
      initializers: [floats('vectors', [vectors.length / dim, dim], vectors)],
      inputs: [value('input_ids', INT64, ['batch', 'length'])],
      outputs: [value('last_hidden_state', FLOAT, ['batch', 'length', dim])],
    }),
  );
}

/** The box that {@link owl} finds, wherever it looks, and one that it is never sure of. Middle and size, as shares. */
export const OWL_BOX = [0.5, 0.25, 0.5, 0.25] as const;

/**
 * An owl in small: the logit of its first box is the sum of what each channel of the picture has on average, times a row of
 * `words`, `[64, 3]`, for each id that is attended.
 */
export function owl(side: number, words: Float32Array): Bytes {
  const step = (op: string, inputs: string[], output: string, ...attributes: Bytes[]) =>
    node({ op, inputs, output, attributes });
  const sum = (inputs: string[], output: string, keepdims: number) =>
    step('ReduceSum', inputs, output, intAttribute('keepdims', keepdims));
  return model(
    graph({
      nodes: [
        step('Reshape', ['pixel_values', 'channels'], 'pixels'),
        sum(['pixels', 'two'], 'sums', 0),
        step('Mul', ['sums', 'share'], 'means'),
        step('Gather', ['words', 'input_ids'], 'rows'),
        step('Cast', ['attention_mask'], 'mask', intAttribute('to', FLOAT)),
        step('Unsqueeze', ['mask', 'two'], 'column'),
        step('Mul', ['rows', 'column'], 'attended'),
        sum(['attended', 'one'], 'text', 0),
        step('Mul', ['means', 'text'], 'products'),
        sum(['products', 'one'], 'logit', 1),
        step('Reshape', ['logit', 'cube'], 'first'),
        step('Concat', ['first', 'never'], 'logits', intAttribute('axis', 1)),
        step('Identity', ['places'], 'pred_boxes'),
      ],
      initializers: [
        floats('words', [64, 3], words),
        floats('share', [1], Float32Array.of(1 / side ** 2)),
        floats('never', [1, 1, 1], Float32Array.of(-100)),
        floats('places', [1, 2, 4], Float32Array.of(...OWL_BOX, 0, 0, 1, 1)),
        integers('channels', [0, 3, -1]),
        integers('cube', [1, 1, 1]),
        integers('one', [1]),
        integers('two', [2]),
      ],
      inputs: [
        value('input_ids', INT64, ['texts', 'tokens']),
        value('pixel_values', FLOAT, ['pictures', 3, 'height', 'width']),
        value('attention_mask', INT64, ['texts', 'tokens']),
      ],
      outputs: [value('logits', FLOAT, [1, 2, 1]), value('pred_boxes', FLOAT, [1, 2, 4])],
    }),
  );
}

/**
 * A cross-encoder in small: its logit is the sum of `words`, `[64]`, over the tokens of the first text times that over
 * those of the second. With two labels the first of them is always 0.
 */
export function crossEncoder(words: Float32Array, labels: 1 | 2 = 1): Bytes {
  const step = (op: string, inputs: string[], output: string, ...attributes: Bytes[]) =>
    node({ op, inputs, output, attributes });
  const cast = (input: string, output: string) => step('Cast', [input], output, intAttribute('to', FLOAT));
  const sum = (input: string, output: string) => step('ReduceSum', [input, 'one'], output, intAttribute('keepdims', 1));
  const logit = labels === 1 ? 'logits' : 'logit';
  return model(
    graph({
      nodes: [
        step('Gather', ['words', 'input_ids'], 'rows'),
        cast('attention_mask', 'mask'),
        cast('token_type_ids', 'types'),
        step('Mul', ['rows', 'mask'], 'attended'),
        step('Mul', ['attended', 'types'], 'second'),
        step('Sub', ['attended', 'second'], 'first'),
        sum('first', 'of_first'),
        sum('second', 'of_second'),
        step('Mul', ['of_first', 'of_second'], logit),
        ...(labels === 1
          ? []
          : [
              step('Sub', ['logit', 'logit'], 'nothing'),
              step('Concat', ['nothing', 'logit'], 'logits', intAttribute('axis', 1)),
            ]),
      ],
      initializers: [floats('words', [64], words), integers('one', [1])],
      inputs: ['input_ids', 'attention_mask', 'token_type_ids'].map((name) => value(name, INT64, ['batch', 'length'])),
      outputs: [value('logits', FLOAT, ['batch', labels])],
    }),
  );
}

/** A graph that gives the sum of a row of `vectors`, `[ids, dim]`, over the attended tokens of a text. */
export function summedWords(vectors: Float32Array, dim: number): Bytes {
  const step = (op: string, inputs: string[], output: string, ...attributes: Bytes[]) =>
    node({ op, inputs, output, attributes });
  return model(
    graph({
      nodes: [
        step('Gather', ['vectors', 'input_ids'], 'rows'),
        step('Cast', ['attention_mask'], 'mask', intAttribute('to', FLOAT)),
        step('Unsqueeze', ['mask', 'two'], 'column'),
        step('Mul', ['rows', 'column'], 'attended'),
        step('ReduceSum', ['attended', 'one'], 'weights', intAttribute('keepdims', 0)),
      ],
      initializers: [
        floats('vectors', [vectors.length / dim, dim], vectors),
        integers('one', [1]),
        integers('two', [2]),
      ],
      inputs: ['input_ids', 'attention_mask'].map((name) => value(name, INT64, ['batch', 'length'])),
      outputs: [value('weights', FLOAT, ['batch', dim])],
    }),
  );
}

/** An output of a {@link constantGraph}. */
export interface ConstantOutput {
  readonly name: string;
  readonly dims: readonly number[];
  /** Whole numbers where it is a list. */
  readonly values: Float32Array | readonly number[];
}

/** A graph that takes one picture, of `axes`, and says the same of each. */
export function constantGraph(axes: readonly (number | string)[], outputs: readonly ConstantOutput[]): Bytes {
  return model(
    graph({
      nodes: outputs.map(({ name }) => node({ op: 'Identity', inputs: [`${name}_values`], output: name })),
      initializers: outputs.map(({ name, dims, values }) =>
        values instanceof Float32Array ? floats(`${name}_values`, dims, values) : integers(`${name}_values`, values),
      ),
      inputs: [value('picture', FLOAT, axes)],
      outputs: outputs.map(({ name, dims, values }) =>
        value(name, values instanceof Float32Array ? FLOAT : INT64, dims),
      ),
    }),
  );
}

/**
 * A `tokenizer.json` of whole words `w0` to `w59` between the usual special tokens. Where `unknown`, the token of other
 * words, is none of the vocabulary, a text with another word cannot be encoded. Ids of `more` begin at 64.
 */
export function wordTokenizer(unknown = '[UNK]', more: readonly string[] = []): string {
  const special = ['[PAD]', '[UNK]', '[CLS]', '[SEP]'];
  const words = [...special, ...Array.from({ length: 60 }, (_, i) => `w${i}`), ...more];
  const framed = { type: 'BertProcessing', sep: ['[SEP]', 3], cls: ['[CLS]', 2] };
  return JSON.stringify({
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: [],
    normalizer: null,
    pre_tokenizer: { type: 'Whitespace' },
    post_processor: framed,
    decoder: null,
    model: {
      type: 'WordLevel',
      vocab: Object.fromEntries(words.map((word, id) => [word, id])),
      unk_token: unknown,
    },
  });
}
