import { expect, test } from 'vitest';
import { defaultResources, inferenceTypeOf, limitsOf, shortForm, storageClassOf } from '../src/index.js';

test.each([
  ['svc.basic', 'svc.basic'],
  ['marqo.basic', 'svc.basic'],
  ['BASIC', 'svc.basic'],
  ['marqo.balanced', 'svc.balanced.storage'],
  ['BALANCED.THROUGHPUT', 'svc.balanced.throughput'],
  ['svc.performance', 'svc.performance'],
  ['svc.huge', undefined],
  ['constructor', undefined],
  ['', undefined],
])('the storage class %j is %s', (word, known) => {
  expect(storageClassOf(word)).toBe(known);
  if (known !== undefined) expect(storageClassOf(shortForm(storageClassOf(word) as never))).toBe(known);
});

test.each([
  ['svc.CPU.small', 'svc.CPU.small'],
  ['marqo.CPU.large', 'svc.CPU.large'],
  ['CPU', 'svc.CPU.small'],
  ['CPU.LARGE', 'svc.CPU.large'],
  ['marqo.GPU', 'svc.GPU'],
  ['TPU', undefined],
])('the inference type %j is %s', (word, known) => {
  expect(inferenceTypeOf(word)).toBe(known);
});

test('limits grow with what is asked for', () => {
  const gib = 2 ** 30;
  expect(limitsOf(defaultResources)).toEqual({ memoryBytes: gib, searchesAtOnce: 256, inferenceThreads: 1 });
  const large = { storageClass: 'svc.performance', inferenceType: 'svc.CPU.large' } as const;
  const counts = { numberOfShards: 3, numberOfReplicas: 1, numberOfInferences: 4 };
  expect(limitsOf({ ...large, ...counts })).toEqual({
    memoryBytes: 24 * gib,
    searchesAtOnce: 512,
    inferenceThreads: 8,
  });
});
