import { parseExactly, sourceOf } from '../../exact-json.js';
import type { Answer, AnswerLines, Server } from '../../server-call.js';
import { ExitCode, StartFailure } from '../../start-failure.js';
import { Api, messageOf } from '../api.js';
import { SAMPLE_ITEMS } from '../sample.js';
import { TransferFailure } from '../transfer-failure.js';
import type { RemoteName } from './names.js';

/** Vectors of a collection, all of one space. */
export interface RemoteVectors {
  /** The field that they become. */
  readonly field: string;
  readonly dimensions: number;
  readonly spaceType: string;
}

export interface RemoteDocument {
  readonly id: string;
  /** Its fields, whose numbers are spelt as they were. */
  readonly fields: Readonly<Record<string, unknown>>;
  readonly vector?: readonly unknown[] | undefined;
  /** Says why it cannot be imported. */
  readonly problem?: string;
}

export interface RemotePage {
  readonly documents: readonly RemoteDocument[];
  /** The place of the next page, which JSON can hold; undefined behind the last. */
  readonly next: unknown;
}

/** A collection of another service, read page by page in an order that stays. */
export interface Remote {
  readonly vectors: RemoteVectors | undefined;
  /** Says why the vectors that are to be taken cannot be; undefined where they can, and where there are none. */
  readonly problem?: string | undefined;
  /** Says what of the collection is not imported; undefined where all is. */
  readonly note: string | undefined;
  /** @param place that of an earlier page; undefined for the first */
  page(place: unknown): Promise<RemotePage>;
  /** Frees what reading left open. */
  close?(): void;
}

/** The number that an answer spells; undefined for another value. */
export function numberOf(value: unknown): number | undefined {
  const source = sourceOf(value);
  return source === undefined ? undefined : Number(source);
}

/** Tells whether some of the documents have a vector. */
export function hasVectors(documents: readonly RemoteDocument[]): boolean {
  return documents.some(({ vector }) => vector !== undefined);
}

/**
 * The vectors of a collection that tells of none but those that its documents bring. The first documents are looked at,
 * and where vectors are asked for by their name, all until one has them.
 *
 * @param field gives the field of the vectors, once documents were read
 * @param names gives all names that documents have vectors by
 * @param metric that of the vectors, as the service calls it
 */
export async function vectorsOfDocuments(
  page: Remote['page'],
  named: string | undefined,
  { field, names, metric, spaces }: FoundBy,
): Promise<Pick<Remote, 'vectors' | 'problem'>> {
  const unknown = names().length === 0 ? undefined : vectorProblem(named, names(), undefined);
  if (unknown !== undefined) return { vectors: undefined, problem: unknown };
  let [place, documents, looked]: [unknown, readonly RemoteDocument[], number] = [undefined, [], 0];
  do {
    const read = await page(place);
    [place, documents, looked] = [read.next, read.documents, looked + read.documents.length];
  } while (place !== undefined && !hasVectors(documents) && (named !== undefined || looked < SAMPLE_ITEMS));
  const wrong = vectorProblem(named, names(), undefined);
  const dimensions = documents.find(({ vector }) => vector !== undefined)?.vector?.length ?? 0;
  if (wrong !== undefined || dimensions === 0) {
    const lost = named === undefined || looked === 0 ? undefined : `No document has the vectors ${named}`;
    return { vectors: undefined, problem: wrong ?? lost };
  }
  const spaceType = spaces[metric];
  if (spaceType === undefined) return { vectors: undefined, problem: vectorProblem(named, names(), metric) };
  return { vectors: { field: field(), dimensions, spaceType }, problem: undefined };
}

interface FoundBy {
  readonly field: () => string;
  readonly names: () => readonly string[];
  readonly metric: string;
  /** Metrics here by those of the service. */
  readonly spaces: Readonly<Record<string, string>>;
}

/** Says which vectors of documents with several are left out; undefined where none are. */
export function leftOut(names: readonly string[], taken: string | undefined): string | undefined {
  const others = names.filter((name) => name !== taken);
  return others.length === 0 ? undefined : `these vectors are left out: ${others.join(', ')}`;
}

/** A key, and the header that carries it. */
export type ShownKey = Required<Pick<Server, 'keyHeader' | 'keyScheme'>> & { readonly apiKey: string };

/**
 * Says why vectors cannot be taken.
 * @param named those that are asked for
 * @param names all that the collection has
 * @param metric that of those to take; undefined where the collection has none of the name
 */
export function vectorProblem(
  named: string | undefined,
  names: readonly string[],
  metric: string | undefined,
): string | undefined {
  const there = names.length === 0 ? 'the collection has none' : `the collection has ${names.join(', ')}`;
  if (named !== undefined && !names.includes(named)) return `--from-vector names '${named}': ${there}`;
  if (metric === undefined) return undefined;
  return `The vectors ${named ?? names[0]} have the metric '${metric}', which no index here has: ${there}`;
}

/** Calls of another service. */
export class RemoteApi {
  readonly #api: Api;
  readonly #name: string;

  constructor(name: RemoteName, url: string, key: ShownKey | undefined) {
    this.#name = name;
    this.#api = new Api({ url, apiKey: undefined, ...key });
  }

  /**
   * The JSON of an answer, with numbers as they are spelt.
   * @throws StartFailure with the service's own words
   */
  async call<T>(method: 'GET' | 'POST', path: string, body?: object): Promise<T> {
    const sent = this.#api.send(method, path, body === undefined ? undefined : JSON.stringify(body));
    const answer = await this.#answered(sent);
    try {
      return parseExactly(answer.body.toString()) as T;
    } catch {
      throw this.unexpected(`${method} ${path}`);
    }
  }

  /**
   * The lines of an answer, which is read as far as they are asked for.
   * @throws StartFailure with the service's own words
   */
  async lines(path: string): Promise<AsyncGenerator<string>> {
    const { lines } = await this.#answered(this.#api.lines(path));
    return lines;
  }

  async #answered<Answered extends Answer | AnswerLines>(sent: Promise<Answered | Answer>): Promise<Answered> {
    try {
      const answer = await sent;
      if (answer.status < 300) return answer as Answered;
      throw new TransferFailure(`${this.#name} answers ${messageOf(answer as Answer)}`);
    } catch (error) {
      if (!(error instanceof StartFailure) || error.exitCode !== ExitCode.NO_SERVER) throw error;
      throw new StartFailure(error.exitCode, `No ${this.#name} answers at ${this.#api.url}`);
    }
  }

  unexpected(what: string): TransferFailure {
    return new TransferFailure(`${this.#api.url} answers ${what} otherwise than ${this.#name} does`);
  }
}
