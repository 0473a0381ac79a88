import { InputBatch } from '@pelorus/node';
import { expect, test } from 'vitest';
import { batchTexts } from '../../src/service/batch-texts.js';

test('texts come out of a batch as they went in', async () => {
  const every = String.fromCodePoint(...Array.from({ length: 0x2ff }, (_, code) => code));
  const texts = [
    'hello',
    '',
    ' \n\u0000\u00ad',
    '漢字 😀 e\u0301',
    every,
    '[CLS] <s> <|endoftext|>',
    'a b '.repeat(5_000),
  ];
  const inputs = InputBatch.of([
    ...texts.map((text) => ({ kind: 'text', text }) as const),
    { kind: 'chunk', text: 'passage: the end', prefixBytes: 9 },
  ]);
  expect(await batchTexts(inputs)).toEqual([...texts, 'passage: the end']);
});

test('nothing comes out of an empty batch', async () => {
  expect(await batchTexts(InputBatch.of([]))).toEqual([]);
});
