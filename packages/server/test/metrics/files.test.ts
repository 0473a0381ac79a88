import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { hostedMetrics } from '../../src/metrics/hosted-metrics.js';
import { send } from '../operations/exchange.js';
import { openService, type Service } from '../operations/service.js';

const read = (path: string) => readFileSync(new URL(`../../../../${path}`, import.meta.url), 'utf8');
const PARTS_OF_HISTOGRAM = /_(?:bucket|sum|count)$/;
let service: Service;
let told: Set<string>;

beforeAll(async () => {
  service = await openService();
  await send(service.app, { request: 'POST /indexes/a', body: { model: 'random/small' } });
  const document = { documents: [{ t: 'a' }], tensorFields: ['t'] };
  await send(service.app, { request: 'POST /indexes/a/documents', body: document });
  await send(service.app, { request: 'POST /indexes/a/search', body: { q: 'a' } });
  await send(service.app, { request: 'GET /nowhere' });
  const { body } = await send(service.app, { request: 'GET /metrics' });
  const ofServer = [...body.matchAll(/^# TYPE (\S+) /gm)].map(([, name]) => name as string);
  // Those that a gateway has beside them.
  const none = { accepted: 0, duplicates: 0, rejected: 0, refused: 0, waiting: 0 };
  const processes = { states: new Map(), serving: 0, ends: 0 };
  const ofGateway = hostedMetrics({ processes, events: none, droppedSearches: 0 }).map(({ name }) => name);
  told = new Set([...ofServer, ...ofGateway]);
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

test('the page on metrics has a row for each alert, and for no other', () => {
  const alerts = [...read('deploy/prometheus/alerts.yml').matchAll(/^ {6}- alert: (\w+)$/gm)].map(([, name]) => name);
  const rows = [...read('docs/metrics.md').matchAll(/^\| `(Pelorus\w+)` \| \S/gm)].map(([, name]) => name);
  expect(alerts.length).toBeGreaterThan(10);
  expect(rows.sort()).toEqual(alerts.sort());
});

test('labels and metrics of alerts belong together', () => {
  const asked = [...read('deploy/prometheus/alerts.yml').matchAll(/(pelorus_\w+)\{(\w+)[=~]/g)];
  expect(asked.length).toBeGreaterThan(4);
  for (const [, metric, label] of asked) {
    const row = read('docs/metrics.md')
      .split('\n')
      .find((line) => line.includes(`\`${metric?.replace(/_bucket$/, '')}\``));
    expect(row, metric).toContain(`\`${label}\``);
  }
});

const promtool = spawnSync('promtool', ['--version']).status === 0;
if (!promtool) console.warn('promtool is not installed: nobody but it knows that the rules of alerts are right');

test.runIf(promtool)('Prometheus takes the rules and the configuration', () => {
  const folder = fileURLToPath(new URL('../../../../deploy/prometheus/', import.meta.url));
  for (const check of [
    ['rules', 'alerts.yml'],
    ['config', 'prometheus.yml'],
  ]) {
    const { status, stdout, stderr } = spawnSync('promtool', ['check', ...check], { cwd: folder, encoding: 'utf8' });
    expect(status, `${stdout}${stderr}`).toBe(0);
  }
});

test.runIf(promtool)('Prometheus understands each question of the dashboard', () => {
  const { panels } = JSON.parse(read('deploy/prometheus/dashboard.json')) as {
    panels: { targets: { expr: string }[] }[];
  };
  const questions = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
  expect(questions.length).toBeGreaterThan(20);
  const rules = questions.map((expr, at) => {
    const asked = expr.replaceAll('$__rate_interval', '5m').replaceAll('$instance', '.*');
    return { record: `question:${at}`, expr: asked };
  });
  const folder = mkdtempSync(join(tmpdir(), 'pelorus-dashboard-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  // JSON is YAML, too.
  writeFileSync(join(folder, 'rules.yml'), JSON.stringify({ groups: [{ name: 'dashboard', rules }] }));
  const { status, stdout, stderr } = spawnSync('promtool', ['check', 'rules', 'rules.yml'], {
    ...{ cwd: folder, encoding: 'utf8' },
  });
  expect(status, `${stdout}${stderr}`).toBe(0);
});

test.runIf(promtool)('Prometheus reads what a server tells, and finds nothing to improve in ours', async () => {
  const { body } = await send(service.app, { request: 'GET /metrics' });
  const { stdout, stderr } = spawnSync('promtool', ['check', 'metrics'], { input: body, encoding: 'utf8' });
  const remarks = `${stdout}${stderr}`.split('\n').filter((line) => /pelorus_|error/.test(line));
  expect(remarks).toEqual([]);
});

test('the page on metrics names each of ours, and no other', () => {
  const named = new Set([...read('docs/metrics.md').matchAll(/`(pelorus_[a-z_]+)`/g)].map(([, name]) => name));
  expect([...named].sort()).toEqual([...told].filter((name) => name.startsWith('pelorus_')).sort());
});
