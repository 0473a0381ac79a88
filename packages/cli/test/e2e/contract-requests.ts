import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pythonWith, schemathesis } from './python-environment.js';
import { type ServerProcess, withAdminKey } from './server-process.js';

/** The checks that every answer must pass. */
const CHECKS = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_headers_conformance',
  'response_schema_conformance',
];

/** Requests of an operation that are chosen by chance, besides one for each member and bound of its schemas. */
const EXAMPLES = process.env.PELORUS_SCHEMATHESIS_EXAMPLES ?? '10';
/** The seed of the random requests; without it, they are the same each time. */
const SEED = process.env.PELORUS_SCHEMATHESIS_SEED;

/** Requests that schemathesis makes of the contract of a server with an admin key. */
export class ContractRequests {
  readonly #server: ServerProcess;
  readonly #folder: string;
  readonly #python: string;

  /** @param folder where it keeps its configuration */
  constructor(server: ServerProcess, folder: string) {
    this.#server = server;
    this.#folder = folder;
    this.#python = pythonWith(schemathesis);
    this.give({});
  }

  /**
   * Gives parameters of all operations a value, `path.indexName` for one. Searches have time: one that has none answers
   * 504, as documented, and that is no other to a check for server errors.
   */
  give(parameters: Readonly<Record<string, string>>): void {
    const given = { 'header.x-request-timeout-ms': '60000', ...parameters };
    const lines = Object.entries(given).map(([name, value]) => `"${name}" = ${JSON.stringify(value)}\n`);
    writeFileSync(join(this.#folder, 'schemathesis.toml'), `[parameters]\n${lines.join('')}`);
  }

  /** Sends the requests of the operations that options of schemathesis choose; what it found, '' where all was well. */
  findings(...choice: string[]): Promise<string> {
    const chance =
      SEED === undefined ? ['--generation-deterministic'] : ['--seed', SEED, '--generation-database', 'none'];
    const run = ['run', `${this.#server.address}/openapi.json`, '--phases', 'examples,coverage,fuzzing', '--no-color'];
    // One of the first requests may make a key, and none is let in without one from then on.
    const key = ['--header', `x-api-key: ${withAdminKey.PELORUS_ADMIN_KEY}`];
    const extent = [
      '--checks',
      CHECKS.join(),
      '--max-examples',
      EXAMPLES,
      '--continue-on-failure',
      '--warnings',
      'off',
    ];
    const config = join(this.#folder, 'schemathesis.toml');
    const args = ['-m', 'schemathesis.cli', '--config-file', config, ...run, ...key, ...extent, ...chance, ...choice];
    const options = { cwd: this.#folder, env: { ...process.env, PYTHONUTF8: '1' }, maxBuffer: 2 ** 28 };
    return new Promise((resolve) =>
      execFile(this.#python, args, options, (error, out, err) => resolve(error ? out + err : '')),
    );
  }
}

/** Lines of the log of a server that tell of faults of its own. */
export function faultsOf(server: ServerProcess): string[] {
  const lines = server.output.split('\n').filter((line) => line.startsWith('{'));
  return lines.filter((line) => JSON.parse(line).level >= 50);
}
