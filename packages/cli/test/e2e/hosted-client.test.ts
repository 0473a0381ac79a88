import { execFile } from 'node:child_process';
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { officialClient, pythonWith } from './python-environment.js';
import { emptyFolder, ServerProcess } from './server-process.js';

const SCRIPT = fileURLToPath(new URL('hosted_client.py', import.meta.url));

const graph = { efConstruction: 100, m: 8 };

/** Indexes with settings that the client has no name for. */
const unknownToClients = {
  anglar: { annParameters: { spaceType: 'prenormalized-anglar', parameters: graph } },
  dino: { imagePreprocessing: { patchMethod: 'dino-v2' } },
  linf: { annParameters: { spaceType: 'linf', parameters: graph } },
};

describe('the official Python client, unmodified, in its hosted mode', () => {
  const data = emptyFolder('hosted-client');
  let server: ServerProcess;
  let seen: any;

  beforeAll(async () => {
    const python = pythonWith(officialClient);
    server = await ServerProcess.start(['--hosted', '--data', data]);
    // The one that the first start made and printed.
    const [, key = ''] = /The first key, .*: (svc_a_\w+)$/m.exec(server.output) ?? [];
    for (const [name, settings] of Object.entries(unknownToClients)) {
      const { status } = await server.call(
        'POST',
        `/api/v2/indexes/${name}`,
        { model: 'random/small', ...settings },
        key,
      );
      expect(status).toBe(200);
    }
    const env = { ...process.env, MARQO_CLOUD_URL: server.address, PELORUS_TEST_KEY: key };
    const { stdout } = await promisify(execFile)(python, [SCRIPT], { env });
    seen = JSON.parse(stdout);
  });
  afterAll(async () => {
    await server?.end();
    rmSync(data, { recursive: true, force: true });
  });

  test('creates an index beside some that it cannot name, and waits until it is ready', () => {
    expect(seen.created).toMatchObject({ acknowledged: true, index: 'films' });
    expect(seen.status).toEqual({ indexStatus: 'READY' });
    expect(seen.listed).toEqual(['anglar', 'dino', 'films', 'linf']);
  });

  test('adds, finds, reads and changes documents at the endpoint', () => {
    expect(seen.added.errors).toBe(false);
    expect(seen.found).toEqual(['f2']);
    expect(seen.nearest).toEqual(['f1']);
    expect(seen.document).toMatchObject({ _id: 'f2', title: 'Bread and Salt' });
    expect(seen.several.results.map((one: any) => one._found)).toEqual([true, false]);
    expect(seen.updated.errors).toBe(false);
    expect(seen.removed.details.deletedDocuments).toBe(1);
  });

  test('reads what is known of the index', () => {
    expect(seen.stats).toMatchObject({ numberOfDocuments: 2, numberOfVectors: 2 });
    expect(seen.settings).toMatchObject({ type: 'unstructured', model: 'random/small' });
    expect(seen.health.status).toBe('green');
    expect(Array.isArray(seen.models.models)).toBe(true);
  });

  test('deletes the index and waits until it is gone', () => {
    expect(seen.deleted).toMatchObject({ acknowledged: true });
    expect(seen.left).toEqual(['anglar', 'dino', 'linf']);
    expect(seen.missing).toEqual({ class: 'MarqoCloudIndexNotFoundError', code: 'index_not_found_cloud' });
  });
});
