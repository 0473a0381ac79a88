import { floats, graph, integers, model, node, value } from './onnx-model.js';

const FLOAT = 1;
const INT64 = 7;
export const WIDTH = 8;
export const HEADS = 2;
export const INNER = 16;
export const POSITIONS = 64;

/** An attribute of whole numbers. */
export function intsAttribute(name: string, values: readonly number[]): Uint8Array {
  const text = (field: number, of: string) => [field * 8 + 2, of.length, ...Buffer.from(of)];
  return Uint8Array.from([...text(1, name), ...values.flatMap((one) => [8 * 8, one]), 0xa0, 0x01, 7]);
}

/** Some numbers around `middle`, others for each `seed`. */
export const numbers = (count: number, seed: number, middle = 0) =>
  Float32Array.from({ length: count }, (_, i) => middle + 0.4 * Math.sin(seed * 3.1 + i * 1.7 + (i % 7)));

/**
 * A text encoder of the BERT family in small, `layers` deep, whose vectors have `width` components: words of the first
 * `vocabulary` ids, 64 positions, two heads. Each `seed` has weights of its own.
 */
export function transformer({ layers = 2, vocabulary = 64, seed: first = 0, width = WIDTH } = {}): Uint8Array {
  const inner = (width * INNER) / WIDTH;
  const some = (count: number, seed: number, middle = 0) => numbers(count, 1000 * first + seed, middle);
  const nodes: Uint8Array[] = [];
  const tensors: Uint8Array[] = [];
  const step = (op: string, inputs: string[], output: string, ...attributes: Uint8Array[]) => {
    nodes.push(node({ op, inputs, output, attributes }));
    return output;
  };
  const weight = (name: string, dims: readonly number[], values: Float32Array) => {
    tensors.push(floats(name, dims, values));
    return name;
  };
  const list = (name: string, values: readonly number[]) => {
    tensors.push(integers(name, values));
    return name;
  };
  const number = (name: string, of: number) => weight(name, [1], Float32Array.of(of));
  const norm = (x: string, name: string, seed: number) =>
    step(
      'LayerNormalization',
      [x, weight(`${name}.w`, [width], some(width, seed, 1)), weight(`${name}.b`, [width], some(width, seed + 1))],
      name,
    );
  const product = (x: string, name: string, [rows, columns]: readonly [number, number], seed: number) => {
    step('MatMul', [x, weight(`${name}.w`, [rows, columns], some(rows * columns, seed))], `${name}.product`);
    return step('Add', [`${name}.product`, weight(`${name}.b`, [columns], some(columns, seed + 1))], name);
  };

  const zero = list('zero', [0]);
  const one = list('one', [1]);
  list('two', [2]);
  step('Unsqueeze', ['attention_mask', 'one'], 'mask.row');
  step('Unsqueeze', ['mask.row', 'two'], 'mask.rows');
  step('Cast', ['mask.rows'], 'mask.floats', Uint8Array.from([10, 2, 116, 111, 24, FLOAT, 0xa0, 0x01, 2]));
  step('Sub', [number('one.float', 1), 'mask.floats'], 'mask.inverted');
  step('Mul', ['mask.inverted', number('lowest', -3.4e38)], 'mask');
  step('Shape', ['input_ids'], 'shape');
  step('Slice', ['shape', one, list('end', [2])], 'length');
  step('Squeeze', ['length', zero], 'count');
  const scalar = (name: string, of: number) => {
    step('Squeeze', [list(`${name}.list`, [of]), zero], name);
    return name;
  };
  step('Range', [scalar('first', 0), 'count', scalar('step', 1)], 'places');
  step('Unsqueeze', ['places', zero], 'places.row');
  step('Gather', [weight('words', [vocabulary, width], some(vocabulary * width, 1)), 'input_ids'], 'embedded.words');
  step(
    'Gather',
    [weight('positions', [POSITIONS, width], some(POSITIONS * width, 2)), 'places.row'],
    'embedded.places',
  );
  step('Add', ['embedded.words', 'embedded.places'], 'embedded');
  let hidden = norm('embedded', 'hidden', 3);

  const split = (x: string, perm: readonly number[]) => {
    step('Reshape', [x, 'heads'], `${x}.split`);
    return step('Transpose', [`${x}.split`], `${x}.heads`, intsAttribute('perm', perm));
  };
  list('heads', [0, 0, HEADS, width / HEADS]);
  list('joined', [0, 0, width]);
  number('root', Math.sqrt(width / HEADS));
  number('root.two', Math.SQRT2);
  number('half', 0.5);
  for (let layer = 0; layer < layers; layer++) {
    const name = (part: string) => `layer${layer}.${part}`;
    const seed = 10 + layer * 20;
    const [q, k, v] = (['q', 'k', 'v'] as const).map((part, i) =>
      product(hidden, name(part), [width, width], seed + 2 * i),
    );
    step('MatMul', [split(q as string, [0, 2, 1, 3]), split(k as string, [0, 2, 3, 1])], name('scores'));
    step('Div', [name('scores'), 'root'], name('scaled'));
    step('Add', [name('scaled'), 'mask'], name('masked'));
    step('Softmax', [name('masked')], name('shares'));
    step('MatMul', [name('shares'), split(v as string, [0, 2, 1, 3])], name('context'));
    step('Transpose', [name('context')], name('context.split'), intsAttribute('perm', [0, 2, 1, 3]));
    step('Reshape', [name('context.split'), 'joined'], name('context.joined'));
    const out = product(name('context.joined'), name('out'), [width, width], seed + 6);
    const middle = norm(step('Add', [out, hidden], name('sum')), name('middle'), seed + 8);
    const up = product(middle, name('up'), [width, inner], seed + 10);
    step('Div', [up, 'root.two'], name('up.scaled'));
    step('Erf', [name('up.scaled')], name('up.error'));
    step('Add', [name('up.error'), 'one.float'], name('up.share'));
    step('Mul', [up, name('up.share')], name('up.twice'));
    step('Mul', [name('up.twice'), 'half'], name('inner'));
    const down = product(name('inner'), name('down'), [inner, width], seed + 12);
    hidden = norm(step('Add', [down, middle], name('last')), name('hidden'), seed + 14);
  }
  step('Identity', [hidden], 'last_hidden_state');
  return model(
    graph({
      nodes,
      initializers: tensors,
      inputs: ['input_ids', 'attention_mask'].map((name) => value(name, INT64, ['batch', 'length'])),
      outputs: [value('last_hidden_state', FLOAT, ['batch', 'length', width])],
    }),
  );
}
