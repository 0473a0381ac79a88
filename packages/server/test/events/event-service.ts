import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Shops } from '@pelorus/ecommerce';
import { type EventStore, openEventStore } from '@pelorus/events';
import { Inventory } from '@pelorus/files';
import type { FastifyInstance, LightMyRequestResponse } from 'fastify';
import { createApp, operationsOf } from '../../src/app.js';
import { keyAccess } from '../../src/auth/key-access.js';
import { openKeys } from '../../src/auth/open-keys.js';
import { bindOperations } from '../../src/binder.js';
import { readConfig } from '../../src/config.js';
import { eventHandlers } from '../../src/events/event-handlers.js';
import { Admission } from '../../src/http/admission.js';
import { Memory } from '../../src/services/memory.js';
import { makeKeys, type Secrets } from '../auth/credentials.js';
import { InProcessIndexes } from '../ecommerce/in-process-indexes.js';

/** The operations on events alone, over a store in a folder of its own. */
export interface EventService {
  readonly app: FastifyInstance;
  readonly store: EventStore;
  readonly secrets: Secrets;
  readonly folder: string;
  /** Sends events with the key of the customer `shop`. */
  send(payload: unknown, headers?: Record<string, string>, target?: string): Promise<LightMyRequestResponse>;
  /** Asks with the admin key. */
  ask(url: string, method?: 'GET' | 'DELETE' | 'PUT', payload?: object): Promise<LightMyRequestResponse>;
  close(): Promise<void>;
}

/** @param given the shops whose events they are; none when absent */
export async function openEventService(given?: Shops): Promise<EventService> {
  const folder = await mkdtemp(join(tmpdir(), 'pelorus-event-service-'));
  const keys = await openKeys({ dataDir: folder, keysMax: 50 }, {});
  const secrets = await makeKeys(keys);
  const store = openEventStore({ folder: join(folder, 'events') });
  const config = readConfig({ PELORUS_DATA_DIR: folder, MARQO_LOG_LEVEL: 'silent' });
  const app = createApp('hosted', config);
  const hosted = new InProcessIndexes(app, join(folder, 'indexes'));
  const inventory = await Inventory.open(join(folder, 'inventory.json'), () => undefined);
  const shops =
    given ??
    (await Shops.open({
      hosted,
      limits: { limitMax: 1000, offsetMax: 10_000, contextDocumentsMax: 10 },
      inventory,
      folder: join(folder, 'ecommerce'),
    }));
  const handlers = eventHandlers(store, shops);
  const operations = operationsOf('hosted').filter(({ operationId }) => operationId in handlers);
  bindOperations(app, operations as never, handlers as never, {
    access: keyAccess({ keys, enforcement: 'full', isAlwaysRequired: true }),
    admission: new Admission(config, new Memory(null, { release: async () => undefined })),
    publicUrl: '',
    preparations: {},
    vectorExtractors: {},
    deviceNamed: () => 'cpu',
  });
  return {
    ...{ app, store, secrets, folder: join(folder, 'events') },
    send: (payload, headers = {}, url = '/') => {
      const own = headers['content-type'] === undefined ? { 'content-type': 'application/json' } : {};
      const body = typeof payload === 'string' ? payload : JSON.stringify(payload);
      const key: Record<string, string> = url === '/' ? { 'x-api-key': secrets.tracking } : {};
      return app.inject({ method: 'POST', url, headers: { ...key, ...own, ...headers }, payload: body });
    },
    ask: (url, method = 'GET', payload) =>
      app.inject({ method, url, headers: { 'x-api-key': secrets.admin }, ...(payload && { payload }) }),
    close: async () => {
      await app.close();
      if (given === undefined) await shops.close();
      await store.close();
      await keys.close();
      await rm(folder, { recursive: true });
    },
  };
}
