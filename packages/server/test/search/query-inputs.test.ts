import type { Modality, ResolvedModel } from '@pelorus/inference';
import { describe, expect, test } from 'vitest';
import type { IndexDefinition } from '../../src/indexes/definition.js';
import { queryInput, queryWords } from '../../src/media/query-inputs.js';
import { unstructured } from './requests.js';

const input = (text: string, modalities: readonly Modality[]) =>
  queryInput(text, 'query: ', {
    ...unstructured,
    model: () => ({ modalities }) as ResolvedModel,
  } satisfies IndexDefinition);

const words = (text: string, modalities: readonly Modality[]) =>
  queryWords(text, { model: () => ({ modalities }) as ResolvedModel });

const pointers = {
  image: ['http://x.example.com/a.jpg', 'https://x.example.com/a.png?w=1', 'data:image/png;base64,A'],
  video: ['https://x.example.com/a.mp4', 'https://x.example.com/a.mov#t=1'],
  audio: ['https://x.example.com/a.wav', 'https://x.example.com/a.ogg'],
} as const;

describe.each(Object.entries(pointers))('a pointer to %s', (medium, texts) => {
  test.each(texts)('stands for what it points to where the model takes that: %s', (text) => {
    expect(input(text, ['text', medium as Modality])).toEqual({ kind: 'media', pointer: text, medium, patches: false });
    expect(input(text, ['text'])).toEqual({ kind: 'text', text });
  });

  test.each(texts)('has no words there, and elsewhere its letters: %s', (text) => {
    expect(words(text, ['text', medium as Modality])).toBeNull();
    expect(words(text, ['text'])).toBe(text);
  });
});

test('the bytes tell the kind of another URL, where the model takes anything but texts', () => {
  const text = 'https://x.example.com/7';
  const prefixed = `query: ${text}`;
  expect(input(text, ['text', 'audio'])).toEqual({ kind: 'media', pointer: text, text: prefixed, patches: false });
  expect(input(text, ['text'])).toEqual({ kind: 'text', text: prefixed });
});

test.each(['red shoes', 'shoes like in https://x.example.com/a.jpg', 'a.jpg', ''])('a text stays one: %j', (text) => {
  expect(queryInput(text, 'query: ', unstructured)).toEqual({ kind: 'text', text: `query: ${text}` });
});

test.each(['red shoes', 'shoes like in https://x.example.com/a.jpg', 'https://x.example.com/7', ''])(
  'the words of a text are its own: %j',
  (text) => {
    expect(words(text, ['text', 'image', 'video', 'audio'])).toBe(text);
  },
);
