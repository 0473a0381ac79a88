import { dimensions, randomNumbers, rowAt, rowsOf } from './fixtures.js';

/** A document of the catalogue that searches run over. */
export interface Product {
  readonly _id: string;
  readonly title: string;
  /** Sentences, each of which becomes a chunk. */
  readonly body: string;
  readonly brand: string;
  readonly price: number;
  readonly on: boolean;
  readonly tags: readonly string[];
}

const words = ['river', 'stone', 'lamp', 'winter', 'coat', 'green', 'cloud', 'paper'] as const;
const brands = ['acme', 'zed', 'unicorn'] as const;

/** The vectors of every text of a catalogue. */
const vectors = new Map<string, Float32Array>();

/** A catalogue that follows from its size alone. */
export async function catalogue(size: number): Promise<readonly Product[]> {
  const products = productsOf(size);
  const texts = products.flatMap((product) => textFields.flatMap((field) => chunksOf(product, field)));
  const rows = await rowsOf(texts);
  for (const [row, text] of texts.entries()) vectors.set(text, rowAt(rows, row));
  return products;
}

function productsOf(size: number): readonly Product[] {
  const random = randomNumbers('catalogue');
  const upTo = (count: number) => Math.floor(random() * count);
  const sentence = () => {
    const text = Array.from({ length: 2 + upTo(4) }, () => words[upTo(words.length)]).join(' ');
    return `${text[0]?.toUpperCase()}${text.slice(1)}.`;
  };
  return Array.from({ length: size }, (_, number) => ({
    _id: `d${number}`,
    title: Array.from({ length: 1 + upTo(3) }, () => words[upTo(words.length)]).join(' '),
    body: Array.from({ length: 1 + upTo(3) }, sentence).join(' '),
    brand: brands[upTo(brands.length)] ?? '',
    price: upTo(100),
    on: random() < 0.5,
    tags: [`t${upTo(5)}`],
  }));
}

const textFields = ['title', 'body'] as const;
export type TextField = (typeof textFields)[number];

/** The chunks of a field, as they are embedded. */
export function chunksOf(product: Product, field: TextField): readonly string[] {
  return field === 'title' ? [product.title] : product.body.split(/(?<=\.) /);
}

/** A document and its score. */
export interface Ranked {
  readonly product: Product;
  readonly score: number;
}

const best = (ranked: Ranked[]): readonly Ranked[] => ranked.sort((a, b) => b.score - a.score);

/** The nearest chunk of a document: its field, its text, and how near it is, 1 / (2 - cosine). */
export function nearestChunk(product: Product, query: Float32Array, fields: readonly TextField[] = textFields) {
  const score = (text: string) => 1 / (2 - dot(vectors.get(text) as Float32Array, query));
  const chunks = fields.flatMap((field) =>
    chunksOf(product, field).map((text) => ({ field, text, score: score(text) })),
  );
  return chunks.reduce((nearest, chunk) => (chunk.score > nearest.score ? chunk : nearest));
}

/** All documents by the nearest of their chunks. `query` has unit length. */
export function byDistance(
  products: readonly Product[],
  query: Float32Array,
  fields: readonly TextField[] = textFields,
): readonly Ranked[] {
  return best(products.map((product) => ({ product, score: nearestChunk(product, query, fields).score })));
}

function dot(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, component, i) => sum + component * (b[i] ?? 0), 0);
}

const k1 = 1.2;
const b = 0.75;

/**
 * The documents with one of the words at least, by Okapi BM25 added up over the fields. Statistics are those of
 * `products`, each of which has every field. How many documents have a word is counted in each of the named fields; a
 * search of all fields, null, counts those that have it in any.
 */
export function byWords(
  products: readonly Product[],
  query: string,
  fields: readonly TextField[] | null = null,
): readonly Ranked[] {
  const searched = fields ?? textFields;
  const scores = new Map<Product, number>();
  for (const word of tokensOf(query)) {
    const having = (among: readonly TextField[]) =>
      products.filter((product) => among.some((field) => tokensOf(product[field]).includes(word)));
    for (const field of searched) {
      const documents = having(fields === null ? textFields : [field]).length;
      const idf = Math.log(1 + (products.length - documents + 0.5) / (documents + 0.5));
      const averageLength = products.reduce((sum, one) => sum + tokensOf(one[field]).length, 0) / products.length;
      for (const product of having([field])) {
        const tokens = tokensOf(product[field]);
        const frequency = tokens.filter((token) => token === word).length;
        const norm = k1 * (1 - b + (b * tokens.length) / averageLength);
        const score = (idf * frequency * (k1 + 1)) / (frequency + norm);
        scores.set(product, (scores.get(product) ?? 0) + score);
      }
    }
  }
  return best([...scores].map(([product, score]) => ({ product, score })));
}

export function tokensOf(text: string): readonly string[] {
  return text.toLowerCase().match(/[a-z]+/g) ?? [];
}

/** Ranks that add up: a deeper one counts only alone. */
export const fusedRanksMax = 60;

/**
 * The score that reciprocal rank fusion gives a document that stands among the first {@link fusedRanksMax} of a
 * ranking.
 */
export function fusedScore(
  id: string,
  rankings: readonly { readonly ids: readonly string[]; readonly weight: number }[],
  k: number,
): number {
  const shares = rankings.map(({ ids, weight }) => {
    const place = ids.slice(0, fusedRanksMax).indexOf(id);
    return place < 0 ? 0 : weight / (k + place + 1);
  });
  return shares.reduce((sum, share) => sum + share, 0);
}

/** Two weighted vectors as one. */
export function combined(
  method: 'lerp' | 'nlerp' | 'slerp',
  [first, second]: readonly [Float32Array, Float32Array],
  [firstWeight, secondWeight]: readonly [number, number],
): Float32Array {
  const share = secondWeight / (firstWeight + secondWeight);
  let weights = [1 - share, share] as const;
  if (method === 'slerp') {
    const angle = Math.acos(dot(first, second));
    weights = [Math.sin((1 - share) * angle) / Math.sin(angle), Math.sin(share * angle) / Math.sin(angle)];
  }
  const sum = Float32Array.from(
    { length: dimensions },
    (_, i) => weights[0] * (first[i] ?? 0) + weights[1] * (second[i] ?? 0),
  );
  const length = method === 'nlerp' ? Math.hypot(...sum) : 1;
  return sum.map((component) => component / length);
}
