import type { Modality, ResolvedModel } from '@pelorus/inference';
import { describe, expect, test } from 'vitest';
import { queryInput, queryWords } from '../../src/media/query-inputs.js';
import type { IndexDefinition } from '../../src/services/definition.js';
import { QUERY_TEXT_LENGTH_MAX } from '../../src/validation/query-texts.js';
import { unstructured } from './requests.js';

/** An index that treats pointers to all media as those media, or as `flags` say. */
const indexOf = (modalities: readonly Modality[], flags: object = {}) =>
  ({
    ...unstructured,
    settings: {
      ...unstructured.settings,
      treatUrlsAndPointersAsImages: true,
      treatUrlsAndPointersAsMedia: true,
      ...flags,
    },
    model: () => ({ modalities }) as ResolvedModel,
  }) satisfies IndexDefinition;

const input = (text: string, modalities: readonly Modality[], flags?: object) =>
  queryInput(text, 'query: ', indexOf(modalities, flags));

const words = (text: string, modalities: readonly Modality[], flags?: object) =>
  queryWords(text, indexOf(modalities, flags));

const ALL = ['text', 'image', 'video', 'audio'] as const;
const NONE = { treatUrlsAndPointersAsImages: false, treatUrlsAndPointersAsMedia: false };

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

describe.each(Object.entries(pointers))(
  'a pointer to %s in a query of an index that takes pointers for texts',
  (medium, texts) => {
    test.each(texts)('is a text with its prefix and its words: %s', (text) => {
      expect(input(text, ALL, NONE)).toEqual({ kind: 'text', text: `query: ${text}` });
      expect(words(text, ALL, NONE)).toBe(text);
      const images = { ...NONE, treatUrlsAndPointersAsImages: true };
      expect(input(text, ALL, images).kind).toBe(medium === 'image' ? 'media' : 'text');
      expect(input('https://x.example.com/7', ALL, NONE).kind).toBe('text');
      expect(input('https://x.example.com/7', ['text', 'audio'], images).kind).toBe('text');
      expect(input(text, ALL, { ...NONE, type: 'structured' }).kind).toBe('media');
    });
  },
);

test('a pointer is fetched without the quotes and marks around it', () => {
  const pointer = 'https://x.example.com/a.png';
  for (const text of [`"${pointer}"`, `<${pointer}>`, `\ufeff${pointer}\u200b`]) {
    expect(input(text, ALL)).toEqual({ kind: 'media', pointer, medium: 'image', patches: false });
  }
});

test('a data URI of any type has no words', () => {
  const text = 'data:application/octet-stream;base64,AAAA';
  expect(input(text, ALL)).toMatchObject({ kind: 'media', pointer: text });
  expect(words(text, ALL)).toBeNull();
  expect(words(text, ['text'])).toBe(text);
});

test('a data URI that is embedded by its letters is no longer than a text may be', () => {
  const long = `data:image/png;base64,${'A'.repeat(QUERY_TEXT_LENGTH_MAX)}`;
  expect(input(long, ALL).kind).toBe('media');
  for (const refused of [() => input(long, ALL, NONE), () => input(long, ['text'])]) {
    expect(refused).toThrow('which is more than the allowed limit of [1048576]');
  }
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
