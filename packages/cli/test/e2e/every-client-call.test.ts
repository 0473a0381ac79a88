import { execFile } from 'node:child_process';
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engineFlags, HEALTHS } from './engine-flags.js';
import { officialClient, pythonWith } from './python-environment.js';
import { emptyFolder, ServerProcess } from './server-process.js';

const SCRIPT = fileURLToPath(new URL('every_client_call.py', import.meta.url));

/** Documents that every add of the script sends. */
const ids = ['a', 'b', 'c', 'd/e ?#%'];
const taken = (...some: string[]) => some.map((id) => [id, 200]);

const data = emptyFolder('client-calls');
let server: ServerProcess;

beforeAll(async () => {
  server = await ServerProcess.start(['--data', data, ...engineFlags()]);
});
afterAll(async () => {
  await server?.end();
  rmSync(data, { recursive: true, force: true });
});

describe.each(['unstructured', 'structured'])(
  'every call of the official Python client, in an index that is %s',
  (kind) => {
    let seen: any;

    beforeAll(async () => {
      const { stdout } = await promisify(execFile)(pythonWith(officialClient), [SCRIPT, server.address, kind]);
      seen = JSON.parse(stdout);
    });

    test('was made, searches with each argument', () => {
      expect(seen.uncalled).toEqual([]);
      expect(seen.ungiven).toEqual([]);
    });

    test('creates indexes, with all settings, those of before and those read back', () => {
      expect(seen.created).toEqual({ acknowledged: true, index: kind });
      expect(seen.deprecated).toEqual({ acknowledged: true, index: `${kind}-old` });
      expect(seen.made_by_index).toEqual({ acknowledged: true, index: `${kind}-third` });
      expect(seen.settings).toMatchObject({
        type: kind,
        model: 'random/small',
        textPreprocessing: { splitLength: 3, splitOverlap: 1, splitMethod: 'sentence' },
        audioPreprocessing: { splitLength: 12, splitOverlap: 2 },
        videoPreprocessing: { splitLength: 15, splitOverlap: 1 },
        annParameters: { spaceType: 'angular', parameters: { efConstruction: 128, m: 8 } },
        textQueryPrefix: 'query: ',
        textChunkPrefix: 'passage: ',
      });
      expect(seen.settings_of_copy).toEqual(seen.settings);
      expect(seen.twice).toEqual([409, 'index_already_exists']);
      expect(seen.list).toEqual(expect.arrayContaining([kind, `${kind}-copy`, `${kind}-old`, `${kind}-third`]));
      expect(seen.missing_index).toEqual([404, 'index_not_found']);
      expect(seen.status).toBe('of the cloud only');
    });

    test('adds documents, whatever is given besides, at once and in batches', () => {
      expect(seen.added).toMatchObject({ errors: false, items: ids.map((_id) => ({ _id, status: 200 })) });
      expect(seen.added_with_all).toEqual(taken(...ids));
      expect(seen.added_with_old_headers).toEqual(taken(...ids));
      expect(seen.added_in_batches).toEqual([taken('a', 'b', 'c'), taken('d/e ?#%')]);
    });

    test('updates documents, at once and in batches', () => {
      expect(seen.updated).toEqual(taken('a'));
      expect(seen.updated_in_batches).toEqual([taken('b'), taken('c')]);
    });

    test('reads documents back', () => {
      const counts = kind === 'structured' ? { counts: { seen: 3 } } : { 'counts.seen': 3 };
      expect(seen.document).toMatchObject({
        ...{ _id: 'a', title: 'red shoe', part: 'a sole', year: 2000, price: 1.5, sold: false, own: 'own words' },
        tags: expect.toSatisfy((tags: string[]) => tags.toSorted().join() === 'old,red'),
        ...counts,
      });
      expect(seen.facets).toEqual(['own', 'title', 'whole']);
      expect(seen.own_vector).toEqual([true]);
      expect(seen.documents).toEqual([
        ['a', true, true],
        ['z', false, false],
      ]);
      expect(seen.documents_without).toEqual([true]);
      expect(seen.stats).toBe(4);
    });

    test('searches, recommends and embeds', () => {
      expect(seen).toMatchObject({
        tensor: expect.toSatisfy((hits: string[]) => hits.length === 2, 'two hits'),
        ...{ exact: Array(4).fill(false), highlights: [true, false], hybrid: 4, own_query: ['a'], context: 3 },
        lexical: expect.toSatisfy((hits: string[]) => hits.toSorted().join() === 'a,b', 'a and b'),
        ...{ recommended: ['c'], recommended_from_list: 3, recommended_by_year: ['d/e ?#%', 'c', 'b'] },
        by_year: Array(3).fill(['d/e ?#%', 'c', 'b', 'a']),
        by_entry: ['a'],
        ordered: kind === 'structured' ? [400, 'bad_request'] : [['a', 'b', 'c', 'd/e ?#%'], 4, 3, 3],
        ...{ embedded: [1, 2, 1], embedded_with_headers: 1, embedded_with_old_headers: 1 },
      });
      const year = { sum: 8009, avg: 2002.25, min: 2000, max: 2005, count: 4 };
      const tags = { new: { count: 1 }, old: { count: 1 }, red: { count: 1 } };
      expect(seen.counted).toEqual([1, 4, { tags, year }]);
      expect(seen.dated).toEqual({ year: { '1970-01-01T00:00Z': { count: 4 } } });
      expect(seen.collapsed).toEqual(kind === 'structured' ? [400, 'bad_request'] : 2);
      expect(seen.reranked).toEqual([
        [400, 'bad_request'],
        [400, 'bad_request'],
      ]);
      expect(seen.boosted).toEqual([3, 3, 3]);
      expect(seen.bulk[0]).toBe(404);
    });

    test('asks about the machine', () => {
      expect(seen).toMatchObject({ version: '2.26.0', ejected: 'success', telemetry: [true, true] });
      expect(HEALTHS).toContain(seen.health);
      expect(seen.cpu).toEqual([
        'cpu_usage_percent',
        'http_threads',
        'memory_used_gb',
        'memory_used_percent',
        'process_cpu_percent',
        'requests',
        'searches',
      ]);
      expect(seen.cuda).toEqual([400, 'hardware_compatability_error']);
      expect(seen.models).toContain('random/small');
    });

    test('deletes documents and indexes', () => {
      expect(seen.deleted).toEqual({ receivedDocumentIds: 2, deletedDocuments: 1 });
      expect(seen.deleted_document).toEqual([404, 'document_not_found']);
      expect(seen.deleted_index).toEqual({ acknowledged: true });
      expect([seen.deleted_old, seen.deleted_third, seen.dropped]).toEqual([true, true, true]);
      expect(seen.deleted_twice).toBe('index_not_found');
    });
  },
);
