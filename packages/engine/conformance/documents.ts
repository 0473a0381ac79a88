import { beforeEach, describe, expect, test } from 'vitest';
import { randomVectors, type StorageEngine } from '../src/index.js';
import {
  add,
  addOptions,
  definition,
  dimensions,
  EMBEDDED,
  embed,
  fromJson,
  hitsOf,
  idsOf,
  itemsOf,
  openFor,
  rowsOf,
  tensorPlan,
  textsOf,
  toJson,
} from './fixtures.js';
import { type EngineSource, type Part, testOf } from './suite.js';

/** Adding, reading and deleting. */
export function documentPromises(source: EngineSource): void {
  let engine: StorageEngine;

  beforeEach(async () => {
    engine = await openFor(source);
    await engine.createIndex('a', definition);
  });

  const needing = (part: Part) => testOf(source, part);

  const get = async (documentId: string, exposeFacets = false) => {
    const body = await engine.getDocument('a', { documentId, exposeFacets, within: null });
    return body && fromJson<Record<string, unknown>>(body);
  };

  describe('adding', () => {
    test('an add request is taken apart: its documents counted, the rest as it came', async () => {
      const body = toJson({ documents: [{ _id: '1' }, { _id: '2' }], tensorFields: ['title'], note: 'kept' });
      const batch = await engine.prepareAdd('a', body);
      expect(batch.count).toBe(2);
      expect(fromJson(batch.envelope)).toEqual({ documents: [], tensorFields: ['title'], note: 'kept' });
    });

    test('the texts to embed are the chunks of tensor fields, prefixed, each once', async () => {
      const documents = [
        { _id: '1', title: 'red', body: 'One sentence. Another sentence.', other: 'blue' },
        { _id: '2', title: 'red', body: 'Another sentence.' },
      ];
      const sentences = ['Another sentence.', 'One sentence.'];
      const plain = await add(engine, 'a', documents);
      expect((await textsOf(plain.rows, [...sentences, 'red'])).toSorted()).toEqual([...sentences, 'red']);
      const prefixed = await add(engine, 'a', documents, { textChunkPrefix: 'p: ', tensorFields: ['title'] });
      expect(prefixed.rows).toEqual(await embed('p: red'));
    });

    test('texts of every script are cut at their own full stops, but for those of indexes made before', async () => {
      const documents = [{ _id: '1', title: '狗追着球跑。猫在睡觉！यह एक है। One. Two.' }];
      const sentences = ['狗追着球跑。', '猫在睡觉！', 'यह एक है।', 'One.', 'Two.'];
      const { rows } = await add(engine, 'a', documents);
      expect(await textsOf(rows, sentences)).toEqual(sentences);
      const { chunksEveryScript, ...before } = definition.resolved;
      for (const [name, resolved] of Object.entries({ b: before, c: { ...before, chunksEveryScript: false } })) {
        await engine.createIndex(name, { ...definition, resolved: resolved as typeof definition.resolved });
        const english = ['狗追着球跑。猫在睡觉！यह एक है। One.', 'Two.'];
        expect(await textsOf((await add(engine, name, documents)).rows, english)).toEqual(english);
      }
    });

    needing('searches')('a chunk that was embedded in parts has those for chunks', async () => {
      const batch = await engine.prepareAdd(
        'a',
        toJson({ documents: [{ _id: '1', title: 'red green', body: 'blue' }] }),
      );
      await batch.prepare(addOptions);
      const parts = [{ row: 0, chunks: ['red', 'green'] }];
      await batch.apply(await rowsOf(['red', 'green', 'blue']), { failures: [], parts });
      const facets = (await get('1', true))?._tensor_facets as { title?: string; body?: string }[];
      expect(facets.map(({ title, body }) => title ?? body)).toEqual(['red', 'green', 'blue']);
      for (const text of ['red', 'green', 'blue']) {
        const [hit] = await hitsOf(engine, 'a', { ...tensorPlan, showHighlights: true }, await embed(text));
        expect(Object.values(hit?._highlights?.[0] ?? {})).toEqual([text]);
      }
    });

    test('there is an item for each document, in order, and a bad one is only an item', async () => {
      const documents = [
        { _id: '1', title: 'red' },
        5,
        { _id: 7, title: 'green' },
        { _id: '2', title: { not: ['flat'] } },
        { _id: '3', title: 'blue' },
      ];
      const { response, rows } = await add(engine, 'a', documents);
      expect((await textsOf(rows, ['blue', 'red'])).toSorted()).toEqual(['blue', 'red']);
      const items = itemsOf(response);
      expect(items.map(({ status }) => status)).toEqual([200, 400, 400, 400, 200]);
      expect([items[0]?._id, items[4]?._id]).toEqual(['1', '3']);
      for (const item of items.slice(1, 4)) expect(item.code).toEqual(expect.any(String));
      expect(response).toMatchObject({ success: 2, failure: 3, error: 0 });
      expect(fromJson(response.body)).toMatchObject({ errors: true });
      expect(await get('2')).toBeNull();
    });

    test('a document beyond the size that is allowed is refused by itself', async () => {
      const documents = [
        { _id: '1', title: 'a'.repeat(1000) },
        { _id: '2', title: 'b' },
      ];
      const { response } = await add(engine, 'a', documents, { maxDocBytes: 500 });
      expect(itemsOf(response).map(({ status }) => status)).toEqual([400, 200]);
    });

    test('the last of several documents with one id counts', async () => {
      const { response } = await add(engine, 'a', [
        { _id: '1', title: 'red' },
        { _id: '2', title: 'green' },
        { _id: '1', title: 'blue' },
      ]);
      expect(itemsOf(response).map(({ _id }) => _id)).toEqual(['2', '1']);
      expect(await get('1')).toMatchObject({ title: 'blue' });
      expect(await engine.stats('a')).toMatchObject({ numberOfDocuments: 2 });
    });

    test('a document without an id gets one', async () => {
      const { response } = await add(engine, 'a', [{ title: 'red' }]);
      const id = itemsOf(response)[0]?._id ?? '';
      expect(id).not.toBe('');
      expect(await get(id)).toEqual({ _id: id, title: 'red' });
    });

    test('a document takes the place of the one with its id, with all its fields', async () => {
      await add(engine, 'a', [{ _id: '1', title: 'red', price: 1 }]);
      await add(engine, 'a', [{ _id: '1', title: 'blue' }]);
      expect(await get('1')).toEqual({ _id: '1', title: 'blue' });
      expect(await engine.stats('a')).toMatchObject({ numberOfDocuments: 1 });
    });

    test('a text that did not change keeps its vectors where that is asked for', async () => {
      await add(engine, 'a', [{ _id: '1', title: 'red', price: 1 }]);
      const again = [
        { _id: '1', title: 'red', price: 2 },
        { _id: '2', title: 'green' },
      ];
      const { rows } = await add(engine, 'a', again, { useExistingTensors: true });
      expect(rows).toEqual(await embed('green'));
      expect(await get('1', true)).toMatchObject({ price: 2, _tensor_facets: [{ title: 'red' }] });
    });

    test('own vectors need no text', async () => {
      const vector = Array.from(await embed('anything'));
      const mappings = { v: { type: 'custom_vector' } };
      const documents = [{ _id: '1', v: { vector, content: 'shown' } }];
      const { rows, response } = await add(engine, 'a', documents, { tensorFields: ['v'], mappings });
      expect(rows).toHaveLength(0);
      expect(response).toMatchObject({ success: 1 });
      expect(await engine.stats('a')).toMatchObject({ numberOfVectors: 1 });
    });

    needing('searches')(
      'a document that needs an input without a vector is refused with the reason, and no other is',
      async () => {
        await add(engine, 'a', [{ _id: '2', title: 'before' }]);
        const documents = [
          { _id: '1', title: 'red' },
          { _id: '2', title: 'red', body: 'Green. Blue.' },
          { _id: '3', body: 'Blue.' },
          { _id: '4', title: 5 },
          { _id: '5', title: 'red', note: 'Blue.' },
        ];
        const batch = await engine.prepareAdd('a', toJson({ documents }));
        const rows = await randomVectors(await batch.prepare(addOptions), dimensions);
        const row = (await textsOf(rows, ['Blue.'])).indexOf('Blue.');
        const response = await batch.apply(rows.fill(0, row * dimensions, (row + 1) * dimensions), {
          failures: [{ row, message: 'it is too blue' }],
          parts: [],
        });

        expect(response).toMatchObject({ success: 2, failure: 3, error: 0 });
        const items = itemsOf(response);
        expect(items.map(({ _id, status }) => [_id, status])).toEqual([
          ['1', 200],
          ['2', 400],
          ['3', 400],
          ['4', 400],
          ['5', 200],
        ]);
        for (const item of [items[1], items[2]]) {
          expect(item).toMatchObject({ code: 'invalid_argument', message: expect.stringContaining('it is too blue') });
        }
        expect(await get('2')).toEqual({ _id: '2', title: 'before' });
        expect(await get('3')).toBeNull();
        const hits = await hitsOf(engine, 'a', tensorPlan, await embed('red'));
        expect(idsOf(hits).toSorted()).toEqual(['1', '2', '5']);
      },
    );

    test('batches that are applied at the same time are all there', async () => {
      const ids = Array.from({ length: 20 }, (_, i) => `${i}`);
      await Promise.all(ids.map((_id) => add(engine, 'a', [{ _id, title: _id }])));
      const { success } = await engine.getDocuments('a', {
        documentIds: ids,
        exposeFacets: false,
        exposeTensors: false,
        within: null,
      });
      expect(success).toBe(ids.length);
    });

    test('inputs may be reused as soon as a call has returned', async () => {
      const body = toJson({ documents: [{ _id: '1', title: 'red' }] });
      const preparing = engine.prepareAdd('a', body);
      body.fill(0);
      const batch = await preparing;
      await batch.prepare(addOptions);
      const rows = await rowsOf(['red']);
      const applying = batch.apply(rows, EMBEDDED);
      rows.fill(Number.NaN);
      expect(await applying).toMatchObject({ success: 1 });
    });
  });

  describe('reading', () => {
    test('a document comes back with every digit of its numbers', async () => {
      const document = '{"_id":"1","long":9007199254740993,"price":0.1}';
      const batch = await engine.prepareAdd('a', Buffer.from(`{"documents":[${document}]}`));
      await batch.prepare(addOptions);
      await batch.apply(new Float32Array(0), EMBEDDED);
      const body = await engine.getDocument('a', { documentId: '1', exposeFacets: false, within: null });
      expect(body?.toString('utf8')).toBe(document);
    });

    test('with its vectors where that is asked for', async () => {
      await add(engine, 'a', [{ _id: '1', title: 'red' }]);
      expect(await get('1')).toEqual({ _id: '1', title: 'red' });
      const { _tensor_facets: facets } = (await get('1', true)) as { _tensor_facets: Record<string, unknown>[] };
      expect(facets).toHaveLength(1);
      expect(facets[0]?.title).toBe('red');
      expect(Float32Array.from(facets[0]?._embedding as number[])).toEqual(await embed('red'));
    });

    test('there is none under an id that was never given', async () => {
      expect(await get('1')).toBeNull();
      expect(await get('')).toBeNull();
    });

    test('several come in the order of the request, and a missing one is an item', async () => {
      await add(engine, 'a', [
        { _id: '1', title: 'red' },
        { _id: '2', title: 'green' },
      ]);
      const response = await engine.getDocuments('a', {
        documentIds: ['2', 'x', '1', '2', ''],
        exposeFacets: false,
        exposeTensors: false,
        within: null,
      });
      expect(response).toMatchObject({ success: 3, failure: 2, error: 0 });
      expect(fromJson(response.body)).toMatchObject({
        errors: true,
        results: [
          { _found: true, _id: '2', title: 'green' },
          { _found: false, _id: 'x', status: 404 },
          { _found: true, _id: '1', title: 'red' },
          { _found: true, _id: '2', title: 'green' },
          { _id: '', status: 400 },
        ],
      });
    });
  });

  describe('deleting', () => {
    test('a deletion is seen by every read that follows, and counts what was there', async () => {
      await add(engine, 'a', [
        { _id: '1', title: 'red' },
        { _id: '2', title: 'green' },
      ]);
      const response = await engine.deleteDocuments('a', { documentIds: ['1', 'x'], within: null });
      expect(response).toMatchObject({ success: 1, failure: 1, error: 0 });
      expect(fromJson(response.body)).toMatchObject({
        items: [
          { _id: '1', status: 200, result: 'deleted' },
          { _id: 'x', status: 404, result: 'not_found' },
        ],
        details: { receivedDocumentIds: 2, deletedDocuments: 1 },
      });
      expect(await get('1')).toBeNull();
      expect(await get('2')).not.toBeNull();
      expect(await engine.stats('a')).toMatchObject({ numberOfDocuments: 1 });
    });

    test('a document may come back', async () => {
      await add(engine, 'a', [{ _id: '1', title: 'red' }]);
      await engine.deleteDocuments('a', { documentIds: ['1'], within: null });
      await add(engine, 'a', [{ _id: '1', title: 'blue' }]);
      expect(await get('1')).toEqual({ _id: '1', title: 'blue' });
    });
  });
}
