import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { close, combined, MediaService, RED_DATA, SECRET } from './media-service.js';

let service: MediaService;
/** Vectors of the pictures, and of the texts that stand for themselves. */
let red: readonly number[];
let blue: readonly number[];

beforeAll(async () => {
  service = await MediaService.open();
  [red, blue] = (await service.embed('images', [service.at('/red.png'), service.at('/blue.png')])) as [
    number[],
    number[],
  ];
});

beforeEach(() => {
  service.takeFetches();
});

afterAll(async () => {
  expect(service.faults).toEqual([]);
  await service.close();
});

const inT = { tensorFields: ['t'] };
const textVector = async (text: string) => (await service.embed('texts', { [`${text}`]: 1 }))[0] as number[];
/** The vector of a text as documents have it, with its prefix. */
const passage = (text: string) => textVector(`passage: ${text}`);

type Outcome = 'text' | 'picture' | { readonly refused: string };
const refused = (medium: string): Outcome => ({ refused: `Reason: Model random/small does not support ${medium}` });
const broughtAlong: Outcome = {
  refused: "Field 't' contains base64 image data. Base64 images can only be used in search queries.",
};

/** Adds a document with a pointer, after so many fetches; gives the vector it has, null where it must be refused. */
async function vectorOf(
  index: string,
  document: { readonly _id: string; readonly [field: string]: string },
  rest: object,
  [pointer, outcome, fetches]: readonly [pointer: string, outcome: Outcome, fetches: number],
): Promise<readonly number[] | null> {
  await service.add(index, document, rest, typeof outcome === 'object' ? outcome.refused : undefined);
  expect(service.takeFetches()).toBe(fetches);
  if (typeof outcome === 'object') return null;
  return close(outcome === 'picture' ? red : await passage(pointer));
}

const unfetchable = (pointer: string) => ({ refused: `Could not process the media file found at \`${pointer}` });

describe('models 4.1: the flags of an index decide what a URL in a tensor field stands for', () => {
  test.each<[index: string, pointer: string, outcome: Outcome, fetches: number]>([
    ['texts', '/red.png', 'text', 0],
    ['texts', '/plain', 'text', 0],
    ['texts', '/words', 'text', 0],
    ['texts', '/missing.png', 'text', 0],
    ['texts', '/film.mp4', 'text', 0],
    ['texts', '/sound.mp3', 'text', 0],
    ['texts', RED_DATA, 'text', 0],
    ['texts', 'red shoes', 'text', 0],
    ['images', '/red.png', 'picture', 1],
    ['images', '/red.png?size=1#top', 'picture', 1],
    ['images', '/plain', 'picture', 1],
    ['images', '/plain?a.mp4', 'picture', 1],
    ['images', '/words', 'text', 1],
    ['images', '/film.mp4', 'text', 0],
    ['images', '/sound.mp3', 'text', 0],
    ['images', RED_DATA, broughtAlong, 0],
    ['images', 'red shoes', 'text', 0],
    ['images', 'etc/a.png', 'text', 0],
    ['images', 'http://minio:9000/a.png', unfetchable('http://minio:9000/a.png'), 0],
    ['images', 's3://bucket/a.png', unfetchable('s3://bucket/a.png'), 0],
    ['images', 'S3://bucket/pictures/7', unfetchable('S3://bucket/pictures/7'), 0],
    ['images', ' //host/a.png', unfetchable(''), 0],
    ['images', ' //host/my picture.png', unfetchable(''), 0],
    ['images', 'https://shop.\u00adexample/a.png', { refused: 'it has the invisible character U+00AD' }, 0],
    ['images', 'https://shop.example/my\npicture.png', { refused: 'it has a line break or a tab' }, 0],
    ['images', 'https://shop.example/a.png https://shop.example/b.png', { refused: 'it is 2 URLs, expected one' }, 0],
    ['images', 'https://shop.example/a.png shows red shoes', 'text', 0],
    ['images', 'Photo: https://shop.example/a.png', 'text', 0],
    ['images', `\t${RED_DATA.replace('data:', 'DATA:')} `, broughtAlong, 0],
    ['media', '/red.png', 'picture', 1],
    ['media', '/plain', 'picture', 1],
    ['media', '/words', 'text', 1],
    ['media', '/film.mp4', refused('video'), 0],
    ['media', '/film.avi', refused('video'), 0],
    ['media', '/sound.mp3', refused('audio'), 0],
    ['media', '/sound.ogg', refused('audio'), 0],
    ['media', RED_DATA, broughtAlong, 0],
    ['media', 'red shoes', 'text', 0],
  ])('%s: %.60s', async (index, pointer, outcome, fetches) => {
    const t = service.at(pointer);
    const vector = await vectorOf(index, { _id: 'flags', t }, inT, [t, outcome, fetches]);
    if (vector !== null) expect(await service.facets(index, 'flags')).toEqual([{ field: 't', chunk: t, vector }]);
  });

  test.each([
    ['behind it', (url: string) => `${url} \n`],
    ['before it', (url: string) => `\u00a0\t${url}`],
    ['nowhere and its scheme in capitals', (url: string) => url.replace('http:', 'HTTP:')],
    ['and invisible characters around it', (url: string) => `\u200e\u202a${url} \u202c`],
    ['nowhere and German quotes', (url: string) => `\u201e${url}\u201c`],
    ['nowhere and braces', (url: string) => `{${url}}`],
    ['nowhere and one quote', (url: string) => `"${url}`],
    ['nowhere and written references of quotes', (url: string) => `&quot;${url}&quot;`],
    ['nowhere and url()', (url: string) => `url('${url}')`],
    ['in the tag of a picture', (url: string) => `<img alt="red shoes" src="${url}">`],
  ])('a URL with blanks %s is that URL, and stays as it was written', async (_, change) => {
    const [plain, t] = [service.at('/red.png'), change(service.at('/red.png'))];
    const vector = await vectorOf('images', { _id: 'plain', t: plain }, inT, [plain, 'picture', 1]);
    await service.add('images', { _id: 'blanks', t } as { _id: string }, inT);
    expect(service.takeFetches()).toBe(1);
    expect(await service.facets('images', 'blanks')).toEqual([{ field: 't', chunk: t, vector }]);
  });

  test('a URL in a field that is not embedded is not fetched', async () => {
    await service.add('images', { _id: 'other', t: service.at('/red.png') } as { _id: string }, {});
    expect(service.takeFetches()).toBe(0);
    expect(await service.facets('images', 'other')).toEqual([]);
  });
});

