import { describe, expect, it } from 'vitest';
import { add, addOptions, definition, EMBEDDED, fromJson, itemsOf, toJson } from '../../engine/conformance/fixtures.js';
import type { StoredDefinition } from '../../engine/src/index.js';
import { freshPrefix, hasNoCluster, openEngine } from './cluster.js';

const german = { note: { type: 'text_field', language: 'de' } };
const english = { note: { type: 'text_field', language: 'en' } };

describe.skipIf(hasNoCluster)('writes to a cluster', () => {
  it('keep the language that the first document of any server has set for a field', async () => {
    const prefix = freshPrefix();
    const [engine, other] = [await openEngine(prefix), await openEngine(prefix)];
    await engine.createIndex('a', definition);
    await other.definition('a');
    const document = (_id: string) => [{ _id, note: 'Hunde' }];
    const { response } = await add(engine, 'a', document('1'), { mappings: german });
    expect(response.success).toBe(1);
    const refused = itemsOf((await add(other, 'a', document('2'), { mappings: english })).response);
    expect(refused).toMatchObject([{ _id: '2', status: 400, message: expect.stringContaining("from 'de' to 'en'") }]);
    expect((await add(other, 'a', document('2'))).response.success, 'nothing is asked for').toBe(1);
  });

  it('by several servers at once have one language for a field', async () => {
    const prefix = freshPrefix();
    const engines = await Promise.all([1, 2, 3, 4].map(() => openEngine(prefix)));
    await engines[0]?.createIndex('a', definition);
    const items = await Promise.all(
      engines.map(async (engine, at) => {
        const mappings = at % 2 === 0 ? german : english;
        return itemsOf((await add(engine, 'a', [{ _id: `${at}`, note: 'Hunde' }], { mappings })).response)[0];
      }),
    );
    expect(items.map((item) => item?.status).toSorted()).toEqual([200, 200, 400, 400]);
    expect(items[0]?.status).toBe(items[2]?.status);
  });

  it('count fields by the mapping, and refuse those beyond the limits', async () => {
    const engine = await openEngine(freshPrefix(), { limits: { lexicalFieldsMax: 2, tensorFieldsMax: 1 } });
    await engine.createIndex('a', definition);
    await add(engine, 'a', [{ _id: '1', title: 'red', note: 'blue' }]);
    const { response } = await add(engine, 'a', [
      { _id: '2', other: 'green' },
      { _id: '3', body: 'green' },
      { _id: '4', title: 'green' },
    ]);
    const items = itemsOf(response);
    expect(items.map(({ status }) => status)).toEqual([400, 400, 200]);
    expect(items[0]?.message).toContain('exceeds the limit of 2');
    const again = itemsOf((await add(engine, 'a', [{ _id: '2', other: 'green' }])).response);
    expect(
      again.map(({ status }) => status),
      'a refused document brings no field',
    ).toEqual([400]);
  });

  it('take as many tensor fields as the limits say', async () => {
    const engine = await openEngine();
    await engine.createIndex('a', definition);
    const tensorFields = Array.from({ length: 60 }, (_, at) => `t${at}`);
    const document = { _id: '1', ...Object.fromEntries(tensorFields.map((field) => [field, 'red'])) };
    const { response } = await add(engine, 'a', [document], { tensorFields });
    expect(itemsOf(response)).toMatchObject([{ _id: '1', status: 200 }]);
  });

  it('take ids of any length and spelling, and the longest words', async () => {
    const engine = await openEngine();
    await engine.createIndex('a', definition);
    const ids = ['é'.repeat(400), 'a/b c%20', 'e\u0301', '_'];
    const note = 'x'.repeat(40_000);
    const documents = ids.map((_id) => ({ _id, a_b: note, note: `${note} 手机`, tags: ['a', 'B'] }));
    expect((await add(engine, 'a', documents)).response.success).toBe(4);
    for (const document of documents) {
      const body = await engine.getDocument('a', { documentId: document._id, exposeFacets: false, within: null });
      expect(body && fromJson(body)).toEqual(document);
    }
    expect(
      await engine.getDocument('a', { documentId: 'é', exposeFacets: false, within: null }),
      'composed',
    ).not.toBeNull();
    const { success, failure } = await engine.deleteDocuments('a', {
      documentIds: [...ids, ids[0] ?? ''],
      within: null,
    });
    expect([success, failure], 'one id twice').toEqual([4, 1]);
  });

  it('tell new documents from others where that is asked for', async () => {
    const engine = await openEngine();
    await engine.createIndex('a', definition);
    await add(engine, 'a', [{ _id: '1', title: 'red' }]);
    const documents = [{ _id: '1', title: 'red' }, { _id: '2' }];
    const { response } = await add(engine, 'a', documents, { reportsCreation: true });
    expect(itemsOf(response)).toEqual([
      { _id: '1', status: 200, result: 'updated' },
      { _id: '2', status: 201, result: 'created' },
    ]);
  });

  it('into a structured index follow its fields', async () => {
    const engine = await openEngine();
    const structured = {
      ...definition,
      settings: {
        ...definition.settings,
        type: 'structured',
        allFields: [
          { name: 'title', type: 'text', features: ['lexical_search'] },
          { name: 'tags', type: 'array<text>', features: ['filter'] },
          { name: 'price', type: 'float', features: ['score_modifier'] },
        ],
        tensorFields: ['title'],
      },
    } as unknown as StoredDefinition;
    await engine.createIndex('a', structured);
    const documents = [
      { _id: '1', title: 'red', tags: ['a'], price: 1.5 },
      { _id: '2', title: 'red', unknown: 1 },
    ];
    const { response } = await add(engine, 'a', documents, { tensorFields: [] });
    expect(itemsOf(response).map(({ status }) => status)).toEqual([200, 400]);
    const body = await engine.getDocument('a', { documentId: '1', exposeFacets: true, within: null });
    expect(body && fromJson(body)).toMatchObject({ ...documents[0], _tensor_facets: [{ title: 'red' }] });
  });

  it('do not go into an index that took the place of theirs, however equal', async () => {
    const engine = await openEngine();
    await engine.createIndex('a', definition);
    await add(engine, 'a', [{ _id: '1', title: 'red' }]);
    const documents = [{ _id: '1', price: 2 }];
    const adding = await engine.prepareAdd('a', toJson({ documents }));
    const inputs = await adding.prepare(addOptions);
    const updating = await engine.prepareUpdate('a', toJson({ documents }));
    await engine.dropIndex('a');
    await engine.createIndex('a', definition);
    await add(engine, 'a', [{ _id: '1', title: 'another' }]);
    const gone = { code: 'index_not_found' };
    expect(inputs.count).toBe(0);
    await expect(adding.apply(new Float32Array(), EMBEDDED)).rejects.toMatchObject(gone);
    await expect(updating.apply({ maxDocBytes: null, within: null })).rejects.toMatchObject(gone);
    const body = await engine.getDocument('a', { documentId: '1', exposeFacets: false, within: null });
    expect(body && fromJson(body)).toEqual({ _id: '1', title: 'another' });
  });

  it('use the tensors of multimodal combinations again', async () => {
    const engine = await openEngine();
    await engine.createIndex('a', definition);
    const mappings = { mix: { type: 'multimodal_combination', weights: { title: 0.5, note: 0.5 } } };
    const options = { mappings, tensorFields: ['mix'] };
    const documents = [{ _id: '1', title: 'red', note: 'blue' }];
    const first = await add(engine, 'a', documents, options);
    expect(first.rows).toHaveLength(16);
    const facets = await engine.getDocument('a', { documentId: '1', exposeFacets: true, within: null });
    const again = await add(engine, 'a', [{ ...documents[0], price: 1 }], { ...options, useExistingTensors: true });
    expect(again.rows).toHaveLength(0);
    const after = await engine.getDocument('a', { documentId: '1', exposeFacets: true, within: null });
    const tensors = (body: Buffer | null) => body && fromJson<{ _tensor_facets: unknown }>(body)._tensor_facets;
    expect(tensors(after)).toEqual(tensors(facets));
  });
});
