import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { operations } from '@pelorus/contract';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { IndexConnections } from '../src/index-connections.js';

const LOOPS = 3;
const call = { operation: operations.getRoot, params: {} };

let folder: string;
let servers: Server[];
/** Those that each event loop has yet to give. */
let answers: ServerResponse[][];
let connections: IndexConnections;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'pelorus-connections-'));
  answers = Array.from({ length: LOOPS }, () => []);
  const paths = answers.map((_, at) => join(folder, `${at}`));
  servers = paths.map((path, at) => createServer((_, response) => void answers[at]?.push(response)).listen(path));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  connections = new IndexConnections(paths, 'secret');
});
afterEach(async () => {
  await connections.destroy();
  for (const server of servers) server.close();
  rmSync(folder, { recursive: true, force: true });
});

const counts = () => answers.map(({ length }) => length);

/** Lets an event loop answer the first of its calls. */
function answerOne(loop: number): void {
  answers[loop]?.shift()?.end('done');
}

/** Calls as bytes; resolves with the end of the answer. */
function exchange(): Promise<void> {
  return new Promise((resolve, reject) => {
    const [onHead, onBytes] = [() => undefined, () => true];
    connections.exchange(connections.startOf(call), {}, Buffer.alloc(0), {
      ...{ onHead, onBytes, onEnd: resolve, onError: reject },
    });
  });
}

test('calls at once are divided evenly among event loops, in both ways of calling', async () => {
  const under = [];
  for (let i = 0; i < 2 * LOOPS; i += 1) under.push(i % 2 === 0 ? connections.request(call) : exchange());
  await vi.waitUntil(() => counts().every((count) => count === 2));
  // The one that has answered its own takes the next.
  for (let i = 0; i < 2; i += 1) answerOne(1);
  await Promise.all([under[1], under[1 + LOOPS]]);
  under.push(connections.request(call), exchange());
  await vi.waitUntil(() => counts()[1] === 2);
  expect(counts()).toEqual([2, 2, 2]);
  for (let loop = 0; loop < LOOPS; loop += 1) while ((answers[loop]?.length ?? 0) > 0) answerOne(loop);
  await Promise.all(under);
});

test('one call after the other goes to the same event loop, also after one that was given up', async () => {
  const controller = new AbortController();
  const given = connections.request(call, controller.signal);
  await vi.waitUntil(() => counts()[0] === 1);
  controller.abort(new Error('enough'));
  await expect(given).rejects.toThrow();
  answers[0] = [];
  for (let i = 0; i < 5; i += 1) {
    const asked = i % 2 === 0 ? connections.request(call) : exchange();
    await vi.waitUntil(() => counts().some((count) => count > 0));
    expect(counts()).toEqual([1, 0, 0]);
    answerOne(0);
    await asked;
  }
});