describe('models 4.1: the types of declared fields decide alone', () => {
  test.each<[field: string, pointer: string, outcome: Outcome, fetches: number]>([
    ['t', '/red.png', 'text', 0],
    ['t', 'red shoes', 'text', 0],
    ['i', '/red.png', 'picture', 1],
    ['i', '/plain', 'picture', 1],
    ['i', '/words', { refused: 'Could not process the media file found at' }, 1],
    ['i', 'red shoes', { refused: 'Could not process the media file found at `red shoes`' }, 0],
    ['i', 'etc/a.png', { refused: 'Could not process the media file found at `etc/a.png`' }, 0],
    ['v', '/film.mp4', refused('video'), 0],
    ['v', '/red.png', refused('video'), 0],
    ['a', '/sound.mp3', refused('audio'), 0],
    ['a', 'red shoes', refused('audio'), 0],
  ])('%s: %s', async (field, pointer, outcome, fetches) => {
    const value = service.at(pointer);
    const document = { _id: `type-${field}`, [field]: value };
    const vector = await vectorOf('declared', document, {}, [value, outcome, fetches]);
    if (vector === null) return;
    expect(await service.facets('declared', document._id)).toContainEqual({ field, chunk: value, vector });
  });
});

describe('models 4.2: a picture that cannot be had or read fails its document alone', () => {
  const failing = ['/missing.png', '/missing', '/page.png', '/cut.png', '/guarded.png', 'http://127.0.0.1:99/a.png'];
  test.each(failing)('%s', async (pointer) => {
    const t = service.at(pointer);
    await service.check({
      request: 'POST /indexes/images/documents',
      body: {
        documents: [
          { _id: 'ill', t },
          { _id: 'well', t: 'red shoes' },
        ],
        tensorFields: ['t'],
      },
      status: 200,
      answer: expect.objectContaining({
        errors: true,
        items: [
          expect.objectContaining({
            _id: 'ill',
            status: 400,
            code: 'invalid_argument',
            message: expect.stringContaining(`Could not process the media file found at \`${t}\`. Reason: `),
          }),
          { _id: 'well', status: 200 },
        ],
      }),
    });
    await service.check({ request: 'GET /indexes/images/documents/ill', status: 404 });
  });
});

