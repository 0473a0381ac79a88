import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Bench } from '../bench.ts';
import { definition } from '../definition.ts';
import { CACHE } from '../paths.ts';
import { median } from '../quantile.ts';
import { compare } from '../row.ts';
import { ServerProcess } from '../server/server-process.ts';

interface IndexesDefinition {
  indexes: number;
  /** Documents of each index. */
  documents: number;
  /** Number of times that the indexes are listed. */
  lists: number;
}

const TARGETS = { residentMiB: 1024, startSeconds: 5, listMs: 50 };

/** The cost of many small indexes to a server that holds them all: memory, its start, the list of them. */
export const indexes: Bench = async ({ quick, say }) => {
  const plan = definition<IndexesDefinition>('indexes', quick);
  await mkdir(CACHE, { recursive: true });
  const data = await mkdtemp(join(CACHE, 'indexes-'));
  let server = await ServerProcess.start(data);
  try {
    const empty = (await server.read()).residentBytes;
    say(`making ${plan.indexes} indexes`);
    for (let index = 0; index < plan.indexes; index += 1) await make(server, index, plan.documents);
    await server.untilIdle();
    const filled = (await server.read()).residentBytes;
    await server.stop();

    say('starting again');
    const started = performance.now();
    server = await ServerProcess.start(data);
    const startSeconds = (performance.now() - started) / 1000;
    const listMs: number[] = [];
    for (let round = 0; round < plan.lists; round += 1) listMs.push(await list(server, plan.indexes));
    const restarted = (await server.read()).residentBytes;
    say('searching each');
    const searchMs: number[] = [];
    for (let index = 0; index < plan.indexes; index += 1) searchMs.push(await search(server, index));
    const searched = (await server.read()).residentBytes;

    const each = (bytes: number) => Math.max(0, bytes - empty) / plan.indexes / 1024;
    const resident = (bytes: number) => bytes / 2 ** 20;
    return {
      rows: [
        compare('resident when filled (MiB)', 'lower', resident(filled), 'target', TARGETS.residentMiB),
        compare('resident after a start (MiB)', 'lower', resident(restarted), 'target', TARGETS.residentMiB),
        compare('resident when each was searched (MiB)', 'lower', resident(searched), 'target', TARGETS.residentMiB),
        compare('an index more, when filled (KiB)', 'lower', each(filled)),
        compare('start to ready (s)', 'lower', startSeconds, 'target', TARGETS.startSeconds),
        compare('list of all, p50 (ms)', 'lower', median(listMs), 'target', TARGETS.listMs),
        compare('first search of an index, p50 (ms)', 'lower', median(searchMs)),
      ],
      notes: ['each search was answered with the document that it asked for'],
      dataset: plan,
    };
  } finally {
    await server.stop();
    await rm(data, { recursive: true, force: true });
  }
};

const path = (index: number) => `/indexes/i${index}`;
/** A word that only one index has. */
const word = (index: number) => `title${index}`;

async function make(server: ServerProcess, index: number, count: number): Promise<void> {
  await server.call('POST', path(index), { model: 'no_model', modelProperties: { type: 'no_model', dimensions: 4 } });
  const documents = Array.from({ length: count }, (_, id) => ({
    _id: `${id}`,
    title: `${word(index)} of ${id}`,
    price: id,
    vector: { vector: [1, id, index, 1] },
  }));
  const { errors } = await server.call<{ errors: boolean }>('POST', `${path(index)}/documents`, {
    documents,
    tensorFields: ['vector'],
    mappings: { vector: { type: 'custom_vector' } },
  });
  if (errors) throw new Error(`a document of index ${index} was refused`);
}

async function list(server: ServerProcess, count: number): Promise<number> {
  const started = performance.now();
  const { results } = await server.call<{ results: unknown[] }>('GET', '/indexes');
  if (results.length !== count) throw new Error(`${results.length} indexes are listed, not ${count}`);
  return performance.now() - started;
}

async function search(server: ServerProcess, index: number): Promise<number> {
  const query = { q: word(index), searchMethod: 'LEXICAL', filter: 'price:[3 TO 3]' };
  const started = performance.now();
  const { hits } = await server.call<{ hits: { _id: string }[] }>('POST', `${path(index)}/search`, query);
  if (hits.length !== 1 || hits[0]?._id !== '3') throw new Error(`index ${index} answered ${JSON.stringify(hits)}`);
  return performance.now() - started;
}
