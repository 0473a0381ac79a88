import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PelorusError } from '@pelorus/contract';
import { defaultResources, type HostedIndex, IndexConnections } from '@pelorus/hosted';
import type { FoundKey, KeyRecord } from '@pelorus/keys';
import { onTestFinished } from 'vitest';
import { createApp } from '../../src/app.js';
import type { Access } from '../../src/auth/access.js';
import { readConfig } from '../../src/config.js';
import { EndpointCalls } from '../../src/hosted/endpoint-calls.js';
import { endpointOperations } from '../../src/hosted/endpoint-operations.js';
import { Relay } from '../../src/hosted/relay.js';
import { SearchCounts } from '../../src/hosted/search-counts.js';
import { Admission } from '../../src/http/admission.js';
import { LocalCounters } from '../../src/http/counters.js';
import { Memory } from '../../src/services/memory.js';
import type { Tracing } from '../../src/tracing/tracing.js';

export const index: HostedIndex = {
  ...{ id: '0123456789abcdef', name: 'shoes', state: 'READY', failure: null, settings: {}, shop: null },
  ...{ resources: defaultResources, createdAt: '2026-01-01T00:00:00Z', changedAt: '2026-01-01T00:00:00Z' },
};

/** Keys that are their own names: any is good that was not revoked, and so is none. */
class TestKeys {
  edition: object = {};
  readonly #revoked = new Set<string>();

  readonly access: Access = {
    admit: (_, { headers }) => {
      const keyId = headers['x-api-key'];
      if (typeof keyId !== 'string') return undefined;
      if (this.#revoked.has(keyId)) throw new PelorusError('invalid_api_key', 'Invalid API key');
      return { keyId, name: '', scope: 'read', indexes: null, filter: null, customerId: null };
    },
  };

  find(secret: string): FoundKey | undefined {
    return this.#revoked.has(secret) ? undefined : { key: keyOf(secret), hasExpired: false };
  }

  revoke(keyId: string): void {
    this.#revoked.add(keyId);
    this.edition = {};
  }
}

function keyOf(id: string): KeyRecord {
  const unbound = { indexes: null, origins: null, expiresAt: null };
  return { kind: 'api', id, name: '', scope: 'read', createdAt: '2026-01-01T00:00:00Z', secrets: [], ...unbound };
}

/** The endpoint of an index, behind which a server stands for its process. */
export interface Endpoint {
  readonly port: number;
  readonly admission: Admission;
  readonly searches: SearchCounts;
  readonly relay: Relay;
  /** Makes the key of that name one that is no good. */
  revoke(keyId: string): void;
  /** The handler of that server. */
  answer: RequestListener;
  close(): Promise<void>;
}

/**
 * @param memoryBytes the budget of the gateway; what the system allows when null
 * @param tracing of the gateway, with which it ends
 */
export async function openEndpoint(
  memoryBytes: number | null = null,
  tracing: Tracing | null = null,
): Promise<Endpoint> {
  const folder = mkdtempSync(join(tmpdir(), 'pelorus-endpoint-'));
  const socketPath = join(folder, 'socket');
  const served = createServer((request, response) => endpoint.answer(request, response)).listen(socketPath);
  await once(served, 'listening');
  const connections = new IndexConnections([socketPath], 'secret');
  const hosting = {
    byId: (id: string) => (id === index.id ? index : undefined),
    connections: async () => connections,
    serving: () => connections,
  };
  const config = readConfig({ MARQO_LOG_LEVEL: 'silent' });
  const gateway = createApp('hosted', config, { others: endpointOperations, tracing });
  const [admission, searches] = [new Admission(config, new Memory(memoryBytes)), new SearchCounts()];
  const { searchTimeoutMs } = config;
  const keys = new TestKeys();
  const parts = { hosting, access: keys.access, admission, searches, searchTimeoutMs };
  const relay = new Relay({ ...parts, config, keys, counters: new LocalCounters(), log: gateway.log, tracing });
  relay.bind(gateway.server);
  new EndpointCalls({ ...parts, relay }).bind(gateway);
  await gateway.listen({ host: '127.0.0.1', port: 0 });
  const endpoint: Endpoint = {
    ...{ port: (gateway.server.address() as AddressInfo).port, admission, searches, relay },
    revoke: (keyId) => keys.revoke(keyId),
    answer: (_, response) => response.end(),
    async close() {
      gateway.server.closeAllConnections();
      await gateway.close();
      await connections.destroy();
      served.close();
      rmSync(folder, { recursive: true });
    },
  };
  return endpoint;
}

/** A connection that has sent this much, and reads nothing yet. */
export async function connectionWith(port: number, text: string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  socket.pause();
  socket.on('error', () => undefined);
  await new Promise<void>((resolve) => socket.write(text, () => resolve()));
  return socket;
}
