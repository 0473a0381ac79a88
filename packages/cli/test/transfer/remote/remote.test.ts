import { afterEach, describe, expect, test } from 'vitest';
import { REMOTES } from '../../../src/transfer/remote/names.js';
import { collectionIn, openRemote } from '../../../src/transfer/remote/open-remote.js';
import { RemoteDocuments } from '../../../src/transfer/remote/remote-documents.js';
import { type Answer, COUNT, imported, type Service, serviceOf } from './services.js';

let service: Service;
afterEach(() => service?.end());

const SPACES = {
  opensearch: 'dotproduct',
  qdrant: 'dotproduct',
  meilisearch: 'angular',
  weaviate: 'euclidean',
  chroma: 'angular',
};
const KEYS = {
  opensearch: ['authorization', 'ApiKey k'],
  qdrant: ['api-key', 'k'],
  meilisearch: ['authorization', 'Bearer k'],
  weaviate: ['authorization', 'Bearer k'],
  chroma: ['x-chroma-token', 'k'],
};

async function open(name: (typeof REMOTES)[number], mark?: string, takesVectors = true): Promise<RemoteDocuments> {
  const remote = await openRemote({ name, url: `${service.url}/products`, key: 'k', vector: undefined });
  return new RemoteDocuments(remote, takesVectors, mark);
}

async function textsOf(source: RemoteDocuments, skipped = 0, countMax = COUNT): Promise<string[]> {
  const texts: string[] = [];
  for await (const { text, place, problem } of source.items(skipped)) {
    expect([place, problem]).toEqual([skipped + texts.length + 1, undefined]);
    texts.push(text);
    if (texts.length === countMax) break;
  }
  return texts;
}

describe.each(REMOTES)('%s', (name) => {
  test('gives all documents exactly, with their vectors and the metric', async () => {
    service = await serviceOf(name);
    const source = await open(name);
    expect(source.vectors).toEqual({
      field: name === 'meilisearch' ? 'default' : 'vector',
      dimensions: 3,
      spaceType: SPACES[name],
    });
    expect(await textsOf(source)).toEqual(Array.from({ length: COUNT }, (_, at) => imported(name, at)));
    const [header = '', value] = KEYS[name];
    expect(service.requests.map(({ headers }) => headers[header])).toEqual(service.requests.map(() => value));
  });

  test('goes on behind the page where it stopped, and gives nothing twice', async () => {
    service = await serviceOf(name);
    const first = await open(name);
    const stoppedAt = 530;
    await textsOf(first, 0, stoppedAt);
    const mark = first.markOf(stoppedAt);
    service.requests.length = 0;
    const second = await open(name, mark);
    const opening = service.requests.length;
    expect(await textsOf(second, stoppedAt)).toEqual(
      Array.from({ length: COUNT - stoppedAt }, (_, at) => imported(name, stoppedAt + at)),
    );
    expect(service.requests.length - opening).toBeLessThanOrEqual(2);
  });

  test('leaves vectors out where documents are to be embedded anew', async () => {
    service = await serviceOf(name);
    const [first = ''] = await textsOf(await open(name, undefined, false), 0, 1);
    expect(Object.keys(JSON.parse(first))).not.toContain('vector');
  });

  test('is told when it answers otherwise than it does', async () => {
    service = await serviceOf(name);
    for (const answer of ['[]', '{}', 'no JSON', '{"result":{"points":{}}}']) {
      service.instead.set(service.requests.length + 1, answer);
      await expect(open(name), answer).rejects.toThrow(`otherwise than ${name} does`);
    }
    const remote = openRemote({ name, url: `${service.url}/nothing`, key: undefined, vector: undefined });
    await expect(remote).rejects.toThrow(`${name} answers 404: no such thing`);
  });

  test('is told when it does not answer', async () => {
    service = await serviceOf(name);
    service.end();
    await expect(open(name)).rejects.toMatchObject({ exitCode: 9, message: `No ${name} answers at ${service.url}` });
  });
});

