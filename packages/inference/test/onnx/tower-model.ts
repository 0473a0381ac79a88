import { floats, graph, intAttribute, integers, model, node, value } from './onnx-model.js';
import { intsAttribute } from './transformer-model.js';

const FLOAT = 1;
const INT64 = 7;
const WIDTH = 8;
const HEADS = 2;
const INNER = 16;
const PATCH = 3;

/** Some numbers around `middle`, others for each `seed`. */
const some = (count: number, seed: number, middle = 0) =>
  Float32Array.from({ length: count }, (_, i) => middle + 0.4 * Math.sin(seed * 2.9 + i * 1.3 + (i % 5)));

class Writer {
  readonly nodes: Uint8Array[] = [];
  readonly tensors: Uint8Array[] = [];
  #count = 0;

  step(op: string, inputs: readonly string[], attributes: readonly Uint8Array[] = [], output = this.#name()): string {
    this.nodes.push(node({ op, inputs, output, attributes }));
    return output;
  }

  weight(dims: readonly number[], seed: number, middle = 0): string {
    const count = dims.reduce((product, size) => product * size, 1);
    return this.#tensor(dims, some(count, seed, middle));
  }

  number(of: number): string {
    return this.#tensor([1], Float32Array.of(of));
  }

  list(values: readonly number[]): string {
    const name = this.#name();
    this.tensors.push(integers(name, values));
    return name;
  }

  norm(x: string, seed: number): string {
    return this.step('LayerNormalization', [x, this.weight([WIDTH], seed, 1), this.weight([WIDTH], seed + 1)]);
  }

  product(x: string, rows: number, columns: number, seed: number): string {
    const product = this.step('MatMul', [x, this.weight([rows, columns], seed)]);
    return this.step('Add', [product, this.weight([columns], seed + 1)]);
  }

  #tensor(dims: readonly number[], values: Float32Array): string {
    const name = this.#name();
    this.tensors.push(floats(name, dims, values));
    return name;
  }

  #name(): string {
    return `value_${this.#count++}`;
  }

  /** A layer with its norms before its products and the activation of CLIP. */
  layer(x: string, seed: number, mask: string | null): string {
    const before = this.norm(x, seed);
    const heads = this.list([0, 0, HEADS, WIDTH / HEADS]);
    const [q, k, v] = [0, 1, 2].map((part) => {
      const split = this.step('Reshape', [this.product(before, WIDTH, WIDTH, seed + 2 + 2 * part), heads]);
      return this.step('Transpose', [split], [intsAttribute('perm', part === 1 ? [0, 2, 3, 1] : [0, 2, 1, 3])]);
    });
    const products = this.step('MatMul', [q as string, k as string]);
    let scores = this.step('Div', [products, this.number(Math.sqrt(WIDTH / HEADS))]);
    if (mask !== null) scores = this.step('Add', [scores, mask]);
    const context = this.step('MatMul', [this.step('Softmax', [scores]), v as string]);
    const turned = this.step('Transpose', [context], [intsAttribute('perm', [0, 2, 1, 3])]);
    const joined = this.step('Reshape', [turned, this.list([0, 0, WIDTH])]);
    const middle = this.step('Add', [x, this.product(joined, WIDTH, WIDTH, seed + 8)]);
    const up = this.product(this.norm(middle, seed + 10), WIDTH, INNER, seed + 12);
    const share = this.step('Sigmoid', [this.step('Mul', [up, this.number(1.702)])]);
    const down = this.product(this.step('Mul', [up, share]), INNER, WIDTH, seed + 14);
    return this.step('Add', [middle, down]);
  }
}

/** The tower of CLIP for texts in small: 50 words, `tokens` positions, the vector of the largest id. */
export function clipText(tokens = 77): Uint8Array {
  const to = new Writer();
  const words = to.step('Gather', [to.weight([50, WIDTH], 1), 'input_ids']);
  let x = to.step('Add', [words, to.weight([tokens, WIDTH], 2)]);
  const hidden = to.step('Expand', [to.number(-3.4e38), to.list([tokens, tokens])]);
  const mask = to.step('Trilu', [hidden, to.list([1])], [intAttribute('upper', 1)]);
  for (const seed of [10, 40]) x = to.layer(x, seed, mask);
  const place = to.step('ArgMax', ['input_ids'], [intAttribute('axis', -1), intAttribute('keepdims', 0)]);
  const rows = to.step('Reshape', [to.norm(x, 70), to.list([-1, WIDTH])]);
  const pooled = to.step('Gather', [rows, place], [intAttribute('axis', 0)]);
  to.step('MatMul', [pooled, to.weight([WIDTH, WIDTH], 80)], [], 'text_embeds');
  const inputs = [value('input_ids', INT64, ['batch', 'length'])];
  const outputs = [value('text_embeds', FLOAT, ['batch', WIDTH])];
  return model(graph({ nodes: to.nodes, initializers: to.tensors, inputs, outputs }));
}

/** The tower of CLIP for pictures in small: patches of three pixels, the vector of a row before them. */
export function clipPicture(size: number): Uint8Array {
  const to = new Writer();
  const patches = (size / PATCH) ** 2;
  const strides = intsAttribute('strides', [PATCH, PATCH]);
  const windows = to.step('Conv', ['pixel_values', to.weight([WIDTH, 3, PATCH, PATCH], 5)], [strides]);
  const flat = to.step('Reshape', [windows, to.list([0, WIDTH, -1])]);
  const rows = to.step('Transpose', [flat], [intsAttribute('perm', [0, 2, 1])]);
  const all = to.step('Concat', [to.weight([1, 1, WIDTH], 6), rows], [intAttribute('axis', 1)]);
  let x = to.norm(to.step('Add', [all, to.weight([patches + 1, WIDTH], 7)]), 8);
  for (const seed of [110, 140]) x = to.layer(x, seed, null);
  const first = to.step('Slice', [x, to.list([0]), to.list([1]), to.list([1])]);
  const pooled = to.norm(to.step('Reshape', [first, to.list([0, WIDTH])]), 170);
  to.step('MatMul', [pooled, to.weight([WIDTH, WIDTH], 180)], [], 'image_embeds');
  const inputs = [value('pixel_values', FLOAT, [1, 3, size, size])];
  const outputs = [value('image_embeds', FLOAT, [1, WIDTH])];
  return model(graph({ nodes: to.nodes, initializers: to.tensors, inputs, outputs }));
}
