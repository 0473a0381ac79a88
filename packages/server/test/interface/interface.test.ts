import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type JsonSchema, type Operation, operations, type Problem, schemas } from '@pelorus/contract';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { settings } from '../../src/config.js';
import { placeOf } from '../../src/validation/problems.js';
import { readerOf } from '../../src/validation/reader.js';
import { type Example, examples, pages, sections, withoutCall } from './pages.js';

const root = fileURLToPath(new URL('../../../../', import.meta.url));
const ajv = new Ajv2020({ strict: false, allErrors: true });

test('no two sections have one name', () => {
  expect(sections.filter((section, i) => sections.indexOf(section) < i)).toEqual([]);
});

test('a page is no longer than a sitting, and shows an example of a call', () => {
  const lines = pages.filter(({ text }) => text.split('\n').length > 320).map(({ name }) => name);
  expect(lines).toEqual([]);
  const shown = new Set(examples.map(({ page }) => page));
  expect(pages.map(({ name }) => name).filter((name) => name !== 'README.md' && !shown.has(name))).toEqual([]);
});

test('the overview leads to every page, and every link of a page to another', () => {
  const links = pages.flatMap(({ name, text }) =>
    [...text.matchAll(/\]\(([\w-]+\.md)\)/g)].map(([, to]) => ({ from: name, to: to as string })),
  );
  const names = pages.map(({ name }) => name);
  expect(links.filter(({ to }) => !names.includes(to))).toEqual([]);
  const listed = links.filter(({ from }) => from === 'README.md').map(({ to }) => to);
  expect(names.filter((name) => name !== 'README.md' && !listed.includes(name))).toEqual([]);
});

/** `search 3.1` before a colon, a comma, a quote or the end of a cell. */
const citation = /\b((?:search|models|clients|hosted|keys|shops|events) \d{1,2}(?:\.\d{1,2})?)(?=[:,'`]| \|)/g;

/** Files of tests, and the map of the repository. */
function citing(): string[] {
  const tests = ['packages', 'crates', 'bindings'].flatMap((parent) =>
    readdirSync(`${root}${parent}`, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .flatMap(({ name }) => ['test', 'tests'].map((folder) => `${root}${parent}/${name}/${folder}`))
      .flatMap(filesOf),
  );
  return [`${root}ARCHITECTURE.md`, ...tests.filter((file) => /\.(?:ts|rs|py)$/.test(file))];
}

function filesOf(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => `${folder}/${name}`);
  } catch {
    return [];
  }
}

test('every section or chapter that a test, the map or a page cites is there', () => {
  const isThere = (cited: string) => sections.some((section) => section === cited || section.startsWith(`${cited}.`));
  const texts = [...citing().map((file) => readFileSync(file, 'utf8')), ...pages.map(({ text }) => text)];
  const cited = new Set(texts.flatMap((text) => [...text.matchAll(citation)].map(([, section]) => section as string)));
  expect(cited.size).toBeGreaterThan(60);
  expect([...cited, ...withoutCall].filter((section) => !isThere(section))).toEqual([]);
});

test('variables have the defaults that pages name', () => {
  const row = /^\| `((?:MARQO|VESPA|PELORUS)_\w+)` \| ([^|]+) \|/gm;
  const named = pages.flatMap(({ text }) => [...text.matchAll(row)].map(([, env, told]) => ({ env, told })));
  const read = named.map(({ env }) => {
    const fallback = Object.values(settings).find((setting) => setting.env === env)?.fallback;
    return { env, told: fallback === null ? 'none' : String(fallback) };
  });
  expect(named.length).toBeGreaterThan(20);
  expect(named).toEqual(read);
});

function operationOf(call: string): Operation {
  const [method, target = ''] = call.split(' ');
  const path = target.split('?')[0] as string;
  const found = Object.values<Operation>(operations).find(
    (operation) =>
      operation.method === method && new RegExp(`^${operation.path.replace(/\{\w+\}/g, '[^/]+')}$`).test(path),
  );
  if (found === undefined) throw new Error(`${call} is no call of the contract`);
  return found;
}

const named = (kind: Example['kind']) =>
  examples.filter((example) => example.kind === kind).map((example) => [example.page, example.of, example] as const);

test.each(named('request'))('%s: the contract accepts %s', (_page, call, { body }) => {
  const operation = operationOf(call);
  if (body === undefined) return expect(operation.bodyRequired).toBe(false);
  const problems: Problem[] = [];
  readerOf(operation.body as JsonSchema)(body, placeOf('body'), problems);
  expect(problems).toEqual([]);
});

test.each(named('answer'))('%s: the contract gives the answer %s', (_page, of, { body }) => {
  const [operationId = '', status = ''] = of.split(' ');
  const operation = Object.values<Operation>(operations).find((one) => one.operationId === operationId);
  const schema = operation?.responses[status] ?? (Number(status) >= 400 ? schemas.ErrorResponse : undefined);
  const validate = ajv.compile(schema as JsonSchema);
  expect(validate(body), ajv.errorsText(validate.errors)).toBe(true);
});
