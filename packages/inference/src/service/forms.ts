import type { EmbeddingService, ServiceForm } from '../resolved-model.js';
import type { Priority } from '../runtime/encoder.js';

/** An answer that has not the vectors that were asked for. Its message is a clause. */
export class WrongAnswer extends Error {
  override readonly name = 'WrongAnswer';
}

/** A form in which services are asked. */
interface Form {
  /** The body that asks for vectors of texts. */
  readonly body: (service: EmbeddingService, texts: readonly string[], as: Priority, dimensions: number) => object;
  /** The vectors in an answer, in the order of the texts, as they stand there; undefined where there are none. */
  readonly vectors: (answer: Members) => readonly unknown[] | undefined;
}

type Members = Readonly<Record<string, unknown>>;

const FORMS: Readonly<Record<ServiceForm, Form>> = {
  openai: {
    // Numbers in base64 are a third of those in decimals, and take no time to read. Services that know no base64 send lists.
    body: ({ model, sendsDimensions }, input, _, dimensions) => ({
      ...{ model, input, encoding_format: 'base64' },
      ...(sendsDimensions && { dimensions }),
    }),
    vectors: ({ data }) =>
      listOf(data)
        ?.toSorted(byIndex)
        .map((one) => membersOf(one).embedding),
  },
  ollama: {
    body: ({ model, sendsDimensions }, input, _, dimensions) => ({
      ...{ model, input },
      ...(sendsDimensions && { dimensions }),
    }),
    vectors: ({ embeddings }) => listOf(embeddings),
  },
  cohere: {
    body: ({ model, sendsDimensions }, texts, as, dimensions) => ({
      ...{ model, texts, input_type: as === 'query' ? 'search_query' : 'search_document', embedding_types: ['float'] },
      ...(sendsDimensions && { output_dimension: dimensions }),
    }),
    vectors: ({ embeddings }) => listOf(membersOf(embeddings).float),
  },
};

/** Tells whether services of that form give other vectors to queries than to documents. */
export function tellsTextsApart({ form }: EmbeddingService): boolean {
  return form === 'cohere';
}

/** The body that asks a service for the vectors of texts. */
export function requestBody(
  service: EmbeddingService,
  texts: readonly string[],
  as: Priority,
  dimensions: number,
): string {
  return JSON.stringify(FORMS[service.form].body(service, texts, as, dimensions));
}

/**
 * The vectors in an answer, `[count, dimensions]`.
 * @throws WrongAnswer where it has others, or none
 */
export function readVectors(
  { form }: EmbeddingService,
  answer: Buffer,
  { count, dimensions }: { readonly count: number; readonly dimensions: number },
): Float32Array {
  const found = FORMS[form].vectors(membersOf(parsed(answer)));
  if (found === undefined) throw new WrongAnswer(`it answered with no vectors where the form ${form} has them`);
  if (found.length !== count) throw new WrongAnswer(`it answered with ${found.length} vectors for ${count} texts`);
  const vectors = new Float32Array(count * dimensions);
  for (const [row, written] of found.entries()) vectors.set(vectorOf(written, dimensions), row * dimensions);
  if (!vectors.every(Number.isFinite)) throw new WrongAnswer('it answered with a vector of what are no numbers');
  return vectors;
}

function vectorOf(written: unknown, dimensions: number): ArrayLike<number> {
  const vector = typeof written === 'string' ? floatsOf(written) : listOf(written);
  if (vector === undefined) throw new WrongAnswer('it answered with a vector that is no list of numbers');
  if (vector.length !== dimensions) {
    throw new WrongAnswer(`its vectors have ${vector.length} dimensions, expected ${dimensions}`);
  }
  if (vector instanceof Float32Array || vector.every((component) => typeof component === 'number')) {
    return vector as ArrayLike<number>;
  }
  throw new WrongAnswer('it answered with a vector of what are no numbers');
}

/** Little-endian floats in base64. */
function floatsOf(base64: string): Float32Array | undefined {
  const bytes = Buffer.from(base64, 'base64');
  if (bytes.length % 4 !== 0) return undefined;
  return Float32Array.from({ length: bytes.length / 4 }, (_, at) => bytes.readFloatLE(at * 4));
}

function parsed(answer: Buffer): unknown {
  try {
    return JSON.parse(answer.toString('utf8'));
  } catch {
    throw new WrongAnswer('it answered with what is no JSON');
  }
}

/** Services number their vectors; one that does not has them in order. */
function byIndex(a: unknown, b: unknown): number {
  const [first, second] = [membersOf(a).index, membersOf(b).index];
  return typeof first === 'number' && typeof second === 'number' ? first - second : 0;
}

function membersOf(value: unknown): Members {
  return typeof value === 'object' && value !== null ? (value as Members) : {};
}

function listOf(value: unknown): readonly unknown[] | undefined {
  return Array.isArray(value) ? value : undefined;
}

/** The reason of a service in its own words, from the places where the forms have it; null where there is none. */
export function reasonIn(body: string): string | null {
  let answer: Members;
  try {
    answer = membersOf(JSON.parse(body));
  } catch {
    return body.trim() === '' ? null : body.trim();
  }
  const { error, message, detail } = answer;
  const told = [membersOf(error).message, error, message, detail].find((one) => typeof one === 'string');
  return typeof told === 'string' ? told : null;
}
