import { once } from 'node:events';
import { request as httpRequest, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ChatCompletions, ChatFailure, type Link } from '@pelorus/ecommerce';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { PictureServer } from '../media/picture-server.js';
import { type Exchange, expectMatch, send } from '../operations/exchange.js';
import { catalogue } from './catalogue.js';
import { openShops, type ShopService } from './shop-service.js';

const SHOP = '/api/v1/indexes/wear';
const base64 = (value: unknown) => encodeURIComponent(Buffer.from(JSON.stringify(value)).toString('base64'));
const words = (...pieces: string[]) =>
  pieces.map((content) => `data: ${JSON.stringify({ choices: [{ delta: { content } }] })}\n\n`).join('');

/** The next answer of the language model, and the requests it got. */
let reply: RequestListener;
let asked: { messages: { role: string; content: string }[]; model: string }[] = [];
let stalled = 0;
const says =
  (...pieces: string[]): RequestListener =>
  (_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).end(`${words(...pieces)}data: [DONE]\n\n`);
  };

let model: PictureServer;
let plain: ShopService;
let chatty: ShopService;
const faults: string[] = [];

beforeAll(async () => {
  model = await PictureServer.open({
    '/v1/chat/completions': (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        expect(request.headers.authorization).toBe('Bearer secret');
        asked.push(JSON.parse(Buffer.concat(chunks).toString('utf8')));
        reply(request, response);
      });
    },
  });
  const chat = new ChatCompletions({ url: model.at('/v1'), model: 'm', key: 'secret', silenceMs: 300 });
  plain = await openShops();
  chatty = await openShops({ chat, faults });
  for (const { app, picture } of [plain, chatty]) {
    const body = { indexName: 'wear', modelType: 'ecommerce' };
    await send(app, { request: 'POST /api/v1/indexes', body });
    await send(app, { request: `POST ${SHOP}/documents`, body: { documents: catalogue(picture) } });
    await send(app, { request: 'POST /api/v1/collections', body: { id: 'Camping', displayName: 'For camping' } });
  }
});
beforeEach(() => {
  asked = [];
  faults.length = 0;
});
afterAll(async () => {
  await plain.close();
  await chatty.close();
  await model.close();
});

interface Sent {
  readonly event: string;
  readonly data: Record<string, unknown>;
}

function eventsOf(text: string): Sent[] {
  const blocks = text.split('\n\n').slice(0, -1);
  return blocks.map((block) => {
    const [, event = '', data = ''] = /^event: (.*)\ndata: (.*)$/.exec(block) ?? [];
    return { event, data: JSON.parse(data) };
  });
}

async function read({ app }: ShopService, query: string): Promise<Sent[]> {
  const answer = await send(app, { request: `GET ${SHOP}/agentic-search${query}` });
  expect(answer.statusCode, answer.body).toBe(200);
  expect(answer.headers['content-type']).toContain('text/event-stream');
  return eventsOf(answer.body);
}

const namesOf = (events: readonly Sent[]) => events.map(({ event }) => event);
const saidBy = (events: readonly Sent[]) =>
  events.flatMap(({ event, data }) => (event === 'message' ? [data.delta] : [])).join('');

const messageOf = (events: readonly Sent[]) => {
  const messages = events.filter(({ event }) => event === 'message').map(({ data }) => data);
  return { delta: saidBy(events), links: messages.flatMap(({ links = [] }) => links as Link[]) };
};