describe('models 4.2: headers of the request are sent', () => {
  test.each(['mediaDownloadHeaders', 'media_download_headers', 'imageDownloadHeaders', 'image_download_headers'])(
    'as %s',
    async (name) => {
      const document = { _id: name, t: service.at('/guarded.png') };
      await service.add('images', document, { ...inT, [name]: SECRET });
      expect(await service.facets('images', name)).toMatchObject([{ vector: close(red) }]);
    },
  );

  test.each(['POST', 'PUT'])('for a bare list by %s, from the query', async (method) => {
    const headers = encodeURIComponent(JSON.stringify(SECRET));
    await service.check({
      request: `${method} /indexes/images/documents?image_download_headers=${headers}`,
      body: [{ _id: `list-${method}`, t: service.at('/guarded.png') }],
      status: 200,
      answer: expect.objectContaining({ errors: false }),
    });
    expect(await service.facets('images', `list-${method}`)).toMatchObject([{ vector: close(red) }]);
  });

  test('but none that say how a request travels', async () => {
    await service.check({
      request: 'POST /indexes/images/documents',
      body: { documents: [{ t: service.at('/red.png') }], ...inT, mediaDownloadHeaders: { Host: 'a' } },
      status: 400,
      answer: expect.objectContaining({ code: 'invalid_argument', message: expect.stringContaining('Host') }),
    });
  });
});

describe('combinations', () => {
  const mapping = (a: number, b: number) => ({
    tensorFields: ['both'],
    mappings: { both: { type: 'multimodal_combination', weights: { a, b } } },
  });
  const document = (a: string) => ({ _id: 'both', a: service.at(a), b: 'red shoes' });
  const chunkOf = (index: string) => service.facets(index, 'both').then(([first, ...rest]) => [first, rest.length]);

  test.each([
    [1, 1],
    [0.3, 0.7],
    [-1, 2],
  ])('are the sum of a picture and a text, times %f and %f', async (a, b) => {
    await service.add('images', document('/red.png'), mapping(a, b));
    const vector = combined([a, red], [b, await passage('red shoes')]);
    const chunk = `{"a": "${service.at('/red.png')}", "b": "red shoes"}`;
    expect(await chunkOf('images')).toEqual([{ field: 'both', chunk, vector: close(vector) }, 0]);
  });

  test('take a picture whole where others are taken apart', async () => {
    await service.add('patches', document('/red.png'), mapping(1, 1));
    const vector = combined([1, red], [1, await textVector('red shoes')]);
    expect(await chunkOf('patches')).toEqual([expect.objectContaining({ vector: close(vector) }), 0]);
  });

  test('take a URL for a text where the index does', async () => {
    await service.add('texts', document('/red.png'), mapping(1, 1));
    expect(service.takeFetches()).toBe(0);
    const vector = combined([1, await passage(service.at('/red.png'))], [1, await passage('red shoes')]);
    expect(await chunkOf('texts')).toEqual([expect.objectContaining({ vector: close(vector) }), 0]);
  });

  test.each(['/missing.png', '/page.png', '/missing'])('fail with a part that does: %s', async (pointer) => {
    await service.add(
      'images',
      { ...document(pointer), _id: 'failed' },
      mapping(1, 1),
      'Field both cannot be embedded',
    );
  });

  test('refuse what the model does not take', async () => {
    await service.add('media', { ...document('/a.mp4'), _id: 'failed' }, mapping(1, 1), 'does not support video');
  });

  test('in declared fields have the declared weights, or those of the request', async () => {
    const document = { _id: 'both', i: service.at('/red.png'), t: 'red shoes' };
    const text = await passage('red shoes');
    const both = async () => (await service.facets('declared', 'both')).find(({ field }) => field === 'both');
    await service.add('declared', document);
    expect(await both()).toMatchObject({ vector: close(combined([0.25, red], [0.75, text])) });
    const mappings = { both: { type: 'multimodal_combination', weights: { i: 2, t: 1 } } };
    await service.add('declared', document, { mappings });
    expect(await both()).toMatchObject({ vector: close(combined([2, red], [1, text])) });
  });
});

