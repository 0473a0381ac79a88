import { expect, test } from 'vitest';
import { splitPage } from '../../src/transfer/page.js';
import { someDocuments } from './documents.js';

const pageOf = (documents: readonly string[], rest: string) =>
  Buffer.from(`{"documents":[${documents.join(',')}]${rest}}`);

test('a page gives its documents as they are spelt, and where the next one is', () => {
  for (let seed = 0; seed < 50; seed += 1) {
    const documents = someDocuments(seed, seed % 7);
    const page = splitPage(pageOf(documents, ',"cursor":"x.1"'));
    expect(page.documents.map(String), `seed ${seed}`).toEqual(documents);
    expect(page.cursor).toBe('x.1');
  }
  expect(splitPage(pageOf(['{"a":"\\\\"}', '{"b":"\\\\\\""}'], ',"cursor":null'))).toEqual({
    documents: ['{"a":"\\\\"}', '{"b":"\\\\\\""}'].map((text) => Buffer.from(text)),
    cursor: null,
  });
});

test.each([
  '',
  '[]',
  '{"documents":[',
  '{"documents":[1]}',
  '{"documents":[{"a":"x]}',
  '{"documents":[{]}',
  '{"documents":[]}',
])('a body that is no page is refused: %s', (body) => {
  expect(() => splitPage(Buffer.from(body))).toThrow();
});
