import { randomNumbers, rowText } from '../serving/vectors.ts';

/** Directions that vectors differ by; the rest of their numbers follow, as those of encoders do. */
const RANK = 48;
const CLUSTERS = 100;
const VOCABULARY = 20_000;
const CATEGORIES = 10;
/** Words so common that nobody searches for them. */
const COMMON = 20;
const QUERY_WORDS = 3;

export interface Product {
  id: string;
  text: string;
  category: string;
  number: number;
  /** As JSON. */
  vector: string;
}

export interface ProductQuery {
  words: string;
  /** As JSON. */
  vector: string;
}

export interface ProductSizes {
  documents: number;
  dimensions: number;
  /** The fewest and the most words of a text: of equal lengths too many scores would be equal. */
  textWords: readonly [number, number];
  queries: number;
}

/**
 * Made-up products, the same on every machine: words by Zipf's law, and unit vectors around some clusters on a manifold
 * of low rank.
 */
export class Products {
  readonly count: number;
  readonly dim: number;
  readonly queries: readonly ProductQuery[];
  readonly #texts: readonly string[];
  readonly #rows: Float32Array;

  constructor({ documents, dimensions, textWords, queries }: ProductSizes) {
    this.count = documents;
    this.dim = dimensions;
    this.#rows = manifold(documents + queries, dimensions);
    const random = randomNumbers(4);
    const draw = zipf(random);
    const [fewest, most] = textWords;
    const length = () => fewest + Math.floor(random() * (most - fewest + 1));
    this.#texts = Array.from({ length: documents }, () => words(length(), () => draw(0)));
    this.queries = Array.from({ length: queries }, (_, query) => ({
      words: words(QUERY_WORDS, () => draw(COMMON)),
      vector: rowText(this.#rows, documents + query, dimensions),
    }));
  }

  /** The products from `first` to before `end`. */
  products(first: number, end: number): Product[] {
    return Array.from({ length: Math.min(end, this.count) - first }, (_, at) => this.#product(first + at));
  }

  #product(id: number): Product {
    return {
      id: `${id}`,
      text: this.#texts[id] ?? '',
      category: `c${id % CATEGORIES}`,
      number: id,
      vector: rowText(this.#rows, id, this.dim),
    };
  }
}

/** Unit rows, `[rows, dim]`. */
function manifold(rows: number, dim: number): Float32Array {
  const random = randomNumbers(3);
  const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  const normals = (count: number) => Float32Array.from({ length: count }, normal);
  const [directions, centers] = [normals(RANK * dim), normals(CLUSTERS * RANK)];
  const values = new Float32Array(rows * dim);
  for (let row = 0; row < rows; row += 1) {
    const vector = values.subarray(row * dim, (row + 1) * dim);
    const center = Math.floor(random() * CLUSTERS) * RANK;
    for (let direction = 0; direction < RANK; direction += 1) {
      const share = (centers[center + direction] ?? 0) + normal();
      for (let i = 0; i < dim; i += 1) vector[i] = (vector[i] ?? 0) + share * (directions[direction * dim + i] ?? 0);
    }
    const length = Math.sqrt(vector.reduce((sum, number) => sum + number * number, 0));
    for (let i = 0; i < dim; i += 1) vector[i] = (vector[i] ?? 0) / length;
  }
  return values;
}

/** Draws the places of words, from `least` on: the n-th is drawn `1/n` as often as the first. */
function zipf(random: () => number): (least: number) => number {
  const span = Math.log(VOCABULARY);
  return (least) => {
    for (;;) {
      const place = Math.floor(Math.exp(random() * span)) - 1;
      if (place >= least) return place;
    }
  };
}

const words = (count: number, draw: () => number) => Array.from({ length: count }, () => word(draw())).join(' ');

const SYLLABLES = ['ka', 'lo', 'mi', 'ru', 'te', 'no', 'pa', 'vi', 'zu', 'ho'];

/** A word of four or five syllables, which no stemmer changes. */
const word = (place: number) => [...`${place + 1000}`].map((digit) => SYLLABLES[Number(digit)]).join('');
