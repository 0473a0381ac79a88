import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { send } from '../operations/exchange.js';
import { openService, type Service } from '../operations/service.js';

const read = (path: string) => readFileSync(new URL(`../../../../${path}`, import.meta.url), 'utf8');
const PARTS_OF_HISTOGRAM = /_(?:bucket|sum|count)$/;
let service: Service;
let told: Set<string>;

beforeAll(async () => {
  service = await openService();
  await send(service.app, { request: 'POST /indexes/a', body: { model: 'random/small' } });
  await send(service.app, { request: 'POST /indexes/a/search', body: { q: 'a' } });
  const { body } = await send(service.app, { request: 'GET /metrics' });
  told = new Set([...body.matchAll(/^# TYPE (\S+) /gm)].map(([, name]) => name as string));
});

afterAll(() => service.close());

test.each(['deploy/prometheus/alerts.yml', 'deploy/prometheus/dashboard.json'])(
  '%s asks for metrics that are told',
  (file) => {
    const asked = [...read(file).matchAll(/\b(?:pelorus|process|nodejs)_[a-z0-9_]+/g)].map(([name]) => name);
    expect(asked.length).toBeGreaterThan(8);
    const unknown = asked.filter((name) => !told.has(name) && !told.has(name.replace(PARTS_OF_HISTOGRAM, '')));
    expect(unknown).toEqual([]);
  },
);

test('the page on metrics names each of ours, and no other', () => {
  const named = new Set([...read('docs/metrics.md').matchAll(/`(pelorus_[a-z_]+)`/g)].map(([, name]) => name));
  expect([...named].sort()).toEqual([...told].filter((name) => name.startsWith('pelorus_')).sort());
});
