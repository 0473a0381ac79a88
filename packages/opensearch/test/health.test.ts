import { describe, expect, it, onTestFinished } from 'vitest';
import { OpenSearchEngine } from '../src/index.js';
import { answerWith, node, pathOf, refusalOf } from './loopback-node.js';

/** An engine over a node with these indexes, by their physical names, and with these settings that block any. */
async function over(
  rows: readonly (readonly [index: string, health: string])[],
  blocked: Readonly<Record<string, Readonly<Record<string, string>>>> = {},
): Promise<OpenSearchEngine> {
  const settings = Object.entries(blocked).map(([index, of]) => [index, { settings: of }]);
  return answering((path) =>
    path.startsWith('/_cat/') ? rows.map(([index, health]) => ({ index, health })) : Object.fromEntries(settings),
  );
}

async function answering(answer: (path: string) => object, status = 200): Promise<OpenSearchEngine> {
  const url = await node((request, response) => {
    const path = pathOf(request);
    if (path === '/') answerWith(response, {});
    else answerWith(response, answer(path), status);
  });
  const engine = await OpenSearchEngine.open({ nodes: [url] });
  onTestFinished(() => engine.close());
  return engine;
}

const A = 'pelorus-a.v2.1';

describe('the health of a cluster, in our words', () => {
  it('is green where all copies of our indexes are in step, whatever others have', async () => {
    const engine = await over([
      [A, 'green'],
      ['others', 'red'],
    ]);
    expect(await engine.health()).toEqual({ status: 'green', indexes: [] });
  });

  it.each([
    ['yellow', 'yellow', /Copies of index a are missing: .* Start the nodes/],
    ['red', 'red', /Parts of index a are on no node: start the nodes/],
  ])('is %s where the cluster says so of one', async (health, status, reason) => {
    const engine = await over([
      [A, health],
      ['pelorus-b.v2.1', 'green'],
    ]);
    expect(await engine.health()).toEqual({
      status,
      indexes: [{ name: 'a', status, code: 'service_unavailable', reason: expect.stringMatching(reason) }],
    });
  });

  it.each([
    ['index.blocks.read_only_allow_delete', 'insufficient_storage', /A disk of the cluster is full/],
    ['index.blocks.write', 'service_unavailable', /by the setting index\.blocks\.write .* operator/],
    ['index.blocks.read_only', 'service_unavailable', /by the setting index\.blocks\.read_only .* operator/],
  ])('is yellow where an index has the block %s', async (block, code, reason) => {
    const engine = await over([[A, 'green']], { [A]: { [block]: 'true' } });
    expect(await engine.health()).toEqual({
      status: 'yellow',
      indexes: [{ name: 'a', status: 'yellow', code, reason: expect.stringMatching(reason) }],
    });
    const free = await over([[A, 'green']], { [A]: { [block]: 'false' } });
    expect((await free.health()).status).toBe('green');
  });

  it.each([
    [503, 'cluster_manager_not_discovered_exception', /has no manager, as most of its nodes .* start them/],
    [503, 'cluster_block_exception', /Calls fail until it answers/],
    [429, 'circuit_breaking_exception', /busy: .*Calls fail until it answers/],
  ])('is red where its answer is %i of %s', async (status, kind, reason) => {
    const engine = await answering(() => refusalOf(kind), status);
    const health = await engine.health();
    expect(health).toEqual({ status: 'red', indexes: [], reasons: [expect.stringMatching(reason)] });
  });

  it('is red where no node answers', async () => {
    let isAway = false;
    const url = await node((request, response) => {
      if (isAway) request.socket.destroy();
      else answerWith(response, {});
    });
    const engine = await OpenSearchEngine.open({ nodes: [url] });
    onTestFinished(() => engine.close());
    isAway = true;
    const reasons = [expect.stringMatching(/cannot be reached: .*Calls fail until it answers/)];
    expect(await engine.health()).toEqual({ status: 'red', indexes: [], reasons });
    await expect(engine.disk()).rejects.toMatchObject({ code: 'service_unavailable' });
  });
});
