import { join } from 'node:path';
import type { schemas } from '@pelorus/contract';
import { EmbeddedEngine } from '@pelorus/engine';
import { Inventory } from '@pelorus/files';
import { createInference, type InferenceConfig } from '@pelorus/inference';
import { createLog, createServer, engineOptions, keysListedIn, openKeys, readConfig } from '@pelorus/server';

export interface OpenOptions {
  /** Folder of the indexes, which no other process may have open. Made where it is missing. */
  readonly data: string;
  /** Where models are kept and come from. Default as for `pelorus serve` without flags. */
  readonly models?: InferenceConfig;
  /** Settings of the server by the names of their flags, such as `{ 'max-memory': '2GiB' }`. Default those of it. */
  readonly settings?: Readonly<Record<string, string>>;
}

/**
 * Opens indexes in this process, with no server and no port. Every call goes through the checks and limits of the HTTP
 * interface, and answers as it does.
 *
 * @throws Error with a code such as `data_directory_in_use` or `native_addon_missing`; nothing has been changed then
 */
export async function open({ data, models = {}, settings = {} }: OpenOptions): Promise<Pelorus> {
  const config = readConfig({}, { 'log-level': 'silent', ...settings, data });
  const log = createLog(config);
  const warn = (message: string): void => log.warn(message);
  const inventory = await Inventory.open(join(config.dataDir, 'inventory.json'), warn);
  const parts: Closable[] = [];
  try {
    const keys = await openKeys(config, {}, keysListedIn(inventory, warn));
    parts.unshift(keys);
    const engine = await EmbeddedEngine.open(config.dataDir, engineOptions(config), inventory);
    parts.unshift(engine);
    const inference = createInference({ ...models, report: warn });
    parts.unshift(inference);
    // Code in the same process needs no key: it can read the files.
    const access = { admit: () => undefined };
    const given = { engine, inference, keys, config, access, log, filesFault: inventory.fault };
    const server = createServer({ ...given, docs: false });
    parts.unshift(server);
    await server.ready();
    return new Pelorus(server, parts);
  } catch (error) {
    // The folder is free again, be it that the settings were wrong; the first failure is the one to be told.
    await closeAll(parts).catch(() => undefined);
    throw error;
  }
}

/** The part of the HTTP service that calls go through; its own types need those of packages that are left out. */
interface Server {
  inject(request: {
    method: Method;
    url: string;
    headers: Record<string, string>;
    payload?: Buffer;
  }): Promise<{ statusCode: number; headers: object; rawPayload: Buffer }>;
}

interface Closable {
  close(): PromiseLike<unknown>;
}

