import { describe, expect, it, onTestFinished } from 'vitest';
import { embed, tensorPlan } from '../../engine/conformance/fixtures.js';
import type { EngineOptions } from '../../engine/src/index.js';
import { OpenSearchEngine } from '../src/index.js';
import { indexBody } from '../src/mapping.js';
import { definition } from './fixtures.js';
import { node } from './loopback-node.js';

const query = await embed('a query');
const WHOLE = { timed_out: false, _shards: { failed: 0 }, hits: { hits: [] } };

/**
 * An engine over a node that has an index `a` and gives this answer to each search, null for none at all; or these, one
 * after the other.
 */
async function answering(answers: object | null, status = 200, limits: EngineOptions = {}): Promise<OpenSearchEngine> {
  const several = Array.isArray(answers) ? answers : [answers];
  let searches = 0;
  const { mappings } = indexBody('a', 'id-1', definition, 'pelorus-a', { shards: 1, replicas: 0 });
  const url = await node((request, response) => {
    const path = request.url?.split('?')[0];
    const isSearch = path === '/pelorus-a/_msearch';
    const answer = isSearch ? several[Math.min(searches++, several.length - 1)] : undefined;
    if (isSearch && answer === null) return;
    response.writeHead(isSearch ? status : 200, { 'content-type': 'application/json' });
    const body = isSearch ? answer : path === '/' ? {} : { 'pelorus-a.v2.1': { mappings } };
    response.end(JSON.stringify(body));
  });
  const engine = await OpenSearchEngine.open({ nodes: [url], limits });
  onTestFinished(() => engine.close());
  return engine;
}

const refused = (status: number, type: string, reason = 'told by the test') => ({
  responses: [{ status, error: { type: 'search_phase_execution_exception', root_cause: [{ type, reason }] } }],
});

/** The words of nodes with `script.allowed_types: none`, and with other contexts in `script.allowed_contexts`. */
const NO_SCRIPTS = 'cannot execute [inline] scripts';
const NO_FILTER = 'failed to create query: cannot execute scripts using [filter] context';

describe('a search that the cluster does not answer as a whole', () => {
  it.each<[string, object, string]>([
    ['is none where a shard failed', { responses: [{ ...WHOLE, _shards: { failed: 1 } }] }, 'service_unavailable'],
    ['ran out of time', { responses: [{ ...WHOLE, timed_out: true }] }, 'vector_store_timeout'],
    ['was refused by a full queue', refused(429, 'rejected_execution_exception'), 'too_many_requests'],
    ['had no memory at a node', refused(500, 'circuit_breaking_exception'), 'too_many_requests'],
    ['lost its node', refused(500, 'node_not_connected_exception'), 'service_unavailable'],
    ['has a shard on no node', refused(503, 'no_shard_available_action_exception'), 'service_unavailable'],
    ['has no shard at a node', refused(404, 'index_not_found_exception'), 'service_unavailable'],
    ['has too many clauses', refused(500, 'too_many_clauses', 'maxClauseCount is set to 1024'), 'invalid_argument'],
    ['may run no script', refused(400, 'illegal_argument_exception', NO_SCRIPTS), 'server_configuration_error'],
    ['may run none in a filter', refused(400, 'query_shard_exception', NO_FILTER), 'server_configuration_error'],
    ['met a bug of ours', refused(400, 'illegal_argument_exception'), 'internal'],
    ['has an answer for others', { responses: [] }, 'backend_data_parsing_error'],
    ['has an answer that is none', { took: 1 }, 'backend_data_parsing_error'],
  ])('%s', async (_about, answer, code) => {
    const engine = await answering(answer);
    await expect(engine.search('a', tensorPlan, query)).rejects.toMatchObject({ code });
  });

  it('goes on at another copy where a node went away amid it', async () => {
    const away = refused(500, 'node_not_connected_exception');
    const engine = await answering([
      away,
      { responses: [{ ...WHOLE, _shards: { failed: 1 } }] },
      { responses: [WHOLE] },
    ]);
    expect(JSON.parse((await engine.search('a', tensorPlan, query)).toString())).toEqual({ hits: [] });
  });

  it('ends at its deadline where the index is not told', async () => {
    const url = await node((request, response) => {
      if (request.url === '/') response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
    const engine = await OpenSearchEngine.open({ nodes: [url] });
    onTestFinished(() => engine.close());
    const late = { deadlineMs: performance.now() + 100, onEnd: () => undefined };
    await expect(engine.search('a', tensorPlan, query, late)).rejects.toMatchObject({ code: 'vector_store_timeout' });
  });

  it('was refused with the whole request', async () => {
    const error = { error: { type: 'circuit_breaking_exception', reason: 'told by the test' }, status: 429 };
    const engine = await answering(error, 429);
    await expect(engine.search('a', tensorPlan, query)).rejects.toMatchObject({ code: 'too_many_requests' });
  });

  it('is left alone by those who do not wait', async () => {
    const engine = await answering(null);
    const late = { deadlineMs: performance.now() + 100, onEnd: () => undefined };
    await expect(engine.search('a', tensorPlan, query, late)).rejects.toMatchObject({ code: 'vector_store_timeout' });
    const wait = { deadlineMs: performance.now() + 3_600_000, onEnd: (end: () => void) => void setTimeout(end, 50) };
    const search = engine.search('a', tensorPlan, query, wait);
    await expect(search).rejects.toMatchObject({ code: 'client_closed_request' });
  });

  it('has lists in its filter as long as the options of the engine say', async () => {
    const engine = await answering({ responses: [WHOLE] }, 200, {
      inFilterValuesMax: 2,
      inFilterValuesSetting: 'MOST',
    });
    const search = (filter: string) => engine.search('a', { ...tensorPlan, filter }, query);
    await expect(search('price IN (1, 2)')).resolves.toBeInstanceOf(Buffer);
    const message = expect.stringContaining('3 values, which exceeds the maximum of 2');
    await expect(search('price IN (1, 2, 3)')).rejects.toMatchObject({ code: 'invalid_argument', message });
  });

  it('is whole where all shards answered', async () => {
    const engine = await answering({ responses: [WHOLE] });
    expect(JSON.parse((await engine.search('a', tensorPlan, query)).toString())).toEqual({ hits: [] });
  });
});