test('the fields of vectors of OpenSearch and Elasticsearch are told by their mappings', async () => {
  service = await serviceOf('opensearch');
  const properties =
    '{"a":{"type":"dense_vector","dims":2,"similarity":"l2_norm"},"b":{"type":"knn_vector","dimension":3,"space_type":"cosinesimil"},"c":{"type":"knn_vector","dimension":3,"method":{"space_type":"other"}}}';
  const hit = '{"_id":"x","_source":{"a":[1,2],"b":[1,2,3],"c":[1],"t":"y"}}';
  for (const [named, vectors, note, text] of [
    [undefined, { field: 'a', dimensions: 2, spaceType: 'euclidean' }, 'b, c', '"a":{"vector":[1,2]}'],
    ['b', { field: 'b', dimensions: 3, spaceType: 'angular' }, 'a, c', '"b":{"vector":[1,2,3]}'],
  ] as const) {
    service.requests.length = 0;
    service.instead.set(1, `{"i":{"mappings":{"properties":${properties}}}}`);
    for (const page of [2, 3]) service.instead.set(page, `{"hits":{"hits":[${hit}]}}`);
    const key = 'user:word';
    const remote = await openRemote({ name: 'opensearch', url: `${service.url}/i`, key, vector: named });
    const source = new RemoteDocuments(remote, true, undefined);
    expect([source.vectors, source.note]).toEqual([vectors, `these vectors are left out: ${note}`]);
    expect(await textsOf(source)).toEqual([`{"_id":"x","t":"y",${text}}`]);
    expect(service.requests[0]?.headers.authorization).toBe(`Basic ${btoa(key)}`);
  }
});

test('one of several vectors is taken, and the others are told', async () => {
  service = await serviceOf('qdrant');
  const params = '{"small":{"size":2,"distance":"Cosine"},"large":{"size":3,"distance":"Euclid"}}';
  const declared = `{"result":{"config":{"params":{"vectors":${params}}}}}`;
  const points =
    '{"result":{"points":[{"id":"a","payload":null,"vector":{"small":[1,2],"large":[1,2,3]}},{"id":"b","payload":{"large":1},"vector":{"large":[1,2,3]}}],"next_page_offset":null}}';
  for (const [named, field, note] of [
    [undefined, 'small', 'these vectors are left out: large'],
    ['large', 'large', 'these vectors are left out: small'],
  ] as const) {
    service.requests.length = 0;
    service.instead.set(1, declared).set(2, points);
    const remote = await openRemote({ name: 'qdrant', url: `${service.url}/x`, key: undefined, vector: named });
    const source = new RemoteDocuments(remote, true, undefined);
    expect([source.vectors?.field, source.note]).toEqual([field, note]);
    const items = [];
    for await (const item of source.items(0)) items.push(item);
    expect(items.map(({ problem }) => problem)).toEqual([
      undefined,
      named === undefined ? undefined : "The field 'large' is called as the vector is",
    ]);
  }
});

test('a field _id that is not the id is kept, and told', async () => {
  service = await serviceOf('qdrant');
  const payloads = ['{"_id":9007199254740993,"t":"x"}', '{"_id":"b"}', '{"_id":3}', '{"_id":"z","own_id":"y"}', 'null'];
  const points = payloads.map((payload, at) => `{"id":${['"a"', '"b"', 3, '"d"', '"e"'][at]},"payload":${payload}}`);
  service.instead.set(2, `{"result":{"points":[${points}],"next_page_offset":null}}`);
  const source = await open('qdrant');
  expect(source.note).toBe(undefined);
  const items = [];
  for await (const item of source.items(0)) items.push(item);
  expect(items.map(({ text, problem }) => problem ?? text)).toEqual([
    '{"_id":"a","t":"x","own_id":9007199254740993}',
    '{"_id":"b"}',
    '{"_id":"3"}',
    "The field '_id' becomes 'own_id', which is there",
    '{"_id":"e"}',
  ]);
  expect(source.note).toBe('the field _id of documents, which is not their id, becomes own_id');
});

const mapping = (properties: string) => `{"i":{"mappings":{"properties":${properties}}}}`;

/** Elasticsearch as it comes: it sorts by no ids, and leaves vectors out that are not asked for. */
const elasticsearch: Answer = (path, _query, { pit, sort, search_after: after, size, _source } = {}) => {
  if (path === '/products/_mapping') {
    return mapping('{"v":{"type":"dense_vector","dims":1,"similarity":"l2_norm"}}');
  }
  if (path === '/products/_pit') return '{"id":"p0"}';
  if (path !== '/_search' || sort?.[0]?._shard_doc !== 'asc' || !/^p\d+$/.test(pit?.id)) return undefined;
  const from = after === undefined ? 0 : after[0] + 1;
  const vector = _source?.exclude_vectors === false ? ',"v":[1]' : '';
  const hits = Array.from({ length: Math.max(Math.min(size, COUNT - from), 0) }, (_, at) => from + at).map(
    (at) => `{"_id":"x${at}","_source":{"t":${at}${vector}},"sort":[${at}]}`,
  );
  return `{"pit_id":"p${from}","hits":{"hits":[${hits}]}}`;
};