describe('without a language model', () => {
  test('products come by collections, with what was found in words', async () => {
    const events = await read(plain, '?q=tent&categoryResultLimit=1');
    expect(namesOf(events)).toEqual(['start', 'message', 'category', 'category', 'question', 'done']);
    expect(saidBy(events)).toMatch(/^Found 1 product with words of "tent"; the nearest are in .*For camping.*\.$/);
    const categories = events.filter(({ event }) => event === 'category').map(({ data }) => data);
    expect(categories).toMatchObject(
      expect.arrayContaining([
        expect.objectContaining({ id: 'Camping', title: 'For camping', hits: [expect.anything()] }),
      ]),
    );
    expect(events.at(-2)?.data).toMatchObject({ options: expect.arrayContaining(['For camping', 'Outdoor (men)']) });
  });

  test('one category is no question', async () => {
    const events = await read(plain, '?q=tent&maxCategories=1');
    expect(namesOf(events)).toEqual(['start', 'message', 'category', 'done']);
  });

  test('an answer at once says the same', async () => {
    const body = { q: 'tent', filter: 'color:grey' };
    const answer = await send(plain.app, { request: `POST ${SHOP}/agentic-search`, body });
    expect(answer.json()).toMatchObject({
      ...{ message: 'No product has words of "tent"; these come nearest.', links: [], question: null },
      categories: [{ id: '', hits: [{ _id: 'sofa' }], description: '1 product' }],
    });
  });

  test.each([
    { limits: '&agenticSearchLimit=1', hitCount: 1 },
    { limits: '&agenticSearchLimit=1&categoryResultLimit=2', hitCount: 2 },
    { limits: '&categoryResultLimit=1', hitCount: 1 },
    { limits: '', hitCount: 2 },
  ])('older clients have a path and a limit of their own: %j', async ({ limits, hitCount }) => {
    const hitsOf = (categories: readonly unknown[]) =>
      Object.fromEntries((categories as { id: string; hits: unknown[] }[]).map(({ id, hits }) => [id, hits.length]));
    const events = await read(plain, `/stream?q=tent${limits}`);
    expect(namesOf(events)).toEqual(['start', 'message', 'category', 'category', 'question', 'done']);
    const streamed = events.filter(({ event }) => event === 'category').map(({ data }) => data);
    expect(hitsOf(streamed)).toMatchObject({ Camping: hitCount });
    const given = [...new URLSearchParams(limits)].map(([name, value]) => [name, Number(value)]);
    const body = { q: 'tent', ...Object.fromEntries(given) };
    const answer = await send(plain.app, { request: `POST ${SHOP}/agentic-search`, body });
    expect(hitsOf(answer.json().categories)).toEqual(hitsOf(streamed));
  });

  test('the found categories are linked, and the words of the shopper are not', async () => {
    const events = await read(plain, `?q=${encodeURIComponent('for camping')}`);
    const { delta, links } = messageOf(events);
    expect(delta).toContain('words of "for camping"; the nearest are in');
    expect(links.map(({ start, end, ...to }) => [delta.slice(start, end), to]).toSorted()).toEqual([
      ['For camping', { target: 'category', id: 'Camping' }],
      ['Outdoor (men)', { target: 'category', id: 'Outdoor (men)' }],
    ]);
  });

  test.each(['', '&clickableSummary=true', '&clickableSummary=false'])('links may be left out: %j', async (more) => {
    const { data = {} } = (await read(plain, `?q=tent${more}`)).find(({ event }) => event === 'message') ?? {};
    expect(Object.keys(data)).toEqual(more.endsWith('false') ? ['delta'] : ['delta', 'links']);
  });

  test('nothing found is said', async () => {
    const payload = base64({ q: 'tent', filter: 'color:pink' });
    const events = await read(plain, `/converse?payload=${payload}`);
    expect(namesOf(events)).toEqual(['start', 'message', 'done']);
    expect(saidBy(events)).toBe('Nothing was found for "tent".');
  });

  test('products found by meaning alone have no words of the query', async () => {
    const said = async (more: object) => {
      const answer = await send(plain.app, { request: `POST ${SHOP}/agentic-search`, body: { q: 'boots', ...more } });
      return answer.json().message;
    };
    expect(await said({})).toMatch(/^Found 1 product with words of "boots"; the nearest are in /);
    expect(await said({ q: 'xylophone' })).toMatch(/^No product has words of "xylophone"; the nearest are in /);
    const settings = (searchableFields: unknown) =>
      send(plain.app, { request: `PATCH ${SHOP}/settings`, body: { searchableFields } });
    await settings(['productTitle', 'color']);
    expect(await said({ q: 'couch' })).toMatch(/^No product has words of "couch"/);
    await settings(null);
    expect(await said({ q: 'couch' })).toMatch(/^Found 1 product with words of "couch"/);
  });

  test('questions are made from a product', async () => {
    const body = {
      documentId: 'tent',
      userId: 'u',
      sessionId: 's',
      contextFields: ['color', 'none'],
      maxSuggestions: 3,
    };
    const answer = await send(plain.app, { request: `POST ${SHOP}/agentic-search/chat-suggestions`, body });
    expect(answer.json().suggestions).toEqual([
      { suggestion: 'What is like Tent?' },
      { suggestion: 'What else is there with color green?' },
      { suggestion: 'What else is in Outdoor (men)?' },
    ]);
  });

  test('a context is kept through a restart', async () => {
    const put = await send(plain.app, { request: `PUT ${SHOP}/agentic-context`, body: { text: 'We sell tents.' } });
    expect(put.json()).toMatchObject({ text: 'We sell tents.', updatedAt: expect.any(String) });
    await plain.reopen();
    expect((await send(plain.app, { request: `GET ${SHOP}/agentic-context` })).json()).toEqual(put.json());
  });
});

