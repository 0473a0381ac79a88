import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { openService } from '../../server/test/operations/service.js';
import { Pelorus, type PelorusError, type PelorusOptions } from '../src/index.js';
import { type Fault, FaultyServer, type ReceivedRequest } from './faulty-server.js';

const servers: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

/** A client of a server that answers as it is told. */
async function clientOf(
  answer: (request: ReceivedRequest, count: number) => Fault | Promise<Fault>,
  options: Partial<PelorusOptions> = {},
) {
  const server = await FaultyServer.open(answer);
  servers.push(server);
  return { server, pelorus: new Pelorus({ url: server.url, ...options }) };
}

async function failureOf(promise: Promise<unknown>): Promise<PelorusError> {
  return promise.then(
    () => {
      throw new Error('it succeeds');
    },
    (error) => error,
  );
}

const FOUND = { hits: [], query: 'x', limit: 10, offset: 0, processingTimeMs: 1 };
const refusal = (code: string) => ({ message: `told: ${code}`, code, type: 'invalid_request', link: null });
const busy = (seconds: string, status = 429) => ({
  ...{ status, headers: { 'retry-after': seconds } },
  body: refusal(status === 429 ? 'too_many_requests' : 'service_unavailable'),
});
const added = ({ body }: ReceivedRequest) => ({
  body: { errors: false, items: body.documents.map(({ _id = 'made' }: any) => ({ _id, status: 200 })) },
});

describe('a client sends again', () => {
  test.each([429, 503])('a call refused with %i, no sooner than the answer asks', async (status) => {
    const { pelorus, server } = await clientOf((_, count) => (count === 1 ? busy('1', status) : { body: FOUND }));
    expect((await pelorus.index('notes').search('x')).hits).toEqual([]);
    const [first, second] = server.requests.map(({ at }) => at) as [number, number];
    // A timer may end a millisecond early by another clock.
    expect(second - first).toBeGreaterThanOrEqual(990);
  });

  test('a call refused until a date', async () => {
    const date = new Date(Date.now() + 2_000).toUTCString();
    const { pelorus, server } = await clientOf((_, count) => (count === 1 ? busy(date) : { body: FOUND }));
    await pelorus.index('notes').search('x');
    expect(server.requests).toHaveLength(2);
  });

  test('as often as its options say, and then fails with the last answer', async () => {
    const { pelorus, server } = await clientOf(() => busy('0'), { retries: 2 });
    const error = await failureOf(pelorus.index('notes').search('x'));
    expect(error).toMatchObject({ name: 'RateLimitError', status: 429, code: 'too_many_requests', retryAfterMs: 0 });
    expect(server.requests).toHaveLength(3);
    await failureOf(pelorus.index('notes').search('x', { retries: 0 }));
    expect(server.requests).toHaveLength(4);
  });

  test.each([502, 503])('no documents without ids after a %i that asks for no other try', async (status) => {
    const { pelorus, server } = await clientOf((request, count) =>
      count % 2 === 1 ? { status, body: '<html>upstream reset</html>' } : added(request),
    );
    const error = await failureOf(pelorus.index('notes').add([{ title: 'x' }]));
    expect([error.name, error.status, server.requests.length]).toEqual(['ServerError', status, 1]);
    await pelorus.index('notes').add([{ title: 'y' }]);
    expect((await pelorus.index('notes').add([{ _id: '1' }])).stored).toBe(1);
    expect(server.requests).toHaveLength(4);
  });

  test('documents without ids that the server asks for again', async () => {
    const { pelorus, server } = await clientOf((request, count) => (count === 1 ? busy('0', 503) : added(request)));
    expect((await pelorus.index('notes').add([{ title: 'x' }])).stored).toBe(1);
    expect(server.requests).toHaveLength(2);
  });

  test('no call that has to wait for more than a minute', async () => {
    const { pelorus, server } = await clientOf(() => busy('3600'));
    expect(await failureOf(pelorus.index('notes').search('x'))).toMatchObject({ retryAfterMs: 3_600_000 });
    expect(server.requests).toHaveLength(1);
  });

  test('a call whose answer was lost, if it may be repeated', async () => {
    const broken = new Set<number>();
    const { pelorus, server } = await clientOf((request, count) => {
      if (broken.has(count)) return undefined;
      return request.path.endsWith('documents') ? added(request) : { body: FOUND };
    });
    const notes = pelorus.index('notes');
    const requestsOf = async (call: () => Promise<unknown>) => {
      const count = server.requests.length;
      broken.add(count + 1);
      const error = await call().then(
        () => undefined,
        (error) => error,
      );
      return [server.requests.length - count, error?.code];
    };
    // An address where nothing ever answered is more likely wrong than down.
    expect(await requestsOf(() => notes.search('x'))).toEqual([1, 'connection_failed']);
    await notes.search('x');
    expect(await requestsOf(() => notes.search('x'))).toEqual([2, undefined]);
    expect(await requestsOf(() => notes.add([{ _id: '1' }, { _id: '2' }]))).toEqual([2, undefined]);
    // Sent twice, documents without ids would be stored twice.
    expect(await requestsOf(() => notes.add([{ title: 'x' }]))).toEqual([1, 'connection_failed']);
    expect(await requestsOf(() => pelorus.createIndex('a'))).toEqual([1, 'connection_failed']);
  });
});