/** Closes parts one after the other, those after a failure too. @throws the first failure */
async function closeAll(parts: readonly Closable[]): Promise<void> {
  const failures: unknown[] = [];
  for (const part of parts) await part.close().then(undefined, (error: unknown) => failures.push(error));
  if (failures.length > 0) throw failures[0];
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** The indexes of one folder. */
export class Pelorus {
  readonly #server: Server;
  /** The server among them, and all that it needs, in the order in which they are closed. */
  readonly #parts: readonly Closable[];

  /** For {@link open} alone. */
  constructor(server: Server, parts: readonly Closable[]) {
    this.#server = server;
    this.#parts = parts;
  }

  /**
   * Answers a request of the interface as `fetch` would, whatever the host in its address: for clients that take a
   * `fetch` of their own. An answer of any status is a response, not an error.
   */
  readonly fetch = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const request = new Request(input instanceof Request ? input : new URL(input, 'http://pelorus.invalid'), init);
    const { pathname, search } = new URL(request.url);
    const body = Buffer.from(await request.arrayBuffer());
    const { statusCode, headers, rawPayload } = await this.#server.inject({
      method: request.method as Method,
      url: `${pathname}${search}`,
      headers: Object.fromEntries(request.headers),
      ...(body.length > 0 && { payload: body }),
    });
    const told = Object.entries(headers).flatMap(([name, value]: [string, unknown]) =>
      [value ?? []].flat().map((one) => [name, String(one)] as [string, string]),
    );
    const isEmpty = statusCode === 204 || statusCode === 304;
    return new Response(isEmpty ? null : new Uint8Array(rawPayload), { status: statusCode, headers: told });
  };

  /** @throws RequestFailure */
  async createIndex(name: string, settings: Partial<schemas.IndexSettings> = {}): Promise<void> {
    await this.call('POST', `/indexes/${encodeURIComponent(name)}`, settings);
  }

  /** Names of the indexes. */
  async listIndexes(): Promise<string[]> {
    const { results } = await this.call<schemas.IndexList>('GET', '/indexes');
    return results.map(({ indexName }) => indexName);
  }

  /** An index by its name, whether it is there or not. Its documents are of type `Fields`, with an `_id`. */
  index<Fields extends object = Record<string, unknown>>(name: string): Index<Fields> {
    return new Index<Fields>(this, name);
  }

  /**
   * Makes any call of the interface.
   *
   * @param path with its parameters, such as `/indexes/notes/stats`
   * @throws RequestFailure where the answer is not of success
   */
  async call<Answer = unknown>(method: Method, path: string, body?: object): Promise<Answer> {
    const response = await this.fetch(path, {
      method,
      ...(body !== undefined && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    });
    const answer = (await response.json()) as Answer & schemas.ErrorResponse;
    if (!response.ok) throw new RequestFailure(response.status, answer);
    return answer;
  }

  /** Finishes what is under way and lets go of the folder. Later calls fail. */
  async close(): Promise<void> {
    await closeAll(this.#parts);
  }
}

/** A document that a search found, with its own fields. */
export type Hit<Fields> = Fields & schemas.SearchResponse['hits'][number];

/** One index of an open folder. */
export class Index<Fields extends object = Record<string, unknown>> {
  readonly #pelorus: Pelorus;
  readonly #path: string;
  readonly name: string;

  /** For {@link Pelorus.index} alone. */
  constructor(pelorus: Pelorus, name: string) {
    this.#pelorus = pelorus;
    this.#path = `/indexes/${encodeURIComponent(name)}`;
    this.name = name;
  }

  /** Adds or replaces documents; one that is refused is an item of the answer. @throws RequestFailure */
  add(
    documents: readonly (Fields & { readonly _id?: string })[],
    options: Omit<Partial<schemas.AddDocumentsRequest>, 'documents'> = {},
  ): Promise<schemas.AddDocumentsResponse> {
    return this.#pelorus.call('POST', `${this.#path}/documents`, { ...options, documents });
  }

  /** @param query a text, or everything that a search takes @throws RequestFailure */
  search(
    query: string | Partial<schemas.SearchRequest>,
  ): Promise<Omit<schemas.SearchResponse, 'hits'> & { hits: Hit<Fields>[] }> {
    const body = typeof query === 'string' ? { q: query } : query;
    return this.#pelorus.call('POST', `${this.#path}/search`, body);
  }

  /** @throws RequestFailure with the code `document_not_found` where there is none */
  get(id: string): Promise<Fields & { _id: string }> {
    return this.#pelorus.call('GET', `${this.#path}/documents/${encodeURIComponent(id)}`);
  }

  /** Deletes documents by their ids. @throws RequestFailure */
  delete(ids: readonly string[]): Promise<schemas.DeleteDocumentsResponse> {
    return this.#pelorus.call('POST', `${this.#path}/documents/delete-batch`, ids as string[]);
  }

  /** @throws RequestFailure */
  stats(): Promise<schemas.IndexStats> {
    return this.#pelorus.call('GET', `${this.#path}/stats`);
  }

  /** Deletes the index with all it holds. @throws RequestFailure */
  async drop(): Promise<void> {
    await this.#pelorus.call('DELETE', this.#path);
  }
}

/** A request that was refused, as the interface says it. */
export class RequestFailure extends Error {
  override readonly name = 'RequestFailure';
  /** The status that an answer over HTTP would have. */
  readonly status: number;
  /** The reason for programs, such as `index_not_found`. */
  readonly code: string | undefined;

  constructor(status: number, answer: schemas.ErrorResponse) {
    super(answer.message ?? JSON.stringify(answer));
    this.status = status;
    this.code = answer.code;
  }
}
