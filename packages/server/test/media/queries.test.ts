import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { close, combined, MediaService, RED_DATA, SECRET } from './media-service.js';

let service: MediaService;
let red: readonly number[];
let blue: readonly number[];

const indexes = ['texts', 'images', 'media'] as const;

beforeAll(async () => {
  service = await MediaService.open();
  const [red_, blue_] = await service.embed('images', [service.at('/red.png'), service.at('/blue.png')]);
  [red, blue] = [red_ as number[], blue_ as number[]];
  const vector = (content: string, vector: readonly number[]) => ({ content, vector });
  const documents = [
    { _id: 'red', v: vector('the red picture', red) },
    { _id: 'blue', v: vector('the blue picture', blue) },
    { _id: 'shoes', v: vector('shoes', (await service.embed('texts', 'query: shoes'))[0] as number[]) },
    // A document that is found by the letters of a URL.
    { _id: 'linked', u: ['/red.png', '/plain', '/words'].map((path) => service.at(path)).join(' ') },
  ];
  for (const index of indexes) {
    const rest = { tensorFields: ['v'], mappings: { v: { type: 'custom_vector' } } };
    await service.check({
      request: `POST /indexes/${index}/documents`,
      body: { documents, ...rest },
      status: 200,
      answer: expect.objectContaining({ errors: false }),
    });
  }
});

beforeEach(() => {
  service.takeFetches();
});

afterAll(async () => {
  expect(service.faults).toEqual([]);
  await service.close();
});

const hit = (_id: string, rest: object = {}) => expect.objectContaining({ _id, ...rest });

function search(body: object, expected: object, index = 'images'): Promise<void> {
  return service.check({
    request: `POST /indexes/${index}/search`,
    body: { limit: 1, ...body },
    status: 200,
    answer: expect.objectContaining(expected),
  });
}

function refuse(operation: string, body: object, message: string): Promise<void> {
  return service.check({
    request: `POST /indexes/images/${operation}`,
    body,
    status: 400,
    answer: expect.objectContaining({ code: 'invalid_argument', message: expect.stringContaining(message) }),
  });
}

describe('search 2.2, models 4.1: a query that points to a picture finds it where the index takes pointers for pictures', () => {
  const queries: [pointer: string, fetches: number][] = [
    ['/red.png', 1],
    ['/red.png?w=1', 1],
    ['/plain', 1],
    [RED_DATA, 0],
  ];
  const taking = indexes.filter((index) => index !== 'texts');
  test.each(taking.flatMap((index) => queries.map((query) => [index, ...query] as const)))(
    '%s: %.60s',
    async (index, pointer, fetches) => {
      await search({ q: service.at(pointer) }, { hits: [hit('red', { _score: expect.closeTo(1, 4) })] }, index);
      expect(service.takeFetches()).toBe(fetches);
    },
  );

  test.each(queries)('and is a text elsewhere, with its prefix and its words: %.60s', async (pointer) => {
    const q = service.at(pointer);
    const [vector] = await service.embed('texts', q, {});
    expect(vector).toEqual((await service.embed('texts', `query: ${q}`))[0]);
    await search({ q }, { hits: [expect.not.objectContaining({ _id: 'red', _score: expect.closeTo(1, 4) })] }, 'texts');
    if (['/red.png', '/plain'].includes(pointer))
      await search({ searchMethod: 'LEXICAL', q }, { hits: [hit('linked')] }, 'texts');
    expect(service.takeFetches()).toBe(0);
  });

  test('a data URI may be longer than any text, and is not sent back', async () => {
    const [start = '', base64 = ''] = RED_DATA.split(',');
    const large = Buffer.concat([Buffer.from(base64, 'base64'), Buffer.alloc(1024 * 1024)]);
    const q = `${start},${large.toString('base64')}`;
    await search({ q }, { hits: [hit('red')], query: 'data:image/[omitted]' });
    await search({ q: { [q]: 1 } }, { hits: [hit('red')], query: { 'data:image/[omitted]': 1 } });
  });

  test('a data URI whose slashes are escaped is not sent back either', async () => {
    for (const q of [RED_DATA, { [RED_DATA]: 1 }]) {
      await service.check({
        request: 'POST /indexes/images/search',
        body: JSON.stringify({ q, limit: 1 }).replaceAll('/', '\\/'),
        status: 200,
        answer: expect.objectContaining({
          hits: [hit('red')],
          query: typeof q === 'string' ? 'data:image/[omitted]' : { 'data:image/[omitted]': 1 },
        }),
      });
    }
  });

  test('data of no type is read by its bytes, is not sent back and has no words', async () => {
    const [, base64 = ''] = RED_DATA.split(',');
    for (const type of ['application/octet-stream', '']) {
      const q = `data:${type};base64,${base64}`;
      await search({ q }, { hits: [hit('red')], query: 'data:[omitted]' });
      await search({ q: { [q]: 1 } }, { hits: [hit('red')], query: { 'data:[omitted]': 1 } });
      await search({ searchMethod: 'LEXICAL', q }, { hits: [] });
    }
    await refuse('search', { q: 'data:;base64,AAAA' }, 'Reason: the bytes are no picture');
    await refuse('search', { q: 'http:/shop.example' }, 'Reason: it is no URL, expected `http://`');
  });

  test('a field that declares no picture does not keep one out of a query to declared fields', async () => {
    await search({ q: service.at('/red.png') }, { hits: expect.any(Array) }, 'declared');
    expect(service.takeFetches()).toBe(1);
  });
});