test('an address with a path stays before every path', async () => {
  const { server } = await clientOf(() => ({ body: FOUND }));
  for (const end of ['', '/', '/?a=b#c']) {
    await new Pelorus({ url: new URL(`${server.url}/e/one${end}`) }).index('a b').search('x');
    expect(server.requests.at(-1)?.path).toBe('/e/one/indexes/a%20b/search');
  }
});

test('a path that would change the host is refused, and the key goes nowhere', async () => {
  const { server, pelorus } = await clientOf(() => ({ body: FOUND }), { apiKey: 'secret' });
  for (const path of ['', '.example.com/x', '@127.0.0.1/x', '1/x']) {
    const error = await failureOf(pelorus.call('GET', path));
    expect(error).toBeInstanceOf(TypeError);
    expect(error.message).toMatch(/^path is .*, but must begin with a slash$/);
  }
  expect(server.requests).toEqual([]);
});

describe('an add', () => {
  const documents = Array.from({ length: 10 }, (_, place) => ({ _id: `${place}` }));

  test('halves a batch that is too large, down to the document that is', async () => {
    const { pelorus, server } = await clientOf((request) =>
      request.body.documents.some(({ _id }: any) => _id === '6')
        ? { status: 413, body: refusal('payload_too_large') }
        : added(request),
    );
    const { stored, failed, outcomes } = await pelorus.index('notes').add(documents);
    expect([stored, failed]).toEqual([9, 1]);
    expect(outcomes[6]).toEqual({
      ...{ position: 6, id: '6', status: 413, code: 'payload_too_large', message: 'told: payload_too_large' },
    });
    expect(outcomes.map(({ position }) => position)).toEqual(documents.map((_, place) => place));
    expect(server.requests.length).toBeLessThan(10);
  });

  test('sends no second half after another batch has failed', async () => {
    const sent: string[] = [];
    const { promise: isUnderWay, resolve } = Promise.withResolvers<void>();
    const pelorus = new Pelorus({
      url: 'http://127.0.0.1',
      fetch: async (_, { body }) => {
        const ids: string[] = JSON.parse(body as string).documents.map(({ _id }: any) => _id);
        sent.push(ids.join(' '));
        if (ids[0] === '0') {
          await isUnderWay;
          return Response.json(refusal('api_key_expired'), { status: 401 });
        }
        if (ids.length > 2) return Response.json(refusal('payload_too_large'), { status: 413 });
        resolve();
        // The failure comes first.
        for (let turn = 0; turn < 20; turn += 1) await new Promise((next) => setImmediate(next));
        return Response.json(added({ body: JSON.parse(body as string) } as ReceivedRequest).body);
      },
    });
    const error = await failureOf(pelorus.index('notes').add(documents.slice(0, 8), { batchSize: 4 }));
    expect(error).toMatchObject({ code: 'api_key_expired', report: { stored: 2 } });
    expect(sent).toEqual(['0 1 2 3', '4 5 6 7', '4 5']);
  });

  test('bounds a batch by its length too', async () => {
    const { pelorus, server } = await clientOf(added);
    const text = 'x'.repeat(3 * 1024 * 1024);
    const long = documents.slice(0, 5).map((one) => ({ ...one, text }));
    await pelorus.index('notes').add(long, { concurrency: 1 });
    expect(server.requests.map(({ body }) => body.documents.length)).toEqual([2, 2, 1]);
  });

  test('has no more requests under way than it may', async () => {
    let [underWay, most] = [0, 0];
    const { pelorus } = await clientOf(async (request) => {
      underWay += 1;
      most = Math.max(most, underWay);
      await new Promise((resolve) => setTimeout(resolve, 5));
      underWay -= 1;
      return added(request);
    });
    await pelorus.index('notes').add(documents, { batchSize: 1, concurrency: 3 });
    expect(most).toBeLessThanOrEqual(3);
  });

  test('tells what was stored before a failure, and sends nothing more', async () => {
    const { pelorus, server } = await clientOf((request, count) =>
      count <= 2 ? added(request) : { status: 401, body: refusal('api_key_expired') },
    );
    const error = await failureOf(pelorus.index('notes').add(documents, { batchSize: 2, concurrency: 1 }));
    expect(error).toMatchObject({ name: 'AuthenticationError', code: 'api_key_expired' });
    expect(error.report).toMatchObject({ stored: 4, failed: 0 });
    expect(error.report?.outcomes.map(({ id }) => id)).toEqual(['0', '1', '2', '3']);
    expect(server.requests).toHaveLength(3);
  });

  test('tells no outcome of a batch that failed while a later one was stored', async () => {
    const { promise: hasLater, resolve } = Promise.withResolvers<void>();
    const { pelorus } = await clientOf(async (request) => {
      if (request.body.documents[0]._id !== '0') {
        resolve();
        return added(request);
      }
      await hasLater;
      return { status: 400, body: refusal('bad_request') };
    });
    const error = await failureOf(pelorus.index('notes').add(documents, { batchSize: 5, concurrency: 2 }));
    expect(error.report?.outcomes.map(({ position }) => position)).toEqual([5, 6, 7, 8, 9]);
    expect(error.report).toMatchObject({ stored: 5, failed: 0 });
  });

  test('knows documents by the ids that their JSON has', async () => {
    class Named {
      get _id() {
        return 'of the class';
      }
    }
    const renamed = (from: string, to?: string) => ({ _id: from, toJSON: () => (to === undefined ? {} : { _id: to }) });
    const objectId = { toJSON: () => 'o' } as unknown as string;
    const documents: { _id: string }[] = [{ _id: objectId }, renamed('a', 'o'), new Named(), renamed('b')];
    let broken = false;
    const { pelorus, server } = await clientOf((request) => {
      if (!broken && request.body.documents.length === 3) {
        broken = true;
        return undefined;
      }
      return added(request);
    });
    const notes = pelorus.index<{ _id: string }>('notes');
    const error = await failureOf(notes.add(documents, { concurrency: 1 }));
    // Two have one id, so that they go one after the other. Those without ids are not sent again.
    expect(server.requests.map(({ body }) => body.documents)).toEqual([[{ _id: 'o' }], [{ _id: 'o' }, {}, {}]]);
    expect(error).toMatchObject({ code: 'connection_failed', report: { stored: 1 } });
  });

  test('takes no answer about other documents than it sent', async () => {
    const { pelorus } = await clientOf(() => ({ body: { errors: false, items: [] } }));
    expect(await failureOf(pelorus.index('notes').add(documents))).toMatchObject({
      ...{ name: 'UnexpectedAnswerError', message: 'An answer about 10 documents tells of 0' },
    });
  });

  test('sends the options of the interface along, and none of its own', async () => {
    const { pelorus, server } = await clientOf(added);
    const options = { tensorFields: ['title'], useExistingTensors: true };
    await pelorus.index('notes').add([{ _id: '1' }], { ...options, batchSize: 5, retries: 1, onProgress: () => {} });
    expect(server.requests[0]?.body).toEqual({ documents: [{ _id: '1' }], ...options });
    await pelorus.index('notes').update([{ _id: '1', title: null }]);
    expect(server.requests[1]).toMatchObject({ method: 'PATCH', body: { documents: [{ _id: '1', title: null }] } });
  });
});

