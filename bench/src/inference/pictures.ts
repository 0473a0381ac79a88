import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  allVectors,
  createInference,
  type EncoderInput,
  type Inference,
  type InferenceConfig,
  InputBatch,
  type Precision,
  parseModelFile,
} from '@pelorus/inference';
import { median } from '../quantile.ts';
import { compare, type Row } from '../row.ts';
import { COSINES, least, leastCosine, milliseconds, THREADS, targetOf } from './encoder-figures.ts';
import { MEDIA } from './media.ts';

const PEER = 'onnxruntime';
const NAME = 'tower';
const PRECISIONS = ['f32', 'bf16'] as const satisfies readonly Precision[];

/** A joint model on this machine. */
export interface TowerModel {
  /** With the graph of each tower. */
  readonly folder: string;
  readonly side: number;
  readonly dimensions: number;
}

export interface TowerPlan {
  rounds: number;
}

/** A model of pictures on our own encoder and on ONNX Runtime, in turns. Pictures have the side that it takes. */
export async function measurePictures(
  { folder, side, dimensions }: TowerModel,
  files: readonly string[],
  { rounds }: TowerPlan,
  say: (line: string) => void,
): Promise<Row[]> {
  const properties = { type: 'open_clip', name: NAME, dimensions, size: side };
  const modelFile = parseModelFile({ models: { [NAME]: { folder, properties } } }, join(folder, 'models.json'));
  const config = { hubUrl: null, mavenCommand: null, threads: THREADS, modelFile };
  const inputs = files.map((file): EncoderInput => {
    const pointer = `data:image/jpeg;base64,${readFileSync(file, 'base64')}`;
    return { kind: 'media', pointer, medium: 'image', patches: false };
  });
  const sides: Side[] = [];
  try {
    const theirs = new Side(PEER, { ...config, encoder: PEER });
    sides.push(theirs);
    for (const precision of PRECISIONS) {
      sides.push(new Side(precision, { ...config, encoder: 'pelorus', encoderPrecision: precision }));
    }
    const exact = await theirs.vectors(inputs);
    const cosines = new Map<Side, number>();
    for (const one of sides) cosines.set(one, leastCosine(await one.vectors(inputs), exact, dimensions));
    for (let round = 1; round <= rounds; round += 1) {
      for (const one of round % 2 === 0 ? sides : sides.toReversed()) await one.round(inputs);
      say(`round ${round} of ${rounds}: ${sides.map(({ name, shown }) => `${name} ${shown}`).join(', ')}`);
    }
    return PRECISIONS.flatMap((precision, at) => {
      const ours = sides[at + 1] as Side;
      return rowsOf(precision, ours, theirs, cosines.get(ours) ?? null);
    });
  } finally {
    for (const one of sides) await one.close();
  }
}

function rowsOf(precision: Precision, ours: Side, theirs: Side, cosine: number | null): Row[] {
  const what = `${precision}, ViT-B/32`;
  const target = targetOf('pictures', precision, PEER);
  const [rate, cpu] = [(side: Side) => median(side.rates), (side: Side) => least(side.cpu)];
  return [
    { ...compare(`${what}: pictures of 224 pixels (pictures/s)`, 'higher', rate(ours), PEER, rate(theirs)), ...target },
    { ...compare(`${what}: CPU time of a picture (ms)`, 'lower', cpu(ours), PEER, cpu(theirs)), ...target },
    compare(`${what}: least cosine to onnxruntime`, 'higher', cosine, 'target', COSINES[precision]),
  ];
}

/** One of those that run here, with its figures by round. */
class Side {
  readonly name: string;
  /** Pictures a second. */
  readonly rates: number[] = [];
  /** Milliseconds of all threads for a picture. */
  readonly cpu: number[] = [];
  readonly #models: Inference;
  /** The remark that ONNX Runtime runs the pictures of our encoder. */
  #left: string | null = null;

  constructor(name: string, config: InferenceConfig) {
    this.name = name;
    const reportEncoder = (message: string) => {
      if (/ONNX Runtime.* for image:/.test(message)) this.#left = message;
    };
    this.#models = createInference({ ...config, reportEncoder });
  }

  get shown(): string {
    return `${Math.round(this.rates.at(-1) ?? 0)} pictures/s`;
  }

  async vectors(inputs: readonly EncoderInput[]): Promise<Float32Array> {
    const model = this.#models.resolve(NAME);
    const embedded = await this.#models.embed(model, InputBatch.of(inputs), { normalize: true, media: MEDIA });
    if (this.#left !== null) throw new Error(this.#left);
    return allVectors(embedded);
  }

  async round(inputs: readonly EncoderInput[]): Promise<void> {
    const [start, cpu] = [performance.now(), process.cpuUsage()];
    await this.vectors(inputs);
    this.rates.push((1000 * inputs.length) / (performance.now() - start));
    this.cpu.push(milliseconds(process.cpuUsage(cpu)) / inputs.length);
  }

  close(): Promise<void> {
    return this.#models.close();
  }
}
