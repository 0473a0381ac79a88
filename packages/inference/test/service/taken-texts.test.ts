import { InputBatch } from '@pelorus/node';
import { expect, test } from 'vitest';

test('texts come out of a batch as they went in, each with its prefix, and once', () => {
  const texts = ['hello', '', ' \n\u0000\u00ad', '漢字 😀 e\u0301', '[CLS] <s> <|endoftext|>', 'a b '.repeat(5_000)];
  const inputs = InputBatch.of([
    ...texts.map((text) => ({ kind: 'text', text }) as const),
    { kind: 'chunk', text: 'passage: the end', prefixBytes: 9 },
  ]);
  expect(inputs.takeTexts()).toEqual([...texts, 'passage: the end']);
  expect(() => inputs.takeTexts()).toThrow('the inputs were encoded before');
  expect(InputBatch.of([]).takeTexts()).toEqual([]);
});

test('media do not come out as texts', () => {
  const inputs = InputBatch.of([{ kind: 'media', pointer: 'data:image/png;base64,', patches: false }]);
  expect(() => inputs.takeTexts()).toThrow('takeMedia');
});