describe('a call fails in one clear error', () => {
  test.each([
    ['nowhere', 'url is "nowhere", but must be an http or https address'],
    ['ftp://127.0.0.1', 'url is "ftp://127.0.0.1"'],
    ['http://me:secret@127.0.0.1', 'url is "http://...@127.0.0.1"'],
    ['http://me:se/cr@et@127.0.0.1', 'url is "http://...@127.0.0.1"'],
    ['me:secret@127.0.0.1', 'url is "...@127.0.0.1"'],
  ])('at the address %s', (url, message) => {
    expect(() => new Pelorus({ url })).toThrow(message);
    expect(() => new Pelorus({ url })).toThrow(TypeError);
  });

  test('with a key that no header carries, which is not shown', () => {
    const make = () => new Pelorus({ url: 'http://127.0.0.1', apiKey: 'sec ret\n' });
    expect(make).toThrow('apiKey must have visible ASCII characters');
    expect(make).not.toThrow('sec ret');
  });

  test('at an address where nothing answers, at once', async () => {
    const { pelorus, server } = await clientOf(() => undefined);
    await server.close();
    servers.pop();
    const error = await failureOf(pelorus.index('notes').search('x'));
    expect(error).toMatchObject({ name: 'ConnectionError', code: 'connection_failed', status: undefined });
    expect(error.message).toMatch(
      /^POST http:\/\/127\.0\.0\.1:\d+\/indexes\/notes\/search gets no answer: .*ECONNREFUSED/,
    );
  });

  test('where the answer does not come in time', async () => {
    const { pelorus, server } = await clientOf(() => new Promise(() => undefined));
    const error = await failureOf(pelorus.index('notes').search('x', { timeoutMs: 50 }));
    expect(error).toMatchObject({ name: 'TimeoutError', code: 'timeout' });
    expect(error.message).toContain('/indexes/notes/search is not answered within 50 ms');
    expect(server.requests).toHaveLength(1);
  });

  test('where a signal ends it: with the reason of the signal, while it waits for another try too', async () => {
    const ender = new AbortController();
    const { pelorus } = await clientOf(() => {
      setTimeout(() => ender.abort(new Error('enough')), 5);
      return busy('50');
    });
    expect((await failureOf(pelorus.index('notes').search('x', { signal: ender.signal }))).message).toBe('enough');
  });

  test.each([
    [
      'a page',
      { body: '<html>hello</html>' },
      'UnexpectedAnswerError',
      'answers 200 with what is no JSON object: "<html>',
    ],
    [
      'half a body',
      { body: '{"hits":[' },
      'UnexpectedAnswerError',
      'answers 200 with what is no JSON object: "{\\"hits\\":["',
    ],
    ['no body', {}, 'UnexpectedAnswerError', 'answers 200 with what is no JSON object: nothing'],
    ['another service', { body: {} }, 'UnexpectedAnswerError', 'The answer has no list "hits": "{}"'],
    ['a list', { body: [] }, 'UnexpectedAnswerError', 'The answer has no list "hits": "[]"'],
    ['a number', { body: '7' }, 'UnexpectedAnswerError', 'answers 200 with what is no JSON object: "7"'],
    ['a page of a proxy', { status: 502, body: '<html>' }, 'ServerError', 'answers 502 with "<html>"'],
    ['a page that is not found', { status: 404, body: '<html>' }, 'UnexpectedAnswerError', 'answers 404 with'],
    [
      'an older server',
      { status: 404, body: { detail: 'Not Found' } },
      'UnsupportedOperationError',
      'is not served (404)',
    ],
    [
      'an older server without the method',
      { status: 405, body: { detail: 'Method Not Allowed' } },
      ...(['UnsupportedOperationError', 'the server is older than this client'] as const),
    ],
    [
      'a full disk',
      { status: 507, body: refusal('insufficient_storage') },
      'ServerError',
      'told: insufficient_storage',
    ],
    ['a search out of time', { status: 504, body: refusal('vector_store_timeout') }, 'TimeoutError', 'told: vector'],
    ['an old version', { status: 412, body: refusal('version_conflict') }, 'ConflictError', 'told: version_conflict'],
  ])('where %s answers', async (_title, answer, name, message) => {
    const { pelorus } = await clientOf(() => answer, { retries: 0 });
    const error = await failureOf(pelorus.index('notes').search('x'));
    expect([error.name, error.message]).toEqual([name, expect.stringContaining(message)]);
  });

  test.each([[[]], [{ hits: 5 }]])('where another service answers %j to a call for an object', async (body) => {
    const { pelorus } = await clientOf(() => ({ body }), { retries: 0 });
    const notes = pelorus.index('notes');
    const calls = [
      ...[notes.get('1'), notes.health(), notes.stats(), notes.settings(), pelorus.health()],
      ...[notes.curation(), notes.setCuration({}), notes.rollBackCuration(1)],
    ];
    const names = ['_id', 'status', 'numberOfDocuments', 'type', 'status', 'version', 'version', 'version'];
    const errors = await Promise.all(calls.map(failureOf));
    expect(errors.map(({ name, message }) => [name, message])).toEqual(
      names.map((name) => [
        'UnexpectedAnswerError',
        expect.stringMatching(new RegExp(`^The answer has no (text|number) "${name}": `)),
      ]),
    );
  });

  test('where it is sent elsewhere: the key stays here', async () => {
    const elsewhere = await clientOf(() => ({ body: FOUND }));
    const location = `${elsewhere.server.url}/indexes/notes/search`;
    for (const status of [301, 302, 307, 308]) {
      const { pelorus, server } = await clientOf(() => ({ status, headers: { location } }), { apiKey: 'secret' });
      const error = await failureOf(pelorus.index('notes').search('x'));
      expect(error).toMatchObject({ name: 'UnexpectedAnswerError', status });
      expect(error.message).toContain(`answers with a redirect to ${location}, which is not followed`);
      expect(server.requests[0]?.key).toBe('secret');
    }
    expect(elsewhere.server.requests).toEqual([]);
  });

  test('with a missing key, a wrong one, and one that may not do it', async () => {
    const { app, keys, close } = await openService();
    servers.push({ close });
    const all = { indexes: null, origins: null, expiresAt: null } as const;
    const admin = await keys.create({ kind: 'api', name: 'boss', scope: 'admin', ...all });
    const reader = await keys.create({ kind: 'api', name: 'reader', scope: 'read', ...all });
    await app.listen({ host: '127.0.0.1', port: 0 });
    const url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
    const withKey = (apiKey?: string) => new Pelorus({ url, apiKey });
    await withKey(admin.secret).createIndex('notes', { model: 'random/small' });
    expect((await withKey(reader.secret).index('notes').search('x')).hits).toEqual([]);
    expect(await failureOf(withKey().index('notes').search('x'))).toMatchObject({
      ...{ name: 'AuthenticationError', status: 401, code: 'missing_api_key' },
    });
    expect(await failureOf(withKey('wrong').index('notes').search('x'))).toMatchObject({
      ...{ name: 'AuthenticationError', code: 'invalid_api_key', requestId: expect.any(String) },
    });
    expect(
      await failureOf(
        withKey(reader.secret)
          .index('notes')
          .add([{ _id: '1' }]),
      ),
    ).toMatchObject({
      ...{ name: 'PermissionError', status: 403, code: 'insufficient_scope' },
    });
  });
});