const dialogue = { documentId: 'tent', userId: 'u', sessionId: 's' };
test.each<Exchange>([
  { title: 'no query', request: `GET ${SHOP}/agentic-search`, status: 422 },
  { title: 'a blank query', request: `GET ${SHOP}/agentic-search?q=%20`, status: 400, message: 'q must be' },
  { title: 'a long query', request: `GET ${SHOP}/agentic-search?q=${'x'.repeat(1025)}`, status: 400, message: '1024' },
  {
    title: 'no such shop',
    request: 'GET /api/v1/indexes/none/agentic-search?q=a',
    status: 404,
    code: 'index_not_found',
  },
  { title: 'too many categories', request: `GET ${SHOP}/agentic-search?q=a&maxCategories=21`, status: 422 },
  { title: 'no base64', request: `GET ${SHOP}/agentic-search/converse?payload=%25`, status: 400, message: 'base64' },
  {
    title: 'another shape',
    request: `GET ${SHOP}/agentic-search/converse?payload=${base64({ q: 'a', imageUrls: {} })}`,
    status: 422,
  },
  { title: 'a bad filter', request: `POST ${SHOP}/agentic-search`, body: { q: 'a', filter: 'x' }, status: 400 },
  {
    title: 'a bad filter of a stream',
    request: `GET ${SHOP}/agentic-search/converse?payload=${base64({ q: 'a', filter: 'x' })}`,
    status: 400,
  },
  {
    title: 'no such product',
    request: `POST ${SHOP}/agentic-search/chat-suggestions`,
    body: { ...dialogue, documentId: 'none' },
    status: 404,
    code: 'document_not_found',
  },
  {
    title: 'more questions at least than at most',
    request: `POST ${SHOP}/agentic-search/chat-suggestions`,
    body: { ...dialogue, documentId: 'tent', minSuggestions: 3, maxSuggestions: 1 },
    status: 400,
    message: 'minSuggestions must be at most maxSuggestions, 1, but it is 3',
  },
  {
    title: 'more questions at least than come without a word',
    request: `POST ${SHOP}/agentic-search/chat-suggestions`,
    body: { ...dialogue, documentId: 'tent', minSuggestions: 6 },
    status: 400,
    message: 'minSuggestions',
  },
  {
    title: 'no session',
    request: `POST ${SHOP}/agentic-search/chat-suggestions`,
    body: { documentId: 'tent' },
    status: 422,
  },
  {
    title: 'a long context',
    request: `PUT ${SHOP}/agentic-context`,
    body: { text: 'x'.repeat(16_385) },
    status: 400,
    message: '16384',
  },
])('refused: $title', async (exchange) => {
  expectMatch(await send(plain.app, exchange), exchange);
});

