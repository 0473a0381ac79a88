import { expect, test } from 'vitest';
import { isComputedName } from '../../src/search/distance-name.js';
import { facetProblems } from '../../src/search/facets.js';
import { recencyProblems } from '../../src/search/recency.js';
import { plannedModifiers } from '../../src/search/score-modifiers.js';
import { searchRequest } from './requests.js';

const computed = ['@date:published', 'home@48,11', 'home@48.5,11', '@date:sizes.width'];
const own = ['published', 'sizes.width', 'sizes.@date:published', 'sizes.home@48,11', ''];

test('names with an @ are none of fields, but may be those of entries of maps', () => {
  expect(computed.filter(isComputedName)).toEqual(computed);
  expect(own.filter(isComputedName)).toEqual([]);
});

test.each(computed)('%s is no field for modifiers, facets and recency', (name) => {
  const refused = [expect.objectContaining({ msg: expect.stringContaining(`Invalid field name '${name}'`) })];
  const facets = { fields: { [name]: { type: 'number' as const } } };
  expect([...facetProblems(searchRequest({ q: 'a', facets }))]).toEqual(refused);
  expect([...recencyProblems({ recencyField: name })]).toEqual(refused);
  const modifiers = [name, 'price'].map((field_name) => ({ field_name, weight: 2 }));
  expect(plannedModifiers({ add_to_score: modifiers })).toEqual({ multiply: [], add: [{ field: 'price', weight: 2 }] });
});
