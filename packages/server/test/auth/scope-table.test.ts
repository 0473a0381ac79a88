import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Operation, operations } from '@pelorus/contract';
import type { KeyScope, KeyStore } from '@pelorus/keys';
import type { FastifyRequest } from 'fastify';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { keyAccess } from '../../src/auth/key-access.js';
import { openKeys } from '../../src/auth/open-keys.js';

let folder: string;
let keys: KeyStore;
const secrets = new Map<KeyScope, string>();

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pelorus-scopes-'));
  keys = await openKeys({ dataDir: folder, keysMax: 50 }, {});
  const all = { kind: 'api', name: 'a key', indexes: null, origins: null, expiresAt: null } as const;
  for (const scope of ['admin', 'read_write', 'read'] as const) {
    secrets.set(scope, (await keys.create({ ...all, scope })).secret);
  }
});

afterAll(async () => {
  await keys.close();
  await rm(folder, { recursive: true });
});

/** The rows of the interface's table of scopes, and operations that it does not name. */
const rows: readonly (readonly [Pick<Operation, 'scope' | 'scopeTable'>, KeyScope, string | null])[] = [
  [{ scope: 'read', scopeTable: 'plain' }, 'read', null],
  [{ scope: 'read_write', scopeTable: 'plain' }, 'read', 'Insufficient API key scope'],
  [{ scope: 'read', scopeTable: 'named' }, 'read', null],
  [{ scope: 'read_write', scopeTable: 'named' }, 'read', 'This operation requires a read_write-scoped API key.'],
  [{ scope: 'read_write', scopeTable: 'named' }, 'read_write', null],
  [{ scope: 'admin', scopeTable: 'named' }, 'read_write', 'This operation requires an admin-scoped API key.'],
  [{ scope: 'admin', scopeTable: 'named' }, 'admin', null],
  [{ scope: 'admin', scopeTable: null }, 'read', null],
];

test.each(rows)('under contract %j is refused to the scope %s: %s', (row, scope, message) => {
  const access = keyAccess({ keys, enforcement: 'contract', isAlwaysRequired: false });
  const headers = { 'x-api-key': secrets.get(scope) };
  const request = { headers, params: {}, query: {}, ip: '127.0.0.1' } as object as FastifyRequest;
  const admit = () => access.admit({ ...operations.listIndexes, ...row }, request);
  if (message === null) expect(admit()).toMatchObject({ scope });
  else expect(admit).toThrow(expect.objectContaining({ message, code: 'insufficient_scope', status: 403 }));
});
