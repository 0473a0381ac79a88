import { expect, test } from 'vitest';
import { fieldsOf } from '../../src/documents/fields.js';
import {
  membersOf,
  type Preset,
  presetFields,
  presetsFor,
  presetsOf,
  searchOf,
  textOfPreset,
} from '../../src/pages/relevance/configuration.js';
import { graded, queriesOf, queryFault, sentQueries } from '../../src/pages/relevance/judged-queries.js';
import { moveOf } from '../../src/pages/relevance/moves.js';
import { t } from '../../src/strings/strings.js';

const sent = [
  { q: 'tent', judgements: { g3: 3 } },
  { q: 'torch', judgements: {} },
];

test('a grade is given, changed and taken away, and the queries before stay as they were', () => {
  const before = queriesOf(sent);
  const given = graded(before, 'torch', 'g7', 2);
  expect(sentQueries(given)[1]).toEqual({ q: 'torch', judgements: { g7: 2 } });
  expect(sentQueries(graded(given, 'torch', 'g7', 0))[1]).toEqual({ q: 'torch', judgements: { g7: 0 } });
  expect(sentQueries(graded(given, 'torch', 'g7', undefined))).toEqual(sent);
  expect(sentQueries(before)).toEqual(sent);
  expect(graded(before, 'tent', 'g3', 3)[0]).toBe(before[0]);
});

test('a query that cannot be added is told why', () => {
  const queries = queriesOf(sent);
  expect(queryFault(queries, 'stove')).toBeUndefined();
  expect(queryFault(queries, ' ')).toBe('blank');
  expect(queryFault(queries, 'a'.repeat(2049))).toBe('long');
  expect(queryFault(queries, 'tent')).toBe('double');
  const full = Array.from({ length: 1000 }, (_, at) => ({ q: `q${at}`, grades: new Map() }));
  expect(queryFault(full, 'stove')).toBe('many');
});

test('a way to search is JSON of members that the lab does not give itself', () => {
  expect(membersOf('')).toEqual({ members: {} });
  expect(membersOf('{"searchMethod": "LEXICAL"}')).toEqual({ members: { searchMethod: 'LEXICAL' } });
  for (const text of ['[]', 'null', '1']) expect(membersOf(text)).toEqual({ fault: t.form.notJson });
  expect(membersOf('{')).toEqual({ fault: expect.stringContaining('This is no JSON yet') });
  expect(membersOf('{"limit": 3}')).toEqual({ fault: expect.stringContaining('Leave limit out') });
  expect(searchOf({ alpha: 1 }, 'tent', 20)).toEqual({ alpha: 1, q: 'tent', limit: 20, attributesToRetrieve: [] });
});

test('every text to begin with has a name, and can be sent', () => {
  const fields = presetFields(fieldsOf([{ maker: 'Acme', name: 'Kettle', stars: 412 }]));
  const presets = presetsOf(fields);
  expect(Object.keys(presets)).toEqual(Object.keys(t.relevance.presets));
  for (const preset of Object.keys(presets) as Preset[]) {
    expect(membersOf(textOfPreset(preset, fields))).toEqual({ members: presets[preset] });
  }
});

test('texts to begin with take the fields that the index has', () => {
  const presets = presetsOf(presetFields(fieldsOf([{ maker: 'Acme', name: 'Kettle', stars: 412 }, { stars: -3 }])));
  expect(presets.fields).toMatchObject({ searchableAttributes: ['name'] });
  expect(presets.fieldWeights).toMatchObject({ fieldWeights: { name: 3 } });
  expect(presets.numbers).toMatchObject({
    scoreModifiers: { add_to_score: [{ field_name: 'stars', weight: 0.00001 }] },
  });
  expect(presetsOf(presetFields(fieldsOf([{ maker: 'Acme' }]))).fields).toMatchObject({
    searchableAttributes: ['maker'],
  });
  const { fields, fieldWeights, numbers } = presetsOf(presetFields([]));
  expect([fields, fieldWeights, numbers]).toEqual([undefined, undefined, undefined]);
});

test('an index that words alone search is offered no way by meaning', () => {
  const fields = presetFields(fieldsOf([{ name: 'Kettle', stars: 412 }]), false);
  const offered = presetsFor(false).map((preset) => presetsOf(fields)[preset]);
  expect(offered).toHaveLength(5);
  for (const members of offered) expect(members).toMatchObject({ searchMethod: 'LEXICAL' });
  expect(presetsFor(true)).toEqual(Object.keys(t.relevance.presets));
});

test('the way of a document is told from its place in the other ranking', () => {
  const other = ['a', 'b', 'c'];
  expect(moveOf('c', 1, other)).toEqual({ kind: 'up', by: 2, from: 3 });
  expect(moveOf('a', 3, other)).toEqual({ kind: 'down', by: 2, from: 1 });
  expect(moveOf('b', 2, other)).toEqual({ kind: 'same' });
  expect(moveOf('x', 1, other)).toEqual({ kind: 'new' });
});
