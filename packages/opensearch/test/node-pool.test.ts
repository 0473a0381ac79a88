import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { OpenSearchEngine } from '../src/index.js';
import { answerWith, node, pathOf, refusalOf } from './loopback-node.js';

/** The answer to the question by which a node is told to be there. */
const IS_THERE = { discovered_cluster_manager: true };

/** A node that counts the lists of indexes it is asked for, and answers as `state` says. */
async function listing() {
  const seen = { lists: 0, looks: 0, version: 1, state: 'there' as 'there' | 'silent' | 'alone' };
  const url = await node((request, response) => {
    if (seen.state === 'silent') return;
    const path = pathOf(request);
    if (path === '/') return answerWith(response, {});
    if (path === '/_cluster/health')
      return answerWith(response, seen.state === 'alone' ? { discovered_cluster_manager: false } : IS_THERE);
    if (path === '/_cluster/state/version') {
      seen.looks += 1;
      return answerWith(response, { version: seen.version });
    }
    seen.lists += 1;
    if (seen.state === 'alone') return answerWith(response, refusalOf('cluster_manager_not_discovered_exception'), 503);
    answerWith(response, [] as unknown as object);
  });
  return { url, seen };
}

async function over(...nodes: string[]): Promise<OpenSearchEngine> {
  const engine = await OpenSearchEngine.open({ nodes });
  onTestFinished(() => engine.close());
  return engine;
}

describe('the nodes of a cluster', () => {
  it('get the calls of one that hangs, and share them with it once it answers', async () => {
    const [hanging, other] = [await listing(), await listing()];
    const engine = await over(hanging.url, other.url);
    hanging.seen.state = 'silent';
    for (let call = 0; call < 4; call++) expect(await engine.listIndexes()).toEqual([]);
    expect(hanging.seen.lists).toBe(0);
    hanging.seen.state = 'there';
    await expect
      .poll(async () => {
        await engine.listIndexes();
        return hanging.seen.lists;
      })
      .toBeGreaterThan(0);
  });

  it('get the calls of one that hung until it has heard of what they know', async () => {
    const [hanging, other] = [await listing(), await listing()];
    const engine = await over(hanging.url, other.url);
    hanging.seen.state = 'silent';
    for (let call = 0; call < 4; call++) await engine.listIndexes();
    other.seen.version = 2;
    hanging.seen.state = 'there';
    await expect.poll(() => hanging.seen.looks).toBeGreaterThan(6);
    for (let call = 0; call < 4; call++) await engine.listIndexes();
    expect(hanging.seen.lists).toBe(0);
    hanging.seen.version = 2;
    await expect
      .poll(async () => {
        await engine.listIndexes();
        return hanging.seen.lists;
      })
      .toBeGreaterThan(0);
  });

  it('get the calls of one that has lost the others, until it has found them', async () => {
    const [alone, other] = [await listing(), await listing()];
    const engine = await over(alone.url, other.url);
    alone.seen.state = 'alone';
    for (let call = 0; call < 8; call++) expect(await engine.listIndexes()).toEqual([]);
    expect(alone.seen.lists).toBe(1);
    alone.seen.state = 'there';
    await expect
      .poll(async () => {
        await engine.listIndexes();
        return alone.seen.lists;
      })
      .toBeGreaterThan(1);
  });

  it('have as long as they need for a call while they are there', async () => {
    const url = await node(async (request, response) => {
      const path = pathOf(request);
      if (path === '/_cat/indices/pelorus-%2A' || path.startsWith('/_cat')) await sleep(4_000);
      answerWith(response, path === '/_cluster/health' ? IS_THERE : []);
    });
    expect(await (await over(url)).listIndexes()).toEqual([]);
  });
});