describe('with a language model', () => {
  test('its words are passed on as they come', async () => {
    reply = says('Take ', 'the tent.');
    const events = await read(chatty, '?q=tent');
    expect(messageOf(events)).toEqual({
      delta: 'Take the tent.',
      links: [{ start: 9, end: 13, target: 'product', id: 'tent' }],
    });
    expect(asked).toMatchObject([{ model: 'm', stream: true }]);
  });

  test('its words lead to what they name in whole words, also where these come in pieces', async () => {
    reply = says('Tents: the T', 'ENT, the Enamel m', 'ug or more for cam', 'ping');
    const { delta, links } = messageOf(await read(chatty, '?q=tent'));
    expect(links.map(({ start, end, id }) => [delta.slice(start, end), id])).toEqual([
      ['TENT', 'tent'],
      ['Enamel mug', 'mug'],
      ['for camping', 'Camping'],
    ]);
    const body = { q: 'tent', clickableSummary: false };
    const plainText = await send(chatty.app, { request: `POST ${SHOP}/agentic-search`, body });
    expect(plainText.json()).toMatchObject({ message: delta, links: [] });
  });

  test('it knows the context, the products and what was said before, of this conversation alone', async () => {
    await send(chatty.app, { request: `PUT ${SHOP}/agentic-context`, body: { text: 'We sell tents.' } });
    reply = says('For two.');
    const first = await read(
      chatty,
      `/converse?payload=${base64({ q: 'a tent', documentIds: ['sofa'], contextFields: ['color'] })}`,
    );
    const { conversationId } = first[0]?.data ?? {};
    await read(chatty, `/converse?payload=${base64({ q: 'and warm', conversationId })}`);
    await read(chatty, `/converse?payload=${base64({ q: 'hello', conversationId: 'of somebody else' })}`);
    const spoken = asked.map(({ messages }) => messages.slice(1).map(({ content }) => content));
    expect(spoken).toEqual([['a tent'], ['a tent', 'For two.', 'and warm'], ['hello']]);
    const [system] = asked[0]?.messages ?? [];
    expect(system?.content).toContain('We sell tents.');
    expect(system?.content).toContain('"talkedOf":[{"productTitle":"Sofa","price":"900","color":"grey"}]');
  });

  test.each<[string, RequestListener]>([
    ['refuses', (_, response) => response.writeHead(500).end('no')],
    ['sends a page', (_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>')],
    [
      'sends what is no JSON',
      (_, response) => response.writeHead(200, { 'content-type': 'text/event-stream' }).end('data: {\n\n'),
    ],
    [
      'sends other JSON',
      (_, response) =>
        response.writeHead(200, { 'content-type': 'text/event-stream' }).end('data: null\n\ndata: {"choices":3}\n\n'),
    ],
    ['says nothing', says()],
    [
      'sends other servers to do it',
      (_, response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(),
    ],
    ['hangs up', (request) => request.socket.destroy()],
    ['stalls', () => void stalled++],
  ])('that %s, what was found is said instead', async (_, behaviour) => {
    reply = behaviour;
    const events = await read(chatty, '?q=tent&maxCategories=1');
    expect(namesOf(events)).toEqual(['start', 'message', 'category', 'done']);
    expect(saidBy(events)).toMatch(/^Found /);
    expect(faults).toHaveLength(1);
    const suggested = await send(chatty.app, {
      request: `POST ${SHOP}/agentic-search/chat-suggestions`,
      body: dialogue,
    });
    expect(suggested.json().suggestions[0]).toEqual({ suggestion: 'What is like Tent?' });
  });

  test('an error is told, and the products come, when it stops in the middle', async () => {
    reply = (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(words('Take the'));
      setTimeout(() => response.destroy(), 20);
    };
    const events = await read(chatty, '?q=tent&maxCategories=1');
    expect(namesOf(events)).toEqual(['start', 'message', 'error', 'category', 'done']);
    expect(events[2]?.data).toMatchObject({ code: 'service_unavailable' });
  });

  test('it is cut off when it never ends', async () => {
    reply = (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const more = () => {
        if (!response.destroyed) response.write(words('x'.repeat(1000)), () => setImmediate(more));
      };
      more();
    };
    expect(saidBy(await read(chatty, '?q=tent&maxCategories=1'))).toHaveLength(8_000);
  });

  test.each([
    ['says a little now and then', words('and ')],
    ['keeps the connection open with comments', ': wait\n\n'],
  ])('that %s and never ends, its time is over at last', async (_how, pulse) => {
    reply = (request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const beat = setInterval(() => response.write(pulse), 5);
      request.socket.once('close', () => clearInterval(beat));
    };
    const slow = new ChatCompletions({ url: model.at('/v1'), model: 'm', key: 'secret', answerMs: 100 });
    const listen = async () => {
      for await (const piece of slow.answer([], new AbortController().signal)) expect(piece).toBe('and ');
    };
    await expect(listen()).rejects.toThrow(new ChatFailure('The language model took more than 100 ms'));
  });

  test('its lines become questions, filled up from the product', async () => {
    reply = says('1. Is it light?\n', '- Is it light?\n\n* How many sleep in it?');
    const body = { ...dialogue, minSuggestions: 3, maxSuggestions: 3 };
    const answer = await send(chatty.app, { request: `POST ${SHOP}/agentic-search/chat-suggestions`, body });
    expect(answer.json().suggestions).toEqual(
      ['Is it light?', 'How many sleep in it?', 'What is like Tent?'].map((suggestion) => ({ suggestion })),
    );
  });
});

test('when a reader goes away the language model is told', async () => {
  const gone = Promise.withResolvers<void>();
  reply = (request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const pulse = setInterval(() => response.write(words('and ')), 10);
    request.socket.once('close', () => {
      clearInterval(pulse);
      gone.resolve();
    });
  };
  await chatty.app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = chatty.app.server.address() as AddressInfo;
  const reader = httpRequest({ host: '127.0.0.1', port, path: `${SHOP}/agentic-search?q=tent` }).end();
  const [response] = await once(reader, 'response');
  await once(response, 'data');
  reader.destroy();
  await gone.promise;
  expect(faults).toEqual([]);
});

test('every answer is as the contract says', () => {
  expect([...plain.responses.faults, ...chatty.responses.faults]).toEqual([]);
});
