import { execFileSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  allVectors,
  calibrateModel,
  createInference,
  ensureModel,
  type Inference,
  type InferenceConfig,
  InputBatch,
  type Precision,
  parseModelFile,
  textInputs,
} from '@pelorus/inference';
import { Tokenizer } from '@pelorus/node';
import { median } from '../quantile.ts';
import { compare, type Row } from '../row.ts';
import { catalogue } from '../server/catalogue.ts';
import { COSINES, least, leastCosine, milliseconds, THREADS, targetOf } from './encoder-figures.ts';
import { type Embedded, type EncoderPeer, EncoderPeers, titleOf } from './encoder-peers.ts';

const MODEL = 'hf/all-MiniLM-L6-v2';
const PEER = 'onnxruntime';
/** The encoder of another that ours is measured beside in each precision, besides ONNX Runtime in f32. */
const PEERS: Record<Precision, EncoderPeer> = { f32: 'openvino f32', bf16: 'openvino bf16', int8: 'onnxruntime int8' };
const PRECISIONS: readonly Precision[] = ['f32', 'bf16', 'int8'];
/** Milliseconds from the file to the first vector. */
const LOAD_MS = 60;
/** Percent of the model that a second thread may take. */
const COPY_PERCENT = 5;
/** Single queries of a round. */
const QUERIES = 40;
/** Tokens that the model takes of a text. */
const TOKENS = 256;

export interface TextsDefinition {
  /** Texts of one call, of the sample catalogue. */
  texts: number;
  rounds: number;
}

/** The default model on our own encoder in each precision, on ONNX Runtime, and on encoders of others, in turns. */
export async function measureTexts(
  { texts: count, rounds }: TextsDefinition,
  say: (line: string) => void,
): Promise<Row[]> {
  const products = catalogue().slice(0, count);
  const texts = products.map(({ title, description }, i) => (i % 2 === 0 ? title : description));
  const folder = await ensureModel(MODEL);
  if (folder === null) throw new Error(`${MODEL} has no files`);
  const graph = join(folder, 'model.onnx');
  const kept = await mkdtemp(join(tmpdir(), 'pelorus-bench-'));
  // A calibration lies in the folder of models: this one is of the bench alone.
  const file = parseModelFile({ models: { [MODEL]: { folder } } }, join(kept, 'models.json'));
  const config = { modelDir: kept, modelFile: file, threads: THREADS };
  const sides: Side[] = [];
  let others: EncoderPeers | null = null;
  try {
    await calibrateModel(MODEL, {}, config);
    for (const precision of PRECISIONS) {
      sides.push(await Side.open(precision, { ...config, encoder: 'pelorus', encoderPrecision: precision }));
    }
    const theirs = await Side.open(PEER, { ...config, encoder: PEER });
    sides.push(theirs);
    others = await EncoderPeers.start(graph, THREADS, say);
    const ids = await idsOf(texts, join(folder, 'tokenizer.json'));
    const embedded = new Map<EncoderPeer, Embedded[]>((others?.names ?? []).map((name) => [name, []]));
    for (const [name, runs] of embedded) runs.push(...(others === null ? [] : [await others.embed(name, ids)]));
    const exact = await theirs.vectors(texts);
    const cosines = new Map<string, number>();
    for (const side of sides) {
      cosines.set(side.name, leastCosine(await side.vectors(texts), exact, theirs.dimensions));
    }
    for (let round = 1; round <= rounds; round += 1) {
      for (const side of round % 2 === 0 ? sides : sides.toReversed()) await side.round(texts);
      for (const [name, runs] of embedded) if (others !== null) runs.push(await others.embed(name, ids));
      say(`round ${round} of ${rounds}: ${sides.map(({ name, shown }) => `${name} ${shown}`).join(', ')}`);
    }
    const own = sides.filter((side) => side !== theirs);
    return [
      ...own.flatMap((side) => besideOnnxRuntime(side, theirs, cosines.get(side.name) ?? null)),
      ...own.flatMap((side) => besideOther(side, embedded, texts.length, exact, theirs.dimensions)),
      ...copyRows(statSync(graph).size),
    ];
  } finally {
    for (const side of sides) await side.close();
    await others?.close();
    await rm(kept, { recursive: true, force: true });
  }
}

/** Ours in one precision beside ONNX Runtime in f32. */
function besideOnnxRuntime(ours: Side, theirs: Side, cosine: number | null): Row[] {
  const precision = ours.name as Precision;
  const of = (metric: string, better: 'higher' | 'lower', read: (side: Side) => number) =>
    compare(`${precision}: ${metric}`, better, read(ours), PEER, read(theirs));
  const forTexts = targetOf('texts', precision, PEER);
  return [
    { ...of('texts of the catalogue (texts/s)', 'higher', ({ rates }) => median(rates)), ...forTexts },
    { ...of('CPU time of 1,000 texts of the catalogue (s)', 'lower', (side) => least(side.textSeconds)), ...forTexts },
    of('CPU time of one query (ms)', 'lower', (side) => least(side.queryCpu)),
    { ...of('one query, p50 (ms)', 'lower', ({ queries }) => median(queries)), ...targetOf('query', precision, PEER) },
    of('from the file to the first vector (ms)', 'lower', ({ loadMs }) => loadMs),
    compare(`${precision}: from the file to the first vector (ms)`, 'lower', ours.loadMs, 'target', LOAD_MS),
    compare(`${precision}: least cosine to onnxruntime`, 'higher', cosine, 'target', COSINES[precision]),
  ];
}

