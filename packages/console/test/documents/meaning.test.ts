import { expect, test } from 'vitest';
import { hasMeaning } from '../../src/documents/meaning.js';

test('an index without a model or without vectors has no meaning; what is not known is taken to have it', () => {
  expect(hasMeaning({ model: 'random/small' }, { numberOfVectors: 3 })).toBe(true);
  expect(hasMeaning({ model: 'random/small' }, { numberOfVectors: 0 })).toBe(false);
  expect(hasMeaning({ model: 'no_model' }, { numberOfVectors: 3 })).toBe(false);
  expect(hasMeaning(undefined, { numberOfVectors: 3 })).toBe(true);
  expect(hasMeaning(undefined, undefined)).toBe(true);
});
