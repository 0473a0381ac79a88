import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { giveToUnprivileged, unprivileged } from '../../../scripts/processes/nobody.mjs';
import { CACHE } from '../paths.ts';
import { installApart } from '../pypi.ts';
import { type Corpus, FILTERED, type Gloss, type GlossQuery, K, numbersOf } from './corpus.ts';
import type { Generator, Request } from './generator.ts';
import { freePort, PeerProcess } from './peer-process.ts';
import { type GraphSettings, type Service, single, type Workload } from './service.ts';
import { postgresQuery, postgresRows, postgresStart } from './wire.ts';

const USER = 'bench';
const DATABASE = 'postgres';
/** Memory for building a graph and for pages, as the manual of pgvector asks for. */
const SETTINGS = { shared_buffers: '1GB', maintenance_work_mem: '1GB', max_parallel_maintenance_workers: '2' };
/** Candidates of each leg of a fused search, and the constant of reciprocal ranks. */
const LEG = 20;
const RANK_CONSTANT = 60;
const FILTER: Partial<Record<Workload, string>> = {
  'kNN, a tenth passes': `WHERE category = '${FILTERED.category}'`,
  'kNN, a hundredth passes': `WHERE number <= ${FILTERED.numberMax}`,
};

/** PostgreSQL with pgvector, asked in SQL. */
export class Postgres implements Service {
  readonly title = 'PostgreSQL 18.3, pgvector 0.8.2';
  readonly wire = 'postgres';
  readonly note =
    'graph and index of words built after the rows are in; goes on where a filter leaves too few; ts_rank; fused by ranks in SQL';
  readonly takesEffort = true;
  readonly folder: string;
  readonly port: number;
  readonly #programs: string;
  readonly #generator: Generator;
  #graph: GraphSettings | null = null;
  #process: PeerProcess | null = null;

  private constructor(programs: string, folder: string, port: number, generator: Generator) {
    this.#programs = programs;
    this.folder = folder;
    this.port = port;
    this.#generator = generator;
  }

  /** Fails where the package cannot be had. */
  static async over(folder: string, generator: Generator, say: (line: string) => void): Promise<Postgres> {
    // Apart from the environment: another package there has a folder of the same name.
    const installed = join(CACHE, 'services', 'postgres');
    await installApart('postgres.txt', installed, say);
    const programs = join(installed, 'pgserver', 'pginstall', 'bin');
    for (const name of readdirSync(programs)) chmodSync(join(programs, name), 0o755);
    mkdirSync(folder, { recursive: true });
    giveToUnprivileged(folder);
    const postgres = new Postgres(programs, folder, await freePort(), generator);
    postgres.#initialise();
    return postgres;
  }

  get pid(): number {
    return this.#process?.pid ?? 0;
  }

  async start(): Promise<void> {
    const settings = { ...SETTINGS, port: `${this.port}`, listen_addresses: '127.0.0.1', unix_socket_directories: '' };
    const args = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const program = { command: join(this.#programs, 'postgres'), args: ['-D', this.folder, ...args] };
    const log = `${this.folder}.log`;
    this.#process = await PeerProcess.start({ ...program, cwd: this.folder, log, refusesRoot: true }, async () => {
      const [row] = await this.#ask('SELECT 1');
      return row?.[0] === '1';
    });
  }

  async stop(): Promise<void> {
    await this.#process?.stop();
    this.#process = null;
  }

  async create({ dim }: Corpus, graph: GraphSettings): Promise<void> {
    this.#graph = graph;
    await this.#ask('CREATE EXTENSION vector');
    const words = "words tsvector GENERATED ALWAYS AS (to_tsvector('english', gloss)) STORED";
    const columns = `id bigint PRIMARY KEY, gloss text, category text, number int, vector vector(${dim}), ${words}`;
    await this.#ask(`CREATE TABLE glosses (${columns})`);
  }

  addition(glosses: readonly Gloss[]): Request {
    const rows = glosses.map(
      ({ id, text, category, number, vector }) =>
        `(${id},${quoted(text)},'${category}',${number},'${numbersOf(vector)}')`,
    );
    const sql = `INSERT INTO glosses (id, gloss, category, number, vector) VALUES ${rows.join(',')}`;
    return single(postgresQuery(sql));
  }

  /** Refusals are answered as faults. */
  checkAdded(): void {}

  async settle(): Promise<void> {
    const { m, efConstruction } = this.#graph ?? { m: 0, efConstruction: 0 };
    const graph = `m = ${m}, ef_construction = ${efConstruction}`;
    await this.#ask(`CREATE INDEX ON glosses USING hnsw (vector vector_cosine_ops) WITH (${graph})`);
    await this.#ask('CREATE INDEX ON glosses USING gin (words)');
    await this.#ask('CREATE INDEX ON glosses (category)');
    await this.#ask('CREATE INDEX ON glosses (number)');
    await this.#ask('VACUUM ANALYZE glosses');
  }

  async tune(): Promise<void> {}

  greeting(effort: number): readonly Uint8Array[] {
    const settings = [`SET hnsw.ef_search = ${effort || K}`, 'SET hnsw.iterative_scan = strict_order'];
    return [postgresStart(USER, DATABASE), ...settings.map(postgresQuery)];
  }

  search(workload: Workload, { words, vector }: GlossQuery): Request {
    const distance = `vector <=> '${numbersOf(vector)}'`;
    const terms = quoted(words.split(' ').join(' or '));
    const byWords = `FROM glosses, websearch_to_tsquery('english', ${terms}) q WHERE words @@ q ORDER BY ts_rank(words, q) DESC`;
    if (workload === 'words') return single(postgresQuery(`SELECT id, number ${byWords} LIMIT ${K}`));
    if (workload !== 'hybrid') {
      const sql = `SELECT id, number FROM glosses ${FILTER[workload] ?? ''} ORDER BY ${distance} LIMIT ${K}`;
      return single(postgresQuery(sql));
    }
    const ranked = (leg: string) => `SELECT id, number, row_number() OVER () AS place FROM (${leg} LIMIT ${LEG}) x`;
    const near = ranked(`SELECT id, number FROM glosses ORDER BY ${distance}`);
    const said = ranked(`SELECT id, number ${byWords}`);
    const score = `sum(1.0 / (${RANK_CONSTANT} + place))`;
    const both = `(${near}) UNION ALL (${said})`;
    const sql = `SELECT id, number FROM (${both}) y GROUP BY id, number ORDER BY ${score} DESC LIMIT ${K}`;
    return single(postgresQuery(sql));
  }

  idsOf(answer: Buffer): number[] {
    return postgresRows(answer).map(([id]) => Number(id));
  }

  #initialise(): void {
    const args = ['-D', this.folder, '-U', USER, '--auth=trust', '--encoding=UTF8', '--locale=C', '--no-sync'];
    const { status, stderr } = spawnSync(join(this.#programs, 'initdb'), args, {
      encoding: 'utf8',
      ...unprivileged(),
    });
    if (status !== 0 || !existsSync(join(this.folder, 'PG_VERSION'))) throw new Error(`initdb failed: ${stderr}`);
  }

  async #ask(sql: string): Promise<(string | null)[][]> {
    const order = {
      wire: this.wire,
      port: this.port,
      greeting: [postgresStart(USER, DATABASE)],
      connections: 1,
    } as const;
    const requests = [single(postgresQuery(sql))];
    const { answers } = await this.#generator.send({ ...order, requests, seconds: null, keepsAnswers: true });
    return postgresRows(Buffer.from(answers[0] ?? []));
  }
}

const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`;
