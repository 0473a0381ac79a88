import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { allVectors, createInference, InputBatch, localModels, textInputs } from '@pelorus/inference';
import { DATASETS } from '../paths.ts';
import { wordnetGlosses } from './wordnet.ts';

export const MODEL = 'hf/all-MiniLM-L6-v2';
const FOLDER = join(DATASETS, 'glosses-minilm');
/** Texts of one call: enough to sort by length, few enough to tell how far it is. */
const STEP = 2048;

/** Every gloss and its vector. */
export interface EmbeddedGlosses {
  texts: string[];
  /** The file of unit rows `[texts, dim]`, f32, little endian. */
  file: string;
  dim: number;
}

/** The glosses, embedded by our own inference; minutes the first time, kept from then on. */
export async function embeddedGlosses(say: (line: string) => void): Promise<EmbeddedGlosses> {
  const [textFile, file] = [join(FOLDER, 'texts.json'), join(FOLDER, 'vectors.f32')];
  const dim = 384;
  if (!existsSync(file)) {
    if (!(await localModels()).some(({ name, folder }) => name === MODEL && folder !== null)) {
      throw new Error(`${MODEL} is not on this machine: run \`npm run setup\` first`);
    }
    const texts = await wordnetGlosses(say);
    mkdirSync(FOLDER, { recursive: true });
    const vectors = await embed(texts, say);
    writeFileSync(textFile, JSON.stringify(texts));
    writeFileSync(`${file}.incoming`, vectors);
    renameSync(`${file}.incoming`, file); // last: its presence means a whole set
  }
  return { texts: JSON.parse(readFileSync(textFile, 'utf8')) as string[], file, dim };
}

async function embed(texts: readonly string[], say: (line: string) => void): Promise<Uint8Array> {
  const inference = createInference();
  try {
    const model = inference.resolve(MODEL);
    const parts: Uint8Array[] = [];
    for (let first = 0; first < texts.length; first += STEP) {
      if (first % (8 * STEP) === 0) say(`embedding glosses: ${first} of ${texts.length}`);
      const step = texts.slice(first, first + STEP);
      const embedded = await inference.embed(model, InputBatch.of(textInputs(step)), { normalize: true });
      const rows = allVectors(embedded);
      parts.push(new Uint8Array(rows.buffer, rows.byteOffset, rows.byteLength));
    }
    return Buffer.concat(parts);
  } finally {
    await inference.close();
  }
}
