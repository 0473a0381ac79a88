import { expect, test } from 'vitest';
import { Telemetry, wantsTelemetry } from '../../src/http/telemetry.js';

test('nothing measured is an empty object', () => {
  expect(JSON.stringify(new Telemetry(true))).toBe('{}');
  expect(new Telemetry(true).toServerTiming()).toBe('');
});

test('a part that ran once is a number, one that ran more often a list', () => {
  const telemetry = new Telemetry(true);
  telemetry.record('a', 1);
  telemetry.record('b', 2);
  telemetry.record('b', 3);
  expect(JSON.parse(JSON.stringify(telemetry))).toEqual({ timesMs: { a: 1, b: [2, 3] } });
});

test('counts add up, beside times or alone', () => {
  const telemetry = new Telemetry(true);
  telemetry.countCached({ hits: 0, misses: 2 });
  telemetry.countCached({ hits: 3, misses: 0 });
  expect(telemetry.toJSON()).toEqual({ counter: { 'query_cache.hits': 3, 'query_cache.misses': 2 } });
  expect(telemetry.toServerTiming()).toBe('');
});

test('work that fails is measured as well', async () => {
  const telemetry = new Telemetry(true);
  await expect(telemetry.time(['x', 'y'], () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(Object.keys((telemetry.toJSON() as { timesMs: object }).timesMs)).toEqual(['x', 'y']);
});

test('nothing is measured for those who do not ask', async () => {
  const telemetry = new Telemetry(false);
  telemetry.record('a', 1);
  telemetry.countCached({ hits: 1, misses: 2 });
  expect(await telemetry.time(['x'], async () => 3)).toBe(3);
  expect(telemetry.toJSON()).toEqual({});
});

test('the header carries the same figures under names a header may carry', () => {
  const telemetry = new Telemetry(true);
  telemetry.record('POST /indexes/a/search', 1.5);
  telemetry.record('search.vector.store', 0.25);
  expect(telemetry.toServerTiming()).toBe('POST_indexes_a_search;dur=1.500, search.vector.store;dur=0.250');
});

test.each([
  ['true', true],
  ['True', true],
  ['1', false],
  ['', false],
  ['banana', false],
])('telemetry=%s asks for it: %s', (telemetry, expected) => {
  expect(wantsTelemetry({ telemetry })).toBe(expected);
});
