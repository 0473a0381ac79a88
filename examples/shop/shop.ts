// A shop of its own products, its settings, the search of a page of it, and events: shop.ts QUERY
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { Pelorus, PelorusError } from '@pelorus/client';

const NAME = 'coffee-corner';
const url = process.env.PELORUS_URL ?? 'http://127.0.0.1:8882';
const query = process.argv.slice(2).join(' ') || 'gooseneck ketl';

// The owner's part, with a key that may do everything.
const owner = new Pelorus({ url, apiKey: process.env.PELORUS_API_KEY });
const order = { indexName: NAME, modelType: 'custom', model: process.env.MODEL ?? 'hf/all-MiniLM-L6-v2' };
await owner.call('POST', '/api/v1/indexes', order).catch((error) => {
  if (!(error instanceof PelorusError && error.code === 'index_already_exists')) throw error;
});
let shop: { indexStatus: string; indexId: string };
for (;;) {
  shop = (await owner.call('GET', `/api/v1/indexes/${NAME}`)) as typeof shop;
  if (shop.indexStatus === 'READY') break;
  if (shop.indexStatus === 'FAILED') throw new Error('The shop could not be made.');
  await delay(200);
}
const documents = JSON.parse(readFileSync(new URL('products.json', import.meta.url), 'utf8'));
await owner.call('POST', `/api/v1/indexes/${NAME}/documents`, { documents });
await owner.call('PATCH', `/api/v1/indexes/${NAME}/settings`, {
  facetFields: { brand: { type: 'string' }, price: { type: 'number' } },
  synonyms: [{ terms: ['cup', 'mug'] }],
  pins: [{ query: 'gift', documentIds: ['grinder'] }],
});
const { secret } = (await owner.call('POST', '/api/v2/keys', {
  ...{ kind: 'tracking', name: 'events of the example', customerId: NAME, allowsNoOrigin: true },
})) as { secret: string };

// The part of a page: it knows the public id alone, and searches while its visitor types.
const { hits, facets, queryId } = await search(query);
for (const { _id, productTitle, price } of hits)
  console.log(`${price.toFixed(2).padStart(7)} EUR  ${productTitle} (${_id})`);
console.log(
  `brands: ${Object.entries(facets.brand ?? {})
    .map(([brand, { count }]) => `${brand} ${count}`)
    .join(', ')}`,
);

// The report of a page, once its visitor has agreed; there the tracker makes it.
const [first] = hits;
const visit = {
  ...{ customerId: NAME, experimentId: 'none', userId: 'u1', sessionId: 's1', customVariant: 'none' },
  ...{ userAgent: 'example', pageUrl: `https://shop.example/search?q=${encodeURIComponent(query)}`, referrerUrl: '' },
};
const at = (milliseconds: number) => new Date(Date.now() - 1_000 + milliseconds).toISOString();
const events = [
  { eventType: 'SearchEvent', query, queryId, timestamp: at(0), ...visit },
  { eventType: 'ClickEvent', docId: first?._id, title: first?.productTitle, queryId, timestamp: at(1), ...visit },
];
const { acceptedEvents } = await post<{ acceptedEvents: number }>('/', { events }, { 'x-api-key': secret });
console.log(`${acceptedEvents} events`);

interface Found {
  hits: { _id: string; productTitle: string; price: number }[];
  facets: Record<string, Record<string, { count: number }>>;
  queryId: string;
}

async function search(q: string): Promise<Found> {
  const body = { q, prefix: 'last', typoTolerance: true, limit: 3 };
  return await post<Found>(`/api/v1/indexes/${NAME}/search`, body, { 'x-svc-index-id': shop.indexId });
}

async function post<Answer>(path: string, body: object, headers: Record<string, string>): Promise<Answer> {
  const request = { method: 'POST', headers: { 'content-type': 'application/json', ...headers } };
  const answer = await fetch(url + path, { ...request, body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  return (await answer.json()) as Answer;
}
