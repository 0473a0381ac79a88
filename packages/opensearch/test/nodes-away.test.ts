import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { add, embed, fromJson, itemsOf, redefined, tensorPlan, update } from '../../engine/conformance/fixtures.js';
import { OpenSearchEngine } from '../src/index.js';
import { indexBody } from '../src/mapping.js';
import { definition } from './fixtures.js';
import { answerWith, merge, node, pathOf, refusalOf } from './loopback-node.js';

const query = await embed('a query');

/** The answer of a node of {@link keeping} to one call, where that is not its own. */
type Refusing = (path: string, call: number, body: string) => object | undefined;

/** The parts of an answer for one document that is refused, by the kind of the cluster. */
const { error: away } = refusalOf('no_shard_available_action_exception', 'No shard available for [get]');
const { error: unknown } = refusalOf('index_not_found_exception', 'no such index [pelorus-a.v2.1]');
const allFailed = {
  status: 500,
  error: {
    type: 'search_phase_execution_exception',
    reason: 'all shards failed',
    root_cause: [{ type: 'node_disconnected_exception', reason: 'disconnected' }],
  },
};
const read = (error: object) => ({ docs: [{ _id: 'i1', error }] });

type Aliases = Readonly<Record<string, object>>;
type AliasAction = Readonly<Record<'add' | 'remove', { alias: string; filter?: object } | undefined>>;

/** The aliases of an index after some actions; undefined where one of them would remove an alias that is not there. */
function actedOn(aliases: Aliases, actions: readonly AliasAction[]): Aliases | undefined {
  const changed = { ...aliases };
  for (const { add, remove } of actions) {
    if (remove !== undefined) {
      if (!(remove.alias in changed)) return undefined;
      delete changed[remove.alias];
    }
    if (add !== undefined) changed[add.alias] = add.filter === undefined ? {} : { filter: add.filter };
  }
  return changed;
}

/**
 * An engine over a node that keeps the document `1` of an index `a`, which has been added. `refusing` gets the calls
 * after that, counted by their paths, and may answer them.
 */
async function keeping(refusing: Refusing) {
  const { mappings = {}, aliases = {} } = indexBody('a', 'id-1', definition, 'pelorus-a', { shards: 1, replicas: 0 });
  const state = {
    isThere: true,
    calls: new Map<string, number>(),
    isReady: false,
    mappings,
    aliases: aliases as Aliases,
  };
  let source: Record<string, unknown> | undefined;
  let version = 0;
  const write = (action: object, line: Record<string, any> = {}): object => {
    version += 1;
    const [kind = 'index'] = Object.keys(action);
    if (kind === 'index') source = line;
    if (kind === 'update') source = { ...source, ...line.script.params };
    return { [kind]: { _id: 'i1', status: 200, result: kind === 'delete' ? 'deleted' : 'updated' } };
  };
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const [path, body] = [pathOf(request), await text(request)];
    if (path === '/') return answerWith(response, {});
    const call = (state.calls.get(path) ?? 0) + 1;
    state.calls.set(path, call);
    const refused = state.isReady ? refusing(path, call, body) : undefined;
    const { status } = { status: undefined, ...refused };
    if (refused !== undefined) return answerWith(response, refused, typeof status === 'number' ? status : 200);
    if (path === '/_cluster/health') return answerWith(response, { status: 'green', active_shards: 1 });
    if (path === '/pelorus-a' || path.endsWith('/_mapping')) {
      if (!state.isThere) return answerWith(response, refusalOf('index_not_found_exception'), 404);
      if (request.method !== 'GET') merge(mappings, JSON.parse(body));
      return answerWith(response, { 'pelorus-a.v2.1': { mappings, aliases: state.aliases } });
    }
    if (path === '/_aliases') {
      const changed = actedOn(state.aliases, JSON.parse(body).actions);
      if (changed === undefined) return answerWith(response, refusalOf('aliases_not_found_exception'), 404);
      state.aliases = changed;
      return answerWith(response, { acknowledged: true });
    }
    if (path.startsWith('/pelorus.suggestions'))
      return answerWith(response, { docs: JSON.parse(body).ids.map(() => ({ found: false })) });
    if (path === '/pelorus-a/_count') return answerWith(response, { count: 1, _shards: { failed: 0 } });
    if (path === '/pelorus-a/_stats/docs')
      return answerWith(response, { _shards: { failed: 0 }, _all: { primaries: { docs: { count: 3 } } } });
    const lines = body.split('\n').filter((line) => line !== '');
    if (path === '/pelorus-a/_bulk') {
      const [action, line] = lines.map((one) => JSON.parse(one));
      return answerWith(response, { items: [write(action, line)] });
    }
    const seen = { _seq_no: version, _primary_term: 1 };
    answerWith(response, { docs: [source === undefined ? {} : { _id: 'i1', ...seen, _source: source }] });
  };
  const engine = await OpenSearchEngine.open({ nodes: [await node((...call) => void answer(...call))] });
  onTestFinished(() => engine.close());
  await add(engine, 'a', [{ _id: '1', price: 1 }]);
  state.calls.clear();
  state.isReady = true;
  const price = async () => {
    const body = await engine.getDocument('a', { documentId: '1', exposeFacets: false, within: null });
    return body && fromJson<{ price?: number }>(body).price;
  };
  return { engine, state, price };
}

