import { expect, test } from 'vitest';
import { queuesOf } from '../../src/host/queues.js';
import { LocalCounters } from '../../src/http/counters.js';

const config = { searchesAtOnceMax: 8, addsAtOnceMax: 4, updatesAtOnceMax: 2 } as never;
const idle = { queuedWrites: 0, unlinkedVectors: 0, vectorsToRelink: 0, unflushedDocuments: 0 };
const index = (name: string, work: object | null) => ({ name, stats: { work } }) as never;
const inference = (waiting: number) => ({
  work: () => [{ device: 'cpu', encoder: 'pelorus', waiting, batches: 1, inputs: 1, tokens: 1 }],
});

test('work under way and work that waits is told, and of indexes those alone that have something to do', () => {
  const counters = new LocalCounters();
  counters.counter('search').add(3);
  counters.counter('update').add(1);
  const indexes = [
    index('idle', idle),
    index('far', null),
    index('busy', { ...idle, unlinkedVectors: 7, storeBytes: 9 }),
  ];
  expect(queuesOf({ counters, config, inference: inference(5) as never, backups: 'unset', indexes })).toEqual({
    requests: [
      { load: 'search', underWay: 3, max: 8 },
      { load: 'add', underWay: 0, max: 4 },
      { load: 'update', underWay: 1, max: 2 },
    ],
    models: [{ device: 'cpu', encoder: 'pelorus', waiting: 5 }],
    indexes: [{ indexName: 'busy', ...idle, unlinkedVectors: 7 }],
    backups: [],
  });
});
