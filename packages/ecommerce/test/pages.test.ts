import { expect, test } from 'vitest';
import { checkPage } from '../src/shop-search.js';

test('a page of a shop is as large as the operator lets those of indexes be', () => {
  const pages = { limitMax: 20, offsetMax: 30 };
  expect(() => checkPage({ limit: 20, offset: 30 }, pages)).not.toThrow();
  expect(() => checkPage({ limit: 21 }, pages)).toThrow('limit must be from 1 to 20, but it is 21');
  expect(() => checkPage({ limit: 1, offset: 31 }, pages)).toThrow('offset must be from 0 to 30, but it is 31');
});