describe('models 4.5: patches', () => {
  const boxes = [0, 1, 2].flatMap((y) =>
    [0, 1, 2].map((x) => `[${x * 16}.0, ${y * 8}.0, ${x * 16 + 16}.0, ${y * 8 + 8}.0]`),
  );
  test.each([
    ['patches', 't', inT],
    ['declared-patches', 'i', {}],
  ])('of %s are a chunk each, the whole picture first', async (index, field, rest) => {
    await service.add(index, { _id: 'p', [field]: service.at('/red.png') } as { _id: string }, rest);
    expect(service.takeFetches()).toBe(1);
    const facets = await service.facets(index, 'p');
    expect(facets.map(({ chunk }) => chunk)).toEqual(['[0.0, 0.0, 48.0, 24.0]', ...boxes]);
    expect(new Set(facets.map(({ vector }) => JSON.stringify(vector))).size).toBe(10);
    expect(facets.every((facet) => facet.field === field)).toBe(true);
  });

  test('are the highlight of a hit', async () => {
    await service.add('declared-patches', { _id: 'h', i: service.at('/blue.png') } as { _id: string });
    const highlight = { i: expect.stringMatching(/^\[\d+\.\d+, \d+\.\d+, \d+\.\d+, \d+\.\d+\]$/) };
    await service.check({
      request: 'POST /indexes/declared-patches/search',
      body: { q: service.at('/blue.png'), filter: '_id:h' },
      status: 200,
      answer: expect.objectContaining({ hits: [expect.objectContaining({ _id: 'h', _highlights: [highlight] })] }),
    });
  });

  test('are exported and taken back', async () => {
    await service.add('patches', { _id: 'scan', t: service.at('/red.png') } as { _id: string }, inT);
    const before = await service.facets('patches', 'scan');
    let document: unknown;
    await service.check({
      request: 'POST /indexes/patches/documents/scan',
      body: { exposeTensors: true, filter: '_id:scan' },
      status: 200,
      answer: expect.toSatisfy(({ documents }: { documents: { _id: string }[] }) => {
        document = documents.find(({ _id }) => _id === 'scan');
        return document !== undefined;
      }),
    });
    service.takeFetches();
    await service.add('patches', document as { _id: string }, { useGivenTensors: true });
    expect(service.takeFetches()).toBe(0);
    expect(await service.facets('patches', 'scan')).toEqual(before);
  });
});

describe('models 4.2: a URL is fetched no more often than it must be', () => {
  const existing = { ...inT, useExistingTensors: true };
  const first = async (index: string, _id: string) => {
    await service.add(index, { _id, t: service.at('/red.png') } as { _id: string }, inT);
    expect(service.takeFetches()).toBe(1);
  };

  test.each(['images', 'patches'])('not for a pointer that is stored: %s', async (index) => {
    await first(index, 'kept');
    const before = await service.facets(index, 'kept');
    await service.add(index, { _id: 'kept', t: service.at('/red.png'), n: 1 } as { _id: string }, existing);
    expect(service.takeFetches()).toBe(0);
    expect(await service.facets(index, 'kept')).toEqual(before);
  });

  test('but for one that changed, or where nothing is to be kept', async () => {
    await first('images', 'changed');
    await service.add('images', { _id: 'changed', t: service.at('/blue.png') } as { _id: string }, existing);
    expect(service.takeFetches()).toBe(1);
    expect(await service.facets('images', 'changed')).toMatchObject([{ vector: close(blue) }]);
    await service.add('images', { _id: 'changed', t: service.at('/blue.png') } as { _id: string }, inT);
    expect(service.takeFetches()).toBe(1);
  });

  test('not for a combination that is stored, but for one with other weights', async () => {
    const document = { _id: 'mix', a: service.at('/red.png'), b: 'x' };
    const rest = (b: number) => ({
      tensorFields: ['both'],
      useExistingTensors: true,
      mappings: { both: { type: 'multimodal_combination', weights: { a: 1, b } } },
    });
    for (const [b, fetches] of [
      [1, 1],
      [1, 0],
      [2, 1],
    ] as const) {
      await service.add('images', document, rest(b));
      expect(service.takeFetches()).toBe(fetches);
    }
  });

  test('once for several documents, fields and combinations of a request', async () => {
    const t = service.at('/red.png');
    await service.check({
      request: 'POST /indexes/images/documents',
      body: {
        documents: [
          { _id: 'one', t, b: 'x' },
          { _id: 'two', t },
        ],
        tensorFields: ['t', 'both'],
        mappings: { both: { type: 'multimodal_combination', weights: { t: 1, b: 1 } } },
      },
      status: 200,
      answer: expect.objectContaining({ errors: false }),
    });
    expect(service.takeFetches()).toBe(1);
  });
});
