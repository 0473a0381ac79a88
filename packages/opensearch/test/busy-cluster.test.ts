import { describe, expect, it, onTestFinished } from 'vitest';
import { addOptions, EMBEDDED, itemsOf, toJson } from '../../engine/conformance/fixtures.js';
import { OpenSearchEngine } from '../src/index.js';
import { indexBody } from '../src/mapping.js';
import { definition } from './fixtures.js';
import { merge, node } from './loopback-node.js';

type Item = Readonly<Record<string, unknown>>;

const created: Item = { status: 201, result: 'created' };
const refused = (status: number, type: string): Item => ({ status, error: { type, reason: 'told by the test' } });
const busy = refused(429, 'opensearch_rejected_execution_exception');

/**
 * Adds documents to an index of a node that answers to bulk bodies with these items, one list after the other. Gives
 * the answer, and the ids of each body.
 * @param keepsFields tells whether its mapping has the fields that it is given
 */
async function added(count: number, answers: readonly (readonly Item[])[], keepsFields = true) {
  const { mappings = {} } = indexBody('a', 'id-1', definition, 'pelorus-a', { shards: 1, replicas: 0 });
  const bodies: string[][] = [];
  const url = await node((request, response) => {
    let body = '';
    request.on('data', (piece) => {
      body += piece;
    });
    request.on('end', () => {
      const isBulk = request.url?.startsWith('/pelorus-a/_bulk') === true;
      if (request.method !== 'GET' && request.url?.startsWith('/pelorus-a/_mapping') && keepsFields)
        merge(mappings, JSON.parse(body));
      const items = isBulk ? (answers[bodies.length] ?? []).map((index) => ({ index })) : [];
      if (isBulk) bodies.push(Array.from(body.matchAll(/"_id":"i(.*?)"/g), ([, id]) => id ?? ''));
      const answer = request.url === '/' ? {} : isBulk ? { items } : { 'pelorus-a.v2.1': { mappings } };
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(answer));
    });
  });
  const engine = await OpenSearchEngine.open({ nodes: [url] });
  onTestFinished(() => engine.close());
  const documents = Array.from({ length: count }, (_, at) => ({ _id: `${at}`, price: at }));
  const batch = await engine.prepareAdd('a', toJson({ documents }));
  await batch.prepare(addOptions);
  return { response: batch.apply(new Float32Array(0), EMBEDDED), bodies };
}

describe('a busy cluster', () => {
  it('gets again what its queue refused, and nothing else', async () => {
    const { response, bodies } = await added(3, [[created, busy, created], [busy], [created]]);
    expect(await response).toMatchObject({ success: 3, failure: 0, error: 0 });
    expect(bodies).toEqual([['0', '1', '2'], ['1'], ['1']]);
  });

  it('gets again what a node refused that has no shard of the index yet', async () => {
    const absent = refused(404, 'index_not_found_exception');
    const { response, bodies } = await added(2, [[created, absent], [absent], [created]]);
    expect(await response).toMatchObject({ success: 2, failure: 0, error: 0 });
    expect(bodies).toEqual([['0', '1'], ['1'], ['1']]);
  });

  it('refuses a document by itself for any other reason', async () => {
    const { response, bodies } = await added(3, [
      [refused(400, 'mapper_parsing_exception'), created, refused(503, 'unavailable_shards_exception')],
    ]);
    const answer = await response;
    expect(answer).toMatchObject({ success: 1, failure: 1, error: 1 });
    expect(itemsOf(answer).map(({ status, code }) => [status, code])).toEqual([
      [400, 'bad_request'],
      [200, undefined],
      [503, 'service_unavailable'],
    ]);
    expect(bodies).toHaveLength(1);
  });

  it.each([
    [429, 'cluster_block_exception', 'insufficient_storage'],
    [403, 'cluster_block_exception', 'insufficient_storage'],
  ])('fails the whole write by %i of %s', async (status, type, code) => {
    const { response, bodies } = await added(2, [[created, refused(status, type)]]);
    await expect(response).rejects.toMatchObject({ code });
    expect(bodies).toHaveLength(1);
  });

  it('ends a write where fields are taken and are not there afterwards', async () => {
    const { response, bodies } = await added(1, [[created]], false);
    await expect(response).rejects.toMatchObject({ code: 'backend_data_parsing_error' });
    expect(bodies).toEqual([]);
  });
});
