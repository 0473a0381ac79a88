import { ChatFailure, type ChatMessage } from '@pelorus/ecommerce';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Exchange, expectMatch, send } from '../operations/exchange.js';
import { catalogue } from './catalogue.js';
import { openShops, type ShopService } from './shop-service.js';

const SHOP = '/api/v1/indexes/wear';
const REINDEX = `POST ${SHOP}/help-center/reindex`;

const returns = { id: 'returns', title: 'Returns', text: 'Send it back within 30 days.\n\nWe pay for the parcel.' };
const delivery = {
  id: 'delivery',
  title: 'Delivery times',
  text: 'Parcels leave us within a day. Express ones arrive the next morning.',
  url: 'https://shop.example/help/delivery',
};

let service: ShopService;
let chatty: ShopService;
let told: readonly ChatMessage[] = [];
let isSilent = false;
const chat = {
  async *answer(messages: readonly ChatMessage[]) {
    told = messages;
    if (isSilent) throw new ChatFailure('It said nothing');
    yield 'So be it.';
  },
};

beforeAll(async () => {
  service = await openShops();
  chatty = await openShops({ chat, faults: [] });
  for (const { app, picture } of [service, chatty]) {
    await send(app, { request: 'POST /api/v1/indexes', body: { indexName: 'wear', modelType: 'ecommerce' } });
    await send(app, { request: `POST ${SHOP}/documents`, body: { documents: catalogue(picture) } });
  }
});
afterAll(async () => {
  expect([...service.responses.faults, ...chatty.responses.faults]).toEqual([]);
  await service.close();
  await chatty.close();
});

async function reindex(articles?: unknown, { app }: ShopService = service): Promise<void> {
  const answer = await send(app, { request: REINDEX, ...(articles !== undefined && { body: { articles } }) });
  expect([answer.statusCode, answer.json()]).toEqual([202, { jobId: expect.stringMatching(/^[\da-f-]{36}$/) }]);
}

async function said(q: string, { app }: ShopService = service): Promise<string> {
  const answer = await send(app, { request: `POST ${SHOP}/agentic-search`, body: { q, filter: 'color:grey' } });
  return answer.json().message;
}

describe('without a language model', () => {
  test('the best passage is quoted where a question is about it, and nothing where none is', async () => {
    await reindex([returns, delivery]);
    const found = (q: string) => `Found 1 product with words of "${q}".`;
    const near = (q: string) => `No product has words of "${q}"; these come nearest.`;
    expect(await said('how do I return a sofa')).toBe(found('how do I return a sofa'));
    expect(await said('what of returns?')).toBe(
      `${near('what of returns?')} Returns: Send it back within 30 days. We pay for the parcel.`,
    );
    expect(await said('do parcels arrive on mondays')).toBe(
      `${near('do parcels arrive on mondays')} Delivery times (https://shop.example/help/delivery): ${delivery.text}`,
    );
    expect(await said('sofa')).toBe(found('sofa'));
  });

  test('quoted help leads to no category', async () => {
    await reindex([{ ...returns, text: 'Camping things too.' }]);
    const body = { q: 'returns', maxCategories: 1 };
    const answer = await send(service.app, { request: `POST ${SHOP}/agentic-search`, body });
    const { message, links } = answer.json();
    expect(message).toContain('Camping things too.');
    expect(links.every(({ end }: { end: number }) => end <= message.indexOf(' Returns:'))).toBe(true);
  });

  test('long articles are quoted in part', async () => {
    const text = `${'Nothing of note. '.repeat(100)}Guarantees last two years.${' Nothing of note.'.repeat(100)}`;
    await reindex([{ ...returns, text }]);
    const quoted = await said('guarantees years');
    expect(quoted).toContain('Guarantees last two years.');
    expect(quoted.length).toBeLessThan(700);
  });

  test('articles take the place of those before, and none are none', async () => {
    await reindex([returns]);
    await reindex([delivery]);
    expect(await said('returns')).not.toContain('30 days');
    await reindex([]);
    expect(await said('delivery')).toBe('No product has words of "delivery"; these come nearest.');
  });

  test('articles are kept through a restart, and read again without a body', async () => {
    await reindex([returns]);
    await service.reopen();
    expect(await said('returns')).toContain('30 days');
    await reindex();
    await reindex(null);
    expect(await said('returns')).toContain('30 days');
  });

  test('articles go with their index', async () => {
    const create = { request: 'POST /api/v1/indexes', body: { indexName: 'brief', modelType: 'ecommerce' } };
    await send(service.app, create);
    const found = () => service.shops.helpCentre(service.shops.get('brief')).find('returns', 3);
    await send(service.app, {
      request: 'POST /api/v1/indexes/brief/help-center/reindex',
      body: { articles: [returns] },
    });
    expect(found()).toHaveLength(1);
    await send(service.app, { request: 'DELETE /api/v1/indexes/brief' });
    await send(service.app, create);
    expect(found()).toEqual([]);
  });
});

describe('a language model', () => {
  test('is told what may answer the question, and where it fails the help is quoted', async () => {
    await reindex([returns, delivery], chatty);
    expect(await said('when is delivery?', chatty)).toBe('So be it.');
    const { title, text, url } = delivery;
    expect(told[0]?.content).toContain(`"help":[${JSON.stringify({ title, text, url })}]`);
    await said('sofa', chatty);
    expect(told[0]?.content).not.toContain('"help":');
    isSilent = true;
    expect(await said('delivery', chatty)).toContain('arrive the next morning');
  });
});

const posted = (...articles: unknown[]) => ({ request: REINDEX, body: { articles } });
test.each<Exchange>([
  { title: 'no such shop', request: 'POST /api/v1/indexes/none/help-center/reindex', status: 404 },
  { title: 'no list', request: REINDEX, body: { articles: {} }, status: 422, message: 'articles' },
  { title: 'another member', request: REINDEX, body: { pages: [] }, status: 422, message: 'pages' },
  { title: 'no JSON', request: REINDEX, body: '{', headers: { 'content-type': 'application/json' }, status: 422 },
  { title: 'no title', ...posted({ id: 'a', text: 'b' }), status: 422, message: 'title' },
  { title: 'a blank text', ...posted(returns, { ...delivery, text: ' ' }), status: 400, message: 'articles[1].text' },
  { title: 'a long title', ...posted({ ...returns, title: 'x'.repeat(257) }), status: 400, message: '257' },
  { title: 'a long text', ...posted({ ...returns, text: 'x'.repeat(20_001) }), status: 400, message: '20000' },
  { title: 'one id twice', ...posted(returns, returns), status: 400, message: 'articles[1].id' },
  { title: 'a script', ...posted({ ...returns, url: 'javascript:x' }), status: 400, message: 'articles[0].url' },
  { title: 'too many', ...posted(...Array(501).fill(returns)), status: 422, message: 'articles' },
  { title: 'too much', ...posted({ ...returns, text: 'x'.repeat(1_048_576) }), status: 413 },
])('refused: $title', async (exchange) => {
  expectMatch(await send(service.app, exchange), exchange);
});