test('an index that sorts by no ids is read at a point in time, with the vectors that it leaves out', async () => {
  service = await serviceOf('opensearch', elasticsearch);
  const source = await open('opensearch');
  const texts = Array.from({ length: COUNT }, (_, at) => `{"_id":"x${at}","t":${at},"v":{"vector":[1]}}`);
  expect(await textsOf(source, 0, 300)).toEqual(texts.slice(0, 300));
  const second = await open('opensearch', source.markOf(300));
  expect(await textsOf(second, 300)).toEqual(texts.slice(300));
  const third = await open('opensearch', source.markOf(300)?.replace('p0', 'gone'));
  await expect(textsOf(third, 300)).rejects.toMatchObject({
    exitCode: 7,
    message: expect.stringMatching(/: a new import begins anew$/),
  });
});

test('an index whose first documents lack the vectors is refused, unless texts are embedded anew', async () => {
  service = await serviceOf('opensearch', (path, query, body) =>
    path === '/products/_search' && body._source === undefined
      ? '{"hits":{"hits":[{"_id":"1","_source":{"t":"x"}}]}}'
      : path === '/products/_mapping'
        ? elasticsearch(path, query, body)
        : undefined,
  );
  await expect(open('opensearch')).rejects.toMatchObject({
    exitCode: 2,
    message: 'No document of the first page has the vectors v. --model embeds texts anew',
  });
  expect(await textsOf(await open('opensearch', undefined, false))).toEqual(['{"_id":"1","t":"x"}']);
});

test('named vectors of Weaviate that the first documents lack are refused', async () => {
  service = await serviceOf('weaviate');
  service.instead.set(1, '{"class":"Products","vectorConfig":{"a":{},"b":{}}}');
  service.instead.set(2, '{"objects":[{"id":"1","properties":{},"vectors":{"a":[1]}}]}');
  const remote = await openRemote({ name: 'weaviate', url: `${service.url}/products`, key: undefined, vector: 'b' });
  expect(() => new RemoteDocuments(remote, true, undefined)).toThrow(
    'No document of the first page has the vectors b.',
  );
});

describe.each(REMOTES)('vectors of %s', (name) => {
  test('missing there are refused, unless texts are embedded anew', async () => {
    service = await serviceOf(name);
    const own = name === 'meilisearch' ? 'default' : 'vector';
    const remote = await openRemote({ name, url: `${service.url}/products`, key: undefined, vector: 'vektor' });
    expect(() => new RemoteDocuments(remote, true, undefined)).toThrow(
      expect.objectContaining({
        exitCode: 2,
        message: `--from-vector names 'vektor': the collection has ${own}. --model embeds texts anew`,
      }),
    );
    expect(new RemoteDocuments(remote, false, undefined).vectors).toBe(undefined);
    const right = await openRemote({ name, url: `${service.url}/products`, key: undefined, vector: own });
    expect(new RemoteDocuments(right, true, undefined).vectors?.field).toBe(own);
  });
});

test.each<[name: (typeof REMOTES)[number], answer: string]>([
  ['opensearch', mapping('{"vector":{"type":"knn_vector","dimension":3,"space_type":"odd"}}')],
  ['qdrant', '{"result":{"config":{"params":{"vectors":{"size":3,"distance":"odd"}}}}}'],
  ['weaviate', '{"class":"Products","vectorIndexConfig":{"distance":"odd"}}'],
  ['chroma', '{"id":"0f0e","configuration_json":{"hnsw":{"space":"odd"}}}'],
])('vectors of %s in a metric that no index has are refused', async (name, answer) => {
  service = await serviceOf(name);
  service.instead.set(1, answer);
  await expect(open(name)).rejects.toMatchObject({
    exitCode: 2,
    message: expect.stringMatching(
      /^The vectors vector have the metric 'odd', .*: the collection has vector\. --model/,
    ),
  });
});

test('the address of a collection is that of its service with its name', () => {
  expect(collectionIn('http://127.0.0.1:6333/my%20products/')).toEqual({
    address: 'http://127.0.0.1:6333',
    collection: 'my products',
  });
  expect(collectionIn('https://host/way/to/products').address).toBe('https://host/way/to');
  const withKeys = ['http://user:word@host/x', 'http://user@host/x', 'http://:word@host/x'];
  for (const none of ['x', 'http://host', 'http://host/', 'ftp://host/x', 'http://host/%zz', ...withKeys]) {
    expect(() => collectionIn(none), none).toThrow(expect.objectContaining({ exitCode: 2 }));
  }
});