const GET = '/pelorus-a/_mget';
const BULK = '/pelorus-a/_bulk';

describe('calls while nodes are away', () => {
  it('read a document again whose shard is on no node for a moment', async () => {
    const { engine, price, state } = await keeping((path, call) =>
      path === GET && call % 3 !== 0 ? read(away) : undefined,
    );
    expect(itemsOf(await update(engine, 'a', [{ _id: '1', price: 2 }]))).toEqual([{ _id: '1', status: 200 }]);
    expect(await price()).toBe(2);
    expect(state.calls.get(GET)).toBe(6);
  });

  it('count documents again where a shard did not answer, or none', async () => {
    const { engine } = await keeping((path, call) => {
      if (path !== '/pelorus-a/_count' || call > 2) return undefined;
      return call === 1 ? { count: 0, _shards: { failed: 1 } } : allFailed;
    });
    expect(await engine.stats('a')).toMatchObject({ numberOfDocuments: 1, numberOfVectors: 2 });
  });

  it('tell how a deletion of all documents may be sent again', async () => {
    const cause = { type: 'node_closed_exception', reason: 'told by the test' };
    const { engine } = await keeping((path) =>
      path === '/pelorus-a/_delete_by_query' ? { deleted: 1, failures: [{ cause, status: 500 }] } : undefined,
    );
    const refusal = { code: 'service_unavailable', message: expect.stringContaining('deleted 1 documents') };
    await expect(engine.deleteAllDocuments('a')).rejects.toMatchObject(refusal);
  });

  it('end where it stays so', async () => {
    const { engine, price } = await keeping((path) => (path === GET ? read(away) : undefined));
    const calls = [update(engine, 'a', [{ _id: '1', price: 2 }]), price()];
    const refusal = { code: 'service_unavailable', message: expect.stringContaining('No shard available') };
    await Promise.all(calls.map((call) => expect(call).rejects.toMatchObject(refusal)));
  });

  it('take the answer to an update that a node made a whole document, when its primary shard went away amid it', async () => {
    const { engine } = await keeping((path) =>
      path === BULK ? { items: [{ index: { _id: 'i1', status: 200, result: 'updated' } }] } : undefined,
    );
    expect(itemsOf(await update(engine, 'a', [{ _id: '1', price: 2 }]))).toEqual([{ _id: '1', status: 200 }]);
  });

  /** A node that was away says of each part of a call that there is no such index. */
  const forgetful: Refusing = (path) => {
    if (path === GET) return read(unknown);
    if (path === BULK) return { items: [{ index: { status: 404, error: unknown } }] };
    if (!path.endsWith('/_msearch')) return undefined;
    return { responses: [{ status: 404, error: { root_cause: [unknown] } }] };
  };
  const CALLS: readonly [string, (engine: OpenSearchEngine) => Promise<unknown>][] = [
    ['an add', async (engine) => add(engine, 'a', [{ _id: '1', price: 2 }])],
    ['an update', (engine) => update(engine, 'a', [{ _id: '1', price: 2 }])],
    ['a deletion', (engine) => engine.deleteDocuments('a', { documentIds: ['1'], within: null })],
    ['a get', (engine) => engine.getDocument('a', { documentId: '1', exposeFacets: false, within: null })],
    ['a search', (engine) => engine.search('a', tensorPlan, query)],
  ];

  it.each(CALLS)('%s does not believe one node that there is no such index', async (_about, call) => {
    const { engine, state } = await keeping(forgetful);
    await expect(call(engine)).rejects.toMatchObject({ code: 'service_unavailable' });
    state.isThere = false;
    await expect(call(engine)).rejects.toMatchObject({ code: 'index_not_found' });
  });

  it('change settings that no late copy of an earlier change undoes, and keep the last ones alone', async () => {
    const changes: string[] = [];
    const { engine, state } = await keeping((path, _call, body) => {
      if (path === '/_aliases') changes.push(body);
      return undefined;
    });
    for (const note of ['first', 'second', 'third']) await engine.redefineIndex('a', redefined(note));
    for (const late of changes) expect(actedOn(state.aliases, JSON.parse(late).actions), late).toBeUndefined();
    expect(Object.keys(state.aliases)).toEqual(['pelorus-a', 'pelorus-a.d3']);
    expect(await engine.definition('a')).toEqual(redefined('third'));
  });

  it('change settings once where the answer was lost, and after what another server has changed', async () => {
    let lost = 0;
    const { engine, state } = await keeping((path, _call, body) => {
      if (path !== '/_aliases' || lost > 0) return undefined;
      lost += 1;
      const others = body.replaceAll('mine', 'another');
      state.aliases = actedOn(state.aliases, JSON.parse(others).actions) ?? {};
      return { status: 503, ...refusalOf('node_disconnected_exception') };
    });
    await engine.redefineIndex('a', redefined('mine'));
    expect(Object.keys(state.aliases)).toEqual(['pelorus-a', 'pelorus-a.d2']);
    lost = 0;
    await engine.redefineIndex('a', redefined('once'));
    expect(Object.keys(state.aliases)).toEqual(['pelorus-a', 'pelorus-a.d3']);
    expect(await engine.definition('a')).toEqual(redefined('once'));
  });

  it('change the settings of an index of an earlier release, whose definitions are facts', async () => {
    const { engine, state } = await keeping(() => undefined);
    state.aliases = { 'pelorus-a': {} };
    const value = JSON.stringify(redefined('fact'));
    merge(state.mappings, { properties: { facts: { properties: { 'definition-7': { value } } } } });
    await engine.redefineIndex('a', redefined('later'));
    expect(Object.keys(state.aliases)).toEqual(['pelorus-a', 'pelorus-a.d8']);
    expect(await engine.definition('a')).toEqual(redefined('later'));
  });

  it('believe no node of a cluster that waits for others after a start', async () => {
    const { engine, state } = await keeping((path) =>
      path === '/_cluster/health' ? { status: 'red', active_shards: 0 } : undefined,
    );
    state.isThere = false;
    await expect(engine.dropIndex('a')).rejects.toMatchObject({ code: 'service_unavailable' });
  });

  it('tell an update that may be sent again where its write alone was told so', async () => {
    const { engine } = await keeping((path) => (path === BULK ? forgetful(path, 1, '') : undefined));
    await expect(update(engine, 'a', [{ _id: '1', price: 2 }])).rejects.toMatchObject({ code: 'service_unavailable' });
  });
});
