import { closeSync, existsSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { DATASETS } from '../paths.ts';
import { describe } from '../vector/dataset.ts';

/** Unit rows, `[rows, dim]`, in memory that threads share. */
export interface Vectors {
  rows: Float32Array;
  queries: Float32Array;
  dim: number;
  /** Their source, for readers. */
  title: string;
}

const DIM = 384;
/** Random vectors cost so much to make that more of them lie between these. */
const RANDOM_MAX = 20_000;

/**
 * Vectors of glosses where the vector bench has made them, else random ones. There are fewer glosses
 * than documents: the rest lie between two of them, nearer to one, and so do not repeat any.
 */
export function makeVectors(rows: number, queries: number): Vectors {
  const directory = join(DATASETS, 'glosses');
  const whole = describe(directory) !== null && existsSync(join(directory, 'queries.f32'));
  const base = whole ? read(directory, 'base', rows) : gauss(Math.min(rows, RANDOM_MAX));
  const asked = whole ? read(directory, 'queries', queries) : gauss(queries);
  const title = whole ? 'glosses of WordNet by MiniLM, and vectors between them' : 'random directions';
  return { rows: between(base, rows), queries: rounded(asked), dim: DIM, title };
}

/** The first `rows` rows of a set, or as many as there are. */
function read(directory: string, name: string, rows: number): Float32Array {
  const file = openSync(join(directory, `${name}.f32`), 'r');
  const values = new Float32Array(rows * DIM);
  const bytes = readSync(file, values, 0, values.byteLength, 0);
  closeSync(file);
  return values.subarray(0, bytes / 4);
}

function between(base: Float32Array, rows: number): Float32Array {
  const values = new Float32Array(new SharedArrayBuffer(rows * DIM * 4));
  values.set(base);
  const given = base.length / DIM;
  const random = randomNumbers(1);
  for (let row = given; row < rows; row += 1) {
    const near = Math.floor(random() * given) * DIM;
    const far = Math.floor(random() * given) * DIM;
    const vector = values.subarray(row * DIM, (row + 1) * DIM);
    for (let i = 0; i < DIM; i += 1) vector[i] = (base[near + i] ?? 0) + 0.5 * (base[far + i] ?? 0);
    toUnitLength(vector);
  }
  return rounded(values);
}

function gauss(rows: number): Float32Array {
  const random = randomNumbers(2);
  const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  const values = Float32Array.from({ length: rows * DIM }, normal);
  for (let row = 0; row < rows; row += 1) toUnitLength(values.subarray(row * DIM, (row + 1) * DIM));
  return values;
}

function toUnitLength(vector: Float32Array): void {
  const length = Math.hypot(...vector);
  for (let i = 0; i < vector.length; i += 1) vector[i] = (vector[i] ?? 0) / length;
}

/** To six decimals, so that the vector sent as text is the one that is compared. */
function rounded(values: Float32Array): Float32Array {
  for (let i = 0; i < values.length; i += 1) values[i] = Math.round((values[i] ?? 0) * 1e6) / 1e6;
  return values;
}

const ASCII = { zero: 0x30, minus: 0x2d, point: 0x2e, comma: 0x2c, open: 0x5b, close: 0x5d };
const DECIMALS = 6;
/** Bytes of a component as text, with its sign and the comma after it. */
const COMPONENT_BYTES = '-0.000000,'.length;
let text = Buffer.alloc(0);

/**
 * A row of components between -10 and 10 as JSON. Digit by digit, which takes a sixth of the time of numbers put into
 * strings: making the requests of a bench must not take the machine from the server under test.
 */
export function rowText(values: Float32Array, row: number, dim: number): string {
  if (text.length < 1 + dim * COMPONENT_BYTES) text = Buffer.alloc(1 + dim * COMPONENT_BYTES);
  let at = 0;
  text[at++] = ASCII.open;
  for (let i = row * dim; i < (row + 1) * dim; i += 1) {
    let millionths = Math.round((values[i] ?? 0) * 10 ** DECIMALS);
    if (millionths < 0) {
      text[at++] = ASCII.minus;
      millionths = -millionths;
    }
    for (let place = at + 1 + DECIMALS; place > at + 1; place -= 1) {
      const tenth = Math.floor(millionths / 10);
      text[place] = ASCII.zero + millionths - 10 * tenth;
      millionths = tenth;
    }
    text[at] = ASCII.zero + millionths;
    text[at + 1] = ASCII.point;
    at += 2 + DECIMALS;
    text[at++] = ASCII.comma;
  }
  text[at - 1] = ASCII.close;
  return text.toString('latin1', 0, at);
}

/** Uniform in [0, 1), the same on every machine: mulberry32. */
export function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let z = Math.imul(state ^ (state >>> 15), state | 1);
    z ^= z + Math.imul(z ^ (z >>> 7), z | 61);
    return ((z ^ (z >>> 14)) >>> 0) / 2 ** 32;
  };
}
