import { expect, test } from 'vitest';
import { Random } from '../../src/demo/random.js';
import { type DocumentRules, readItem } from '../../src/transfer/document-rules.js';
import { FieldNames } from '../../src/transfer/field-names.js';
import { rowDocumentsOf } from '../../src/transfer/row-documents.js';
import { RowItem } from '../../src/transfer/row-item.js';

const NAMES = ['_id', 'sku', 'title', 'unit price', 'own_id', 'é', 'size'];
const VALUES = [undefined, undefined, '"a"', '"7"', '"a \\"b\\""', '""', '7', '-0', '1.50', '1e3', 'true', 'false'];

/** The document or the refusal of a row, with members in the order of their names. */
function made(item: RowItem | { place: number; text: string; source: string }, rules: DocumentRules): unknown {
  const read = readItem(item, rules);
  if ('message' in read) return [read.place, read.message, read.text];
  const members = read.text.slice(1, -1).split(/,(?="[^"]*":)/);
  return [read.place, read.id, read.given, members.toSorted()];
}

test('a row becomes the document that its JSON would become', () => {
  const random = new Random(5);
  const one = <T>(from: readonly T[]): T => from[random.int(0, from.length - 1)] as T;
  const some = (from: readonly string[]) => new Set(from.filter(() => random.int(0, 3) === 0));
  for (let round = 0; round < 3000; round += 1) {
    const names = NAMES.filter(() => random.int(0, 2) > 0);
    const columns = { names, arePlain: true };
    const rules: DocumentRules = {
      idField: one([undefined, '_id', 'sku', 'title']),
      makesIds: random.int(0, 1) === 0,
      nulls: one(['drop', 'refuse']),
      unstorable: one(['flatten', 'refuse', 'json', 'drop']),
      kept: new Set(['_tensors']),
      omitted: some(NAMES),
      texts: some(NAMES),
      names: one([undefined, new FieldNames(names)]),
    };
    expect(rowDocumentsOf(columns, rules)).toBeDefined();
    const values = names.map(() => one(VALUES));
    const item = new RowItem({ place: round + 1, columns, values, cells: values.map((value) => value ?? '') });
    const { place, text, source } = item;
    expect(made(item, rules), `round ${round}: ${text}`).toEqual(made({ place, text, source }, rules));
  }
});

test.each([
  [{ names: ['_id', 'a'], arePlain: false }],
  [{ names: ['_id', '_tensors'], arePlain: true }],
  [{ names: ['_id', 'sizes.l'], arePlain: true }],
])('rows whose values have to be looked at are left to their JSON: %j', (columns) => {
  expect(rowDocumentsOf(columns, { texts: new Set(), omitted: new Set() } as unknown as DocumentRules)).toBeUndefined();
});
