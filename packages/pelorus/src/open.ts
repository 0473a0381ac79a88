import { join } from 'node:path';
import { type Method, Pelorus, PelorusError } from '@pelorus/client';
import { EmbeddedEngine } from '@pelorus/engine';
import { Inventory } from '@pelorus/files';
import { createInference, type InferenceConfig } from '@pelorus/inference';
import {
  ConfigError,
  createLog,
  createServer,
  engineOptions,
  keysListedIn,
  openKeys,
  readConfig,
} from '@pelorus/server';

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
export async function open({ data, models = {}, settings = {} }: OpenOptions): Promise<OpenPelorus> {
  const config = readConfig({}, { 'log-level': 'silent', ...settings, data });
  if (config.engine !== 'embedded')
    throw new ConfigError(
      '--engine is opensearch, but open() has indexes in a folder; `pelorus serve` has some on a cluster',
    );
  if (config.dualWrite)
    throw new ConfigError('--dual-write is set, but open() writes to one engine; `pelorus serve` to both');
  const log = createLog(config);
  const warn = (message: string): void => log.warn(message);
  const inventory = await Inventory.open(join(config.dataDir, 'inventory.json'), warn);
  const parts: Closable[] = [inventory];
  try {
    const keys = await openKeys(config, {}, keysListedIn(inventory, warn));
    parts.unshift(keys);
    const engine = await EmbeddedEngine.open(config.dataDir, engineOptions(config), inventory);
    parts.unshift(engine);
    const inference = createInference({ ...models, report: warn });
    parts.unshift(inference);
    // Code in the same process needs no key: it can read the files.
    const access = { admit: () => undefined };
    const given = { engine, inference, keys, config, access, log, filesProblems: inventory.problems };
    const server = createServer({ ...given, docs: false });
    parts.unshift(server);
    await server.ready();
    return new OpenPelorus(server, parts);
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
    signal?: AbortSignal;
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

/** The address in messages about calls within the process. */
const IN_PROCESS = 'http://in-process.invalid';

/** Time for a call, in milliseconds. No connection breaks here, and the server ends searches that take too long. */
const TIMEOUT_MS = 600_000;

/** The indexes of one folder: the calls of the client, answered in this process. */
export class OpenPelorus extends Pelorus {
  /**
   * Answers a request of the interface as `fetch` would, whatever the host in its address: for clients that take a
   * `fetch` of their own. An answer of any status is a response, not an error.
   */
  readonly fetch: (input: string | URL | Request, init?: RequestInit) => Promise<Response>;
  /** The server among them, and all that it needs, in the order in which they are closed. */
  readonly #parts: readonly Closable[];
  readonly #underWay = new Set<Promise<unknown>>();
  #closing: Promise<void> | undefined;

  /** For {@link open} alone. */
  constructor(server: Server, parts: readonly Closable[]) {
    const fetch: OpenPelorus['fetch'] = async (input, init) => {
      if (this.#closing !== undefined)
        throw new PelorusError('This program has closed the indexes', { code: 'closed' });
      const request = new Request(input instanceof Request ? input : new URL(input, IN_PROCESS), init);
      const answer = answered(server, request).finally(() => this.#underWay.delete(answer));
      this.#underWay.add(answer);
      return answer;
    };
    super({ url: IN_PROCESS, fetch, timeoutMs: TIMEOUT_MS });
    this.fetch = fetch;
    this.#parts = parts;
  }

  /** Finishes what is under way and lets go of the folder. Later calls fail. */
  close(): Promise<void> {
    this.#closing ??= Promise.allSettled(this.#underWay).then(() => closeAll(this.#parts));
    return this.#closing;
  }
}

/** The answer of a server in this process to a request. */
async function answered(server: Server, request: Request): Promise<Response> {
  const { signal } = request;
  const { pathname, search } = new URL(request.url);
  const body = Buffer.from(await request.arrayBuffer());
  signal.throwIfAborted();
  // The signal of the request may end after the answer, when there is nothing to end any more: the server has another.
  const gone = new AbortController();
  const answer = server.inject({
    method: request.method as Method,
    url: `${pathname}${search}`,
    headers: Object.fromEntries(request.headers),
    ...(body.length > 0 && { payload: body }),
    signal: gone.signal,
  });
  const { statusCode, headers, rawPayload } = await untilAborted(answer, signal, gone);
  const told = Object.entries(headers).flatMap(([name, value]: [string, unknown]) =>
    [value ?? []].flat().map((one) => [name, String(one)] as [string, string]),
  );
  const isEmpty = statusCode === 204 || statusCode === 304;
  return new Response(isEmpty ? null : new Uint8Array(rawPayload), { status: statusCode, headers: told });
}

/** The value of a promise. A signal ends the wait with its reason, and the work as well. */
function untilAborted<Value>(promise: Promise<Value>, signal: AbortSignal, work: AbortController): Promise<Value> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      reject(signal.reason);
      work.abort();
    };
    signal.addEventListener('abort', abort);
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
