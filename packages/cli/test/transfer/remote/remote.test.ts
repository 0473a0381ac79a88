import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { REMOTES } from '../../../src/transfer/remote/names.js';
import { offsetPages } from '../../../src/transfer/remote/offset-pages.js';
import { collectionIn, openRemote } from '../../../src/transfer/remote/open-remote.js';
import { RemoteDocuments } from '../../../src/transfer/remote/remote-documents.js';
import { oneByOne } from '../one-by-one.js';
import { type Answer, COUNT, exported, imported, type Service, serviceOf } from './services.js';

let service: Service;
afterEach(() => service?.end());

const SPACES = {
  opensearch: 'dotproduct',
  qdrant: 'dotproduct',
  typesense: 'dotproduct',
  meilisearch: 'angular',
  weaviate: 'euclidean',
  chroma: 'angular',
};
const KEYS = {
  opensearch: ['authorization', 'ApiKey k'],
  qdrant: ['api-key', 'k'],
  typesense: ['x-typesense-api-key', 'k'],
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
  for await (const { text, place, problem } of oneByOne(source.items(skipped))) {
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
    for await (const item of oneByOne(source.items(0))) items.push(item);
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
  for await (const item of oneByOne(source.items(0))) items.push(item);
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
const elasticsearch: Answer = (path, _query, { pit, sort, search_after: after, size, query, _source } = {}) => {
  if (path === '/products/_mapping') {
    return mapping('{"v":{"type":"dense_vector","dims":1,"similarity":"l2_norm"}}');
  }
  if (path === '/products/_pit') return '{"id":"p0"}';
  const vector = _source?.exclude_vectors === false ? ',"v":[1]' : '';
  if (path === '/products/_search' && query?.exists.field === 'v') {
    return `{"hits":{"hits":[{"_id":"x0","_source":{"t":0${vector}}}]}}`;
  }
  if (path !== '/_search' || sort?.[0]?._shard_doc !== 'asc' || !/^p\d+$/.test(pit?.id)) return undefined;
  const from = after === undefined ? 0 : after[0] + 1;
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

test('an index that does not show its vectors is refused, unless texts are embedded anew', async () => {
  const hit = '{"hits":{"hits":[{"_id":"1","_source":{"t":"x"}}]}}';
  service = await serviceOf('opensearch', (path, query, body) =>
    path === '/products/_search' && body._source === undefined
      ? hit
      : path === '/products/_mapping'
        ? elasticsearch(path, query, body)
        : undefined,
  );
  await expect(open('opensearch')).rejects.toMatchObject({
    exitCode: 2,
    message: 'The index does not show the vectors v of its documents. --model embeds texts anew',
  });
  expect(await textsOf(await open('opensearch', undefined, false))).toEqual(['{"_id":"1","t":"x"}']);
});

test.each([
  ['has some', '{"_id":"2","_source":{"v":[1]}}'],
  ['has none', ''],
])('vectors that no first document has are taken where a later one %s', async (_, later) => {
  service = await serviceOf('opensearch', (path, query, body) =>
    path === '/products/_search'
      ? `{"hits":{"hits":[${body.query === undefined ? '{"_id":"1","_source":{"t":"x"}}' : later}]}}`
      : elasticsearch(path, query, body),
  );
  expect((await open('opensearch')).vectors).toEqual({ field: 'v', dimensions: 1, spaceType: 'euclidean' });
});

/** A collection of Weaviate of 1,300 documents, the last ones of which alone have vectors. */
const late =
  (first: number): Answer =>
  (path, query) => {
    if (path === '/v1/schema/products') return '{"class":"Products","vectorConfig":{"a":{},"b":{}}}';
    const from = query.get('after')?.startsWith('0000') ? 0 : Number(query.get('after')) + 1;
    const numbers = Array.from({ length: Math.min(Number(query.get('limit')), 1300 - from) }, (_, at) => from + at);
    return `{"objects":[${numbers.map((at) => `{"id":"${at}","vectors":${at < first ? '{}' : '{"a":[1,2]}'}}`)}]}`;
  };
const VECTORS = { field: 'a', dimensions: 2, spaceType: 'angular' };

test('vectors that no document of the first page has are found', async () => {
  service = await serviceOf('weaviate', late(950));
  expect((await open('weaviate')).vectors).toEqual(VECTORS);
});

test('vectors of later documents are taken where they are named, and else refuse their documents', async () => {
  service = await serviceOf('weaviate', late(1290));
  const place = { name: 'weaviate', url: `${service.url}/products`, key: undefined } as const;
  expect((await openRemote({ ...place, vector: 'a' })).vectors).toEqual(VECTORS);
  const items = [];
  for await (const item of oneByOne((await open('weaviate')).items(0))) items.push(item);
  expect(items.filter(({ problem }) => problem?.includes('--from-vector')).map(({ place: at }) => at)).toEqual(
    Array.from({ length: 10 }, (_, at) => 1291 + at),
  );
  const lost = await openRemote({ ...place, vector: 'b' });
  expect(() => new RemoteDocuments(lost, true, undefined)).toThrow('No document has the vectors b.');
});

test('metadata of Chroma that is called as the text is kept, and told', async () => {
  service = await serviceOf('chroma');
  const metadatas = '[{"document":"m"},{"document":"m"},{"document":"m","own_document":"n"}]';
  const records = `{"ids":["a","b","c"],"documents":["t",null,"t"],"metadatas":${metadatas},"embeddings":null}`;
  for (const request of [2, 3]) service.instead.set(request, records);
  const source = await open('chroma');
  const items = [];
  for await (const item of oneByOne(source.items(0))) items.push(item);
  expect(items.map(({ text, problem }) => problem ?? text)).toEqual([
    '{"_id":"a","document":"t","own_document":"m"}',
    '{"_id":"b","own_document":"m"}',
    "The field 'document' becomes 'own_document', which is there",
  ]);
  expect(source.note).toBe('the field document of metadata, which is not the text, becomes own_document');
});

test.each(['chroma', 'meilisearch'] as const)(
  '%s loses no document where others are deleted meanwhile',
  async (name) => {
    let there = Array.from({ length: COUNT }, (_, at) => at);
    const page = (offset: number, limit: number) => there.slice(offset, offset + limit);
    service = await serviceOf(name, (path, query, body) => {
      if (path === '/indexes/products') return '{"primaryKey":"sku"}';
      if (path === '/indexes/products/documents') {
        const those = page(Number(query.get('offset')), Number(query.get('limit')));
        return `{"results":[${those.map((at) => `{"sku":${at}}`)}]}`;
      }
      return path.endsWith('/get')
        ? `{"ids":${JSON.stringify(page(body.offset, body.limit).map(String))}}`
        : '{"id":"0f0e"}';
    });
    const source = await open(name);
    const ids: string[] = [];
    for await (const { text } of oneByOne(source.items(0))) {
      ids.push(JSON.parse(text)._id);
      // Among them the last document of a page.
      if (ids.length === 10) there = there.filter((at) => at % 3 > 0);
      if (ids.length === 400) there = there.filter((at) => at % 2 > 0);
    }
    expect(there.filter((at) => !ids.includes(String(at)))).toEqual([]);
    expect(ids.length).toBeLessThanOrEqual(COUNT + 260);
  },
);

test('an import that goes on loses no document where others of its page were deleted', async () => {
  let there = Array.from({ length: 200 }, (_, at) => at);
  service = await serviceOf('qdrant', (path) =>
    path === '/collections/products'
      ? '{"result":{"config":{"params":{"vectors":{"size":1,"distance":"Dot"}}}}}'
      : `{"result":{"points":[${there.map((at) => `{"id":${at}}`)}],"next_page_offset":null}}`,
  );
  const first = await open('qdrant');
  await textsOf(first, 0, 100);
  const mark = first.markOf(100);
  const idsAfter = async () => {
    const ids: number[] = [];
    for await (const { text } of oneByOne((await open('qdrant', mark)).items(100)))
      ids.push(Number(JSON.parse(text)._id));
    return ids;
  };
  there = there.filter((at) => at >= 50);
  expect(await idsAfter()).toEqual(there.filter((at) => at >= 100));
  there = there.filter((at) => at !== 99);
  expect(await idsAfter()).toEqual(there);
});

test('a collection whose order never stays is given up', async () => {
  let asked = 0;
  const page = offsetPages(async (_offset, limit) => {
    asked += 1;
    return Array.from({ length: limit }, (_, at) => ({ id: `${asked} ${at}`, fields: {} }));
  }, 2);
  const readAll = async () => {
    for (let place: unknown; asked < 1000; ) place = (await page(place)).next;
  };
  await expect(readAll()).rejects.toThrow('changes while it is read, so that its end is never reached');
});

test('an export of Typesense that is cut is read on behind its last document', async () => {
  const lines = (count: number) => Array.from({ length: count }, (_, at) => exported(at)).join('\n');
  let asked = 0;
  const server = createServer((request, response) => {
    if (request.url === '/collections/products') {
      response.end('{"fields":[]}');
      return;
    }
    asked += 1;
    if (asked > 3) response.end(lines(COUNT));
    else response.write(lines(asked * 100), () => response.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/products`;
  try {
    const remote = await openRemote({ name: 'typesense', url, key: undefined, vector: undefined });
    const ids = (await textsOf(new RemoteDocuments(remote, true, undefined))).map((text) => JSON.parse(text)._id);
    expect(ids).toEqual(Array.from({ length: COUNT }, (_, at) => String(at)));
    expect(asked).toBe(4);
  } finally {
    server.close().closeAllConnections();
  }
});

test('an export of Typesense that is always cut is given up', async () => {
  const server = createServer((request, response) => {
    if (request.url === '/collections/products') response.end('{"fields":[]}');
    else response.write(exported(0), () => response.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/products`;
  try {
    const remote = await openRemote({ name: 'typesense', url, key: undefined, vector: undefined });
    const source = new RemoteDocuments(remote, true, undefined);
    await expect(textsOf(source)).rejects.toThrow(/^The export of typesense broke off 5 times in a row: \w/);
  } finally {
    server.close().closeAllConnections();
  }
});

test('an export of Typesense begins anew where its last document is gone', async () => {
  service = await serviceOf('typesense');
  const source = await open('typesense');
  await textsOf(source, 0, 530);
  const mark = source.markOf(530)?.replace('511', 'gone');
  const ids: string[] = [];
  for await (const { text } of oneByOne((await open('typesense', mark)).items(530))) ids.push(JSON.parse(text)._id);
  expect(new Set(ids).size).toBe(COUNT);
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
  ['typesense', '{"fields":[{"name":"vector","type":"float[]","num_dim":3,"vec_dist":"odd"}]}'],
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
