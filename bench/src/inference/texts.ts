import { allVectors, createInference, type Inference, InputBatch, textInputs } from '@pelorus/inference';
import { median } from '../quantile.ts';
import { compare, type Row } from '../row.ts';
import { catalogue } from '../server/catalogue.ts';

const MODEL = 'hf/all-MiniLM-L6-v2';
const PEER = 'onnxruntime';
const TARGETS = {
  texts: { reach: 1.5, chase: 2 },
  query: { reach: 1 / 0.7, chase: 2.5 },
  cosine: 0.999999,
};
/** Single queries of a round. */
const QUERIES = 40;

export interface TextsDefinition {
  /** Texts of one call, of the sample catalogue. */
  texts: number;
  rounds: number;
}

/** The default model on our own encoder and on ONNX Runtime, both as a server runs them, in turns. */
export async function measureTexts(
  { texts: count, rounds }: TextsDefinition,
  say: (line: string) => void,
): Promise<Row[]> {
  const ours = await Side.open('auto');
  const theirs = await Side.open('onnxruntime');
  try {
    const products = catalogue().slice(0, count);
    const texts = products.map(({ title, description }, i) => (i % 2 === 0 ? title : description));
    const cosine = leastCosine(await ours.vectors(texts), await theirs.vectors(texts), ours.dimensions);
    const sides = [ours, theirs];
    for (let round = 1; round <= rounds; round += 1) {
      for (const side of round % 2 === 0 ? sides : sides.toReversed()) await side.round(texts);
      say(`round ${round} of ${rounds}: ${sides.map(({ shown }) => shown).join(' against ')}`);
    }
    const of = (metric: string, better: 'higher' | 'lower', read: (side: Side) => number) =>
      compare(metric, better, read(ours), PEER, read(theirs));
    return [
      { ...of('texts of the catalogue (texts/s)', 'higher', ({ rates }) => median(rates)), target: TARGETS.texts },
      {
        ...of('CPU time of 1,000 texts of the catalogue (s)', 'lower', (side) => least(side.textSeconds)),
        target: TARGETS.texts,
      },
      of('CPU time of one query (ms)', 'lower', (side) => least(side.queryCpu)),
      { ...of('one query, p50 (ms)', 'lower', ({ queries }) => median(queries)), target: TARGETS.query },
      of('the default model, from its file to the first vector (ms)', 'lower', ({ loadMs }) => loadMs),
      compare('least cosine of the vectors of both', 'higher', cosine, 'target', TARGETS.cosine),
    ];
  } finally {
    await ours.close();
    await theirs.close();
  }
}

/** One of the two, with its figures. */
class Side {
  readonly rates: number[] = [];
  readonly queries: number[] = [];
  /** Seconds of all threads for 1,000 texts, by round. */
  readonly textSeconds: number[] = [];
  /** Milliseconds of all threads for a query, by round. */
  readonly queryCpu: number[] = [];
  readonly loadMs: number;
  readonly #models: Inference;

  private constructor(models: Inference, loadMs: number) {
    this.#models = models;
    this.loadMs = loadMs;
  }

  static async open(encoder: 'auto' | 'onnxruntime'): Promise<Side> {
    const models = createInference({ encoder, queryCacheBytes: 0 });
    const side = new Side(models, 0);
    const start = performance.now();
    await side.vectors(['red shoes']);
    return new Side(models, performance.now() - start);
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

const milliseconds = ({ user, system }: NodeJS.CpuUsage) => (user + system) / 1000;

/** The least figure of all rounds: others on the machine disturb it least. */
const least = (figures: readonly number[]) => Math.min(...figures);

/** The least of the cosines between rows of unit length. */
function leastCosine(a: Float32Array, b: Float32Array, dimensions: number): number {
  const cosines = new Float64Array(a.length / dimensions);
  for (const [at, value] of a.entries()) {
    const row = Math.floor(at / dimensions);
    cosines[row] = (cosines[row] ?? 0) + value * (b[at] ?? Number.NaN);
  }
  return cosines.reduce((least, cosine) => Math.min(least, cosine), 1);
}
