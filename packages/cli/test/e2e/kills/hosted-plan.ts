import { expect } from 'vitest';
import { Random } from '../../../src/demo/random.js';
import { settledStates } from '../hosted-model.js';
import { emptyFolder, type ServerProcess, withAdminKey } from '../server-process.js';
import { type DocumentIndex, DocumentLedger, settingsOf } from './document-ledger.js';
import { CursorReader, SearchReader } from './document-readers.js';
import { EventLedger } from './event-ledger.js';
import { KeyLedger } from './key-ledger.js';
import type { Plan } from './kill-run.js';
import { CollectionLedger, IndexIdLedger, ShopSettingsLedger } from './shop-ledgers.js';
import { SuggestionLedger } from './suggestion-ledger.js';
import { TransitionLedger } from './transition-ledger.js';

const SHOPS = ['boots', 'hats'];
const DOCUMENTS: DocumentIndex = { name: 'documents', vectors: 'given', idsMax: 3000 };
const CUSTOMERS = ['shop-1', 'shop-2', 'shop-3'];
/** Only what hangs meets it. */
const READY = { timeout: 300_000, interval: 20 };

/** The hosted form, with every kind of write of it, and what prepares a new one. */
export function hostedPlan(random: Random): { plan: Plan; prepare: (server: ServerProcess) => Promise<void> } {
  const next = () => new Random(random.int(0, 2 ** 31));
  let path = '';
  const pathOf = () => path;
  const documents = new DocumentLedger(DOCUMENTS, next(), pathOf);
  const events = CUSTOMERS.map((customer) => new EventLedger(customer));

  /** Waits for the processes of all indexes: their addresses are told once they serve. */
  const ready = async (server: ServerProcess): Promise<void> => {
    const { marqoEndpoint } = await recordOf(server, DOCUMENTS.name);
    path = `${marqoEndpoint.slice(server.address.length)}/indexes/${DOCUMENTS.name}`;
    await expect.poll(async () => (await server.call('GET', `${path}/stats`)).status, READY).toBe(200);
    for (const shop of SHOPS) {
      await recordOf(server, shop);
      // As long as they start, they count no products of collections.
      const search = async () => (await server.call('POST', `/api/v1/indexes/${shop}/search`, {})).status;
      await expect.poll(search, READY).toBe(200);
    }
  };
  const prepare = async (server: ServerProcess): Promise<void> => {
    await server.ok('POST', `/api/v2/indexes/${DOCUMENTS.name}`, settingsOf(DOCUMENTS));
    for (const indexName of SHOPS)
      await server.ok('POST', '/api/v1/indexes', { indexName, modelType: 'custom', model: 'random/small' });
    for (const ledger of events) await ledger.prepare(server);
    await ready(server);
  };
  const plan: Plan = {
    data: emptyFolder('kill-hosted'),
    random,
    env: { ...withAdminKey, MARQO_ENABLE_BATCH_APIS: 'true' },
    flags: () => ['--hosted', '--index-changes-per-minute', '1000000', '--max-keys', '10000'],
    ledgers: [
      [documents, 2],
      [new SuggestionLedger(pathOf, next()), 1],
      [new TransitionLedger(['one', 'two', 'three'], next()), 1],
      [new KeyLedger(next(), '/api/v2/indexes'), 1],
      ...events.map((ledger) => [ledger, 1] as const),
      ...SHOPS.map((shop) => [new ShopSettingsLedger(shop), 1] as const),
      [new CollectionLedger('one', next()), 1],
      [new IndexIdLedger('boots'), 1],
    ],
    readers: [new SearchReader(documents, next()), new CursorReader(documents, next(), 'scan')],
    ready,
    indexes: () => null,
  };
  return { plan, prepare };
}

const recordOf = async (server: ServerProcess, name: string) => (await settledStates(server, [name])).get(name);
