import { execFile } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { pythonWith, schemathesis } from './python-environment.js';
import { emptyFolder, ServerProcess, withAdminKey } from './server-process.js';

/** What every answer is held to. */
const CHECKS = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_headers_conformance',
  'response_schema_conformance',
];

/** Requests of an operation that are chosen by chance, besides one for each member and bound of its schemas. */
const EXAMPLES = process.env.PELORUS_SCHEMATHESIS_EXAMPLES ?? '10';
/** What chance begins with; without it, it is the same each time. */
const SEED = process.env.PELORUS_SCHEMATHESIS_SEED;

const switches = { MARQO_ENABLE_BATCH_APIS: 'true', MARQO_ENABLE_OPS_API: 'true', MARQO_ENABLE_DEBUG_API: 'true' };

const documents = [
  { _id: '1', title: 'red shoe', n: 1 },
  { _id: '2', title: 'blue hat', n: 2 },
];
const kinds = {
  unstructured: { model: 'random/small' },
  structured: {
    type: 'structured',
    model: 'random/small',
    allFields: [
      { name: 'title', type: 'text', features: ['lexical_search', 'filter'] },
      { name: 'n', type: 'int', features: ['filter'] },
    ],
    tensorFields: ['title'],
  },
};

const data = emptyFolder('schemathesis');
let python: string;
let server: ServerProcess;

beforeAll(async () => {
  python = pythonWith(schemathesis);
  // Nothing is fetched, whatever models the requests name.
  server = await ServerProcess.start(['--data', data, '--hub', 'none'], { env: { ...switches, ...withAdminKey } });
});
afterAll(async () => {
  await server?.end();
  rmSync(data, { recursive: true, force: true });
});

/** Runs schemathesis on operations of the server; what it found, and nothing where all was well. */
function findings(...choice: string[]): Promise<string> {
  const chance =
    SEED === undefined ? ['--generation-deterministic'] : ['--seed', SEED, '--generation-database', 'none'];
  const run = ['run', `${server.address}/openapi.json`, '--phases', 'examples,coverage,fuzzing', '--no-color'];
  // One of the first requests may make a key, and none is let in without one from then on.
  const key = ['--header', `x-api-key: ${withAdminKey.PELORUS_ADMIN_KEY}`];
  const extent = ['--checks', CHECKS.join(), '--max-examples', EXAMPLES, '--continue-on-failure', '--warnings', 'off'];
  const config = join(data, 'schemathesis.toml');
  const args = ['-m', 'schemathesis.cli', '--config-file', config, ...run, ...key, ...extent, ...chance, ...choice];
  const options = { cwd: data, env: { ...process.env, PYTHONUTF8: '1' }, maxBuffer: 2 ** 28 };
  return new Promise((resolve) =>
    execFile(python, args, options, (error, out, err) => resolve(error ? out + err : '')),
  );
}

/**
 * Gives parameters of all operations a value. Searches have time: one that has none answers 504, as documented, and that
 * is no other to a check for server errors.
 */
function give(parameters: Readonly<Record<string, string>>): void {
  const lines = Object.entries(parameters).map(([name, value]) => `"path.${name}" = ${JSON.stringify(value)}\n`);
  writeFileSync(
    join(data, 'schemathesis.toml'),
    `[parameters]\n"header.x-request-timeout-ms" = "60000"\n${lines.join('')}`,
  );
}

/** Paths below an index, but for that which empties it. */
const IN_INDEX = String.raw`\{indexName\}/(?!documents/delete-all)`;

test('operations on the machine and on indexes answer as documented, whatever they are asked', async () => {
  give({});
  expect(await findings('--exclude-path-regex', IN_INDEX)).toBe('');
});

test.each(Object.entries(kinds))('so do those on what is in an index, %s', async (kind, settings) => {
  await server.ok('POST', `/indexes/${kind}`, settings);
  const tensorFields = kind === 'structured' ? {} : { tensorFields: ['title'] };
  await server.ok('POST', `/indexes/${kind}/documents`, { documents, ...tensorFields });
  give({ indexName: kind, documentId: '1' });
  expect(await findings('--include-path-regex', IN_INDEX)).toBe('');
  expect((await server.call('GET', `/indexes/${kind}/stats`)).status).toBe(200);
});

test('the server had nothing to say of faults of its own', () => {
  const lines = server.output.split('\n').filter((line) => line.startsWith('{'));
  expect(lines.filter((line) => JSON.parse(line).level >= 50)).toEqual([]);
});
