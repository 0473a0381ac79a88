import { expect, test } from 'vitest';
import {
  defaultResources,
  inferenceTypeOf,
  limitsOf,
  processBytesMax,
  shortForm,
  storageClassOf,
} from '../src/index.js';

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
  const basic = { memoryBytes: gib, modelMemory: 1.073741824, searchesAtOnce: 256, inferenceThreads: 1 };
  expect(limitsOf(defaultResources, 4)).toEqual(basic);
  expect(processBytesMax(basic)).toBe(2.5 * gib);
  const large = { storageClass: 'svc.performance', inferenceType: 'svc.CPU.large' } as const;
  const counts = { numberOfShards: 3, numberOfReplicas: 1, numberOfInferences: 4 };
  expect(limitsOf({ ...large, ...counts }, 4)).toEqual({
    memoryBytes: 24 * gib,
    // No more than the operator allows.
    modelMemory: 4,
    searchesAtOnce: 512,
    inferenceThreads: 8,
  });
});