describe('a query that is no picture is a text', () => {
  test.each([
    ['shoes', 'query: shoes', 0],
    ['/words', 'query: ', 1],
    ['etc/a.png', 'query: etc/a.png', 0],
  ])('%s, with its prefix', async (text, embedded, fetches) => {
    const q = service.at(text);
    const expected = text.startsWith('/') ? embedded + q : embedded;
    const [vector] = await service.embed('images', [q], {});
    expect(service.takeFetches()).toBe(fetches);
    expect((await service.embed('texts', expected))[0]).toEqual(vector);
  });

  test.each(['/film.mp4', '/sound.mp3'])('%s, without a prefix, where the model takes none', async (path) => {
    const [[vector], [bare]] = [
      await service.embed('media', service.at(path), {}),
      await service.embed('media', service.at(path)),
    ];
    expect(vector).toEqual(bare);
    expect(service.takeFetches()).toBe(0);
  });
});

describe('queries of several parts', () => {
  test('weigh pictures and texts in the order of the request', async () => {
    const q = { [service.at('/red.png')]: 1, shoes: 0.2, [service.at('/blue.png')]: -0.1 };
    await search({ q }, { hits: [hit('red')] });
    expect(service.takeFetches()).toBe(2);
    await search({ q: { shoes: 1, [service.at('/red.png')]: 0.1 } }, { hits: [hit('shoes')] });
    await search({ q: { shoes: 0.1, [RED_DATA]: 1 } }, { hits: [hit('red')] });
  });

  test('may have a context besides', async () => {
    const context = { tensor: [{ vector: blue, weight: 3 }] };
    await search({ q: { [service.at('/red.png')]: 0.1 }, context }, { hits: [hit('blue')] });
  });

  test('may be those of a hybrid search, whose words are left alone', async () => {
    const hybridParameters = { queryTensor: { [service.at('/red.png')]: 1 }, queryLexical: 'nothing' };
    await search({ searchMethod: 'HYBRID', hybridParameters }, { hits: [hit('red')] });
    await search(
      { searchMethod: 'HYBRID', q: service.at('/red.png'), hybridParameters: { alpha: 1 } },
      { hits: [hit('red')], query: service.at('/red.png') },
    );
  });

  test('have the content of the nearest chunk as highlight', async () => {
    await search({ q: RED_DATA }, { hits: [hit('red', { _highlights: [{ v: 'the red picture' }] })] });
  });
});

/** A picture of many more bytes than a query may have of words. */
function largeData(): string {
  const [start = '', base64 = ''] = RED_DATA.split(',');
  const large = Buffer.concat([Buffer.from(base64, 'base64'), Buffer.alloc(200 * 1024)]);
  return `${start},${large.toString('base64')}`;
}

