import { parseExactly, sourceOf } from '../../exact-json.js';
import type { Server } from '../../server-call.js';
import { ExitCode, StartFailure } from '../../start-failure.js';
import { Api, messageOf } from '../api.js';
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

/** The vectors that documents bring; undefined where they have none of a length and a metric that an index can have. */
export function vectorsLike(
  field: string,
  documents: readonly RemoteDocument[],
  spaceType: string | undefined,
): RemoteVectors | undefined {
  const dimensions = documents.find(({ vector }) => vector !== undefined)?.vector?.length ?? 0;
  return dimensions === 0 || spaceType === undefined ? undefined : { field, dimensions, spaceType };
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

/** Says that the first documents, by which vectors are told, have none of a name. */
export function noVectors(name: string): string {
  return `No document of the first page has the vectors ${name}`;
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
    try {
      const answer = await this.#api.send(method, path, body === undefined ? undefined : JSON.stringify(body));
      if (answer.status >= 300) throw new TransferFailure(`${this.#name} answers ${messageOf(answer)}`);
      return parseExactly(answer.body.toString()) as T;
    } catch (error) {
      if (error instanceof SyntaxError) throw this.unexpected(`${method} ${path}`);
      if (!(error instanceof StartFailure) || error.exitCode !== ExitCode.NO_SERVER) throw error;
      throw new StartFailure(error.exitCode, `No ${this.#name} answers at ${this.#api.url}`);
    }
  }

  unexpected(what: string): TransferFailure {
    return new TransferFailure(`${this.#api.url} answers ${what} otherwise than ${this.#name} does`);
  }
}