/** Ours in one precision beside the encoder of another that computes in the like. */
function besideOther(
  ours: Side,
  embedded: ReadonlyMap<EncoderPeer, readonly Embedded[]>,
  textCount: number,
  exact: Float32Array,
  dimensions: number,
): Row[] {
  const precision = ours.name as Precision;
  const name = PEERS[precision];
  // The first run warms up.
  const [first, ...runs] = embedded.get(name) ?? [];
  if (first === undefined || runs.length === 0) return [];
  const peer = titleOf(name);
  const rate = median(runs.map(({ milliseconds }) => (1000 * textCount) / milliseconds));
  const seconds = least(runs.map(({ cpu }) => cpu / textCount));
  const target = targetOf('texts', precision, name);
  const theirCosine = leastCosine(first.vectors, exact, dimensions);
  return [
    {
      ...compare(`${precision}: texts of the catalogue (texts/s)`, 'higher', median(ours.rates), peer, rate),
      ...target,
    },
    {
      ...compare(
        `${precision}: CPU time of 1,000 texts of the catalogue (s)`,
        'lower',
        least(ours.textSeconds),
        peer,
        seconds,
      ),
      ...target,
    },
    compare(`${name}: least cosine to onnxruntime`, 'higher', theirCosine),
  ];
}

/** The memory that a second thread takes, in percent of the model. */
function copyRows(modelBytes: number): Row[] {
  const probe = fileURLToPath(new URL('./resident.ts', import.meta.url));
  const bytes = (encoder: string, threads: number) =>
    Number(execFileSync(process.execPath, ['--expose-gc', probe, encoder, `${threads}`], { encoding: 'utf8' }));
  const percent = (encoder: string) => (100 * (bytes(encoder, 2) - bytes(encoder, 1))) / modelBytes;
  const metric = 'memory of a second thread (% of the model)';
  const ours = percent('pelorus');
  return [compare(metric, 'lower', ours, PEER, percent(PEER)), compare(metric, 'lower', ours, 'target', COPY_PERCENT)];
}

/** The ids of each text's tokens. */
async function idsOf(texts: readonly string[], tokenizer: string): Promise<number[][]> {
  const { ids, offsets } = await (await Tokenizer.load(readFileSync(tokenizer), TOKENS)).encode(
    InputBatch.of(textInputs(texts)),
  );
  return texts.map((_, row) => [...ids.subarray(offsets[row], offsets[row + 1])]);
}

/** One of those that run here, with its figures. */
class Side {
  readonly rates: number[] = [];
  readonly queries: number[] = [];
  /** Seconds of all threads for 1,000 texts, by round. */
  readonly textSeconds: number[] = [];
  /** Milliseconds of all threads for a query, by round. */
  readonly queryCpu: number[] = [];
  readonly loadMs: number;
  readonly name: string;
  readonly #models: Inference;

  private constructor(name: string, models: Inference, loadMs: number) {
    this.name = name;
    this.#models = models;
    this.loadMs = loadMs;
  }

  static async open(name: string, config: InferenceConfig): Promise<Side> {
    const models = createInference({ ...config, queryCacheBytes: 0 });
    const side = new Side(name, models, 0);
    const start = performance.now();
    await side.vectors(['red shoes']);
    return new Side(name, models, performance.now() - start);
  }

  get dimensions(): number {
    return this.#models.resolve(MODEL).dimensions;
  }

  get shown(): string {
    return `${Math.round(this.rates.at(-1) ?? 0)} texts/s`;
  }

  async vectors(texts: readonly string[]): Promise<Float32Array> {
    const model = this.#models.resolve(MODEL);
    return allVectors(await this.#models.embed(model, InputBatch.of(textInputs(texts)), { normalize: true }));
  }

  async round(texts: readonly string[]): Promise<void> {
    const [start, cpu] = [performance.now(), process.cpuUsage()];
    await this.vectors(texts);
    this.rates.push((1000 * texts.length) / (performance.now() - start));
    this.textSeconds.push(milliseconds(process.cpuUsage(cpu)) / texts.length);
    const queriesCpu = process.cpuUsage();
    const model = this.#models.resolve(MODEL);
    for (let query = 0; query < QUERIES; query += 1) {
      const begin = performance.now();
      await this.#models.embedQuery(
        model,
        textInputs([`warm waterproof shoes for ${query} long winter walks in the hills`]),
        {
          normalize: true,
        },
      );
      this.queries.push(performance.now() - begin);
    }
    this.queryCpu.push(milliseconds(process.cpuUsage(queriesCpu)) / QUERIES);
  }

  close(): Promise<void> {
    return this.#models.close();
  }
}