describe('a picture has no words', () => {
  const pictures = () => [RED_DATA, largeData(), service.at('/red.png')];

  test('so that LEXICAL finds nothing, and fetches nothing', async () => {
    for (const q of pictures()) {
      await search({ searchMethod: 'LEXICAL', q, lexicalHighlights: true }, { hits: [] });
    }
    expect(service.takeFetches()).toBe(0);
  });

  test('so that HYBRID ranks by vectors alone', async () => {
    for (const q of [...pictures(), service.at('/plain')]) {
      for (const hybridParameters of [undefined, { lexicalOperand: 'and' }, { alpha: 0.1 }]) {
        await search(
          { searchMethod: 'HYBRID', q, limit: 4, hybridParameters },
          { hits: [hit('red'), hit('blue'), hit('shoes')] },
        );
      }
    }
  });

  test('nor does it have any to be ranked or found by, where one leg finds and the other ranks', async () => {
    for (const q of pictures()) {
      const of = (retrievalMethod: string, rankingMethod: string) => ({
        searchMethod: 'HYBRID',
        q,
        hybridParameters: { retrievalMethod, rankingMethod },
      });
      await search(of('tensor', 'tensor'), { hits: [hit('red')] });
      await search(of('lexical', 'lexical'), { hits: [] });
      await search(of('lexical', 'tensor'), { hits: [] });
      await search(of('tensor', 'lexical'), { hits: expect.toSatisfy((hits: unknown[]) => hits.length === 1) });
    }
  });

  test('also as the words of a vector, and as queryLexical', async () => {
    for (const picture of pictures()) {
      const q = { customVector: { vector: blue, content: picture } };
      await search({ searchMethod: 'HYBRID', q, limit: 1 }, { hits: [hit('blue')] });
      const hybridParameters = { queryTensor: RED_DATA, queryLexical: picture };
      await search({ searchMethod: 'HYBRID', hybridParameters }, { hits: [hit('red')] });
    }
  });

  test('which another text has, and a URL whose name does not tell what it shows', async () => {
    await search({ searchMethod: 'LEXICAL', q: service.at('/plain') }, { hits: [hit('linked')] });
    await search({ searchMethod: 'LEXICAL', q: `also ${service.at('/red.png')}` }, { hits: [hit('linked')] });
    const words = { searchMethod: 'HYBRID', q: service.at('/words'), hybridParameters: { alpha: 0.1 } };
    await search(words, { hits: [hit('linked')] });
  });

  test('to judge relevance by', async () => {
    const message = "'relevanceCutoff' needs words to judge relevance by";
    const relevanceCutoff = { method: 'gap_detection' };
    for (const q of [...pictures(), service.at('/plain')]) {
      await refuse('search', { searchMethod: 'HYBRID', q, relevanceCutoff }, message);
    }
  });

  test.each(['sortBy', 'facets'])('also with other members: %s', async (name) => {
    const sortBy = { fields: [{ fieldName: 'v' }] };
    const facets = { fields: { v: { type: 'string' } } };
    const rest = name === 'sortBy' ? { sortBy } : { facets };
    await search({ searchMethod: 'HYBRID', q: largeData(), limit: 3, ...rest }, { hits: expect.any(Array) });
  });
});

describe('models 6.7: content to embed', () => {
  test('keeps its order', async () => {
    const [shoes] = await service.embed('texts', 'shoes');
    const content = ['shoes', service.at('/red.png'), RED_DATA, 'shoes', service.at('/blue.png')];
    const vectors = await service.embed('images', content);
    expect(vectors).toEqual([shoes, red, red, shoes, blue].map((vector) => close(vector as number[])));
  });

  test('is weighted', async () => {
    const [shoes] = (await service.embed('texts', 'shoes')) as [number[]];
    const [vector] = await service.embed('images', { shoes: 2, [service.at('/red.png')]: 1 });
    expect(vector).toEqual(close(combined([2, shoes], [1, red])));
  });

  test.each(['query', 'document'])('gets no prefix as a picture for a %s', async (content_type) => {
    expect(await service.embed('images', service.at('/red.png'), { content_type })).toEqual([close(red)]);
  });
});

describe('search 2.2, models 4.2: a picture that cannot be had or read fails the request', () => {
  const failing = ['/missing.png', '/missing', '/page.png', '/cut.png', '/guarded.png', 'http://127.0.0.1:99/a.png'];
  test.each(failing)('%s', async (pointer) => {
    const url = service.at(pointer);
    const message = `Could not process the media file found at \`${url}\`. Reason: `;
    await refuse('search', { q: url }, message);
    await refuse('search', { q: { shoes: 1, [url]: 1 } }, message);
    await refuse('search', { searchMethod: 'HYBRID', q: url }, message);
    await refuse('embed', { content: ['shoes', url] }, message);
  });

  test.each(['data:image/png;base64,!', 'data:image/png;base64,AAAA', 'data:image/png,'])('%s', async (q) => {
    await refuse('search', { q }, 'Could not process the media file found at `data:image/[omitted]`. Reason: ');
  });
});

describe('models 4.2: headers of the request are sent', () => {
  test.each(['mediaDownloadHeaders', 'media_download_headers', 'imageDownloadHeaders', 'image_download_headers'])(
    'as %s',
    async (name) => {
      const url = service.at('/guarded.png');
      await search({ q: url, [name]: SECRET }, { hits: [hit('red')] });
      expect(await service.embed('images', url, { [name]: SECRET })).toEqual([close(red)]);
    },
  );
});
