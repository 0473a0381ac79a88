import { describe, expect, test } from 'vitest';
import type { IndexDefinition } from '../../src/indexes/definition.js';
import { refuseMedia } from '../../src/search/media-pointers.js';
import { unstructured } from './requests.js';

const index = (settings: object) =>
  ({ ...unstructured, settings: { ...unstructured.settings, ...settings } }) as IndexDefinition;
const refusal = (text: string, settings: object) => {
  try {
    refuseMedia([text], 'q', index(settings));
    return null;
  } catch (error) {
    return (error as Error).message;
  }
};

const none = { treatUrlsAndPointersAsImages: false, treatUrlsAndPointersAsMedia: false };
const images = { treatUrlsAndPointersAsImages: true, treatUrlsAndPointersAsMedia: false };
const all = { treatUrlsAndPointersAsImages: true, treatUrlsAndPointersAsMedia: true };

const pointers = {
  image: [
    'http://x.example/a.jpg',
    'https://x.example/a.b.WebP',
    'https://x.example/a.png?w=1',
    'data:image/png;base64,A',
  ],
  video: ['https://x.example/a.mp4', 'https://x.example/a.mov#t=1', 'data:video/mp4;base64,A'],
  audio: ['https://x.example/a.wav', 'https://x.example/a.ogg', 'data:audio/wav;base64,A'],
};

describe.each(Object.entries(pointers))('a pointer to %s', (medium, texts) => {
  test.each(texts)('is a text unless the index takes it for what it points to: %s', (text) => {
    const reason = `Reason: Model m does not support ${medium}`;
    expect(refusal(text, none)).toBeNull();
    expect(refusal(text, all)).toContain(reason);
    expect(refusal(text, images)).toEqual(medium === 'image' ? expect.stringContaining(reason) : null);
    const declared = { type: 'structured', allFields: [{ name: 'f', type: `${medium}_pointer`, features: [] }] };
    expect(refusal(text, declared)).toContain(`its field f of type ${medium}_pointer`);
    expect(refusal(text, { type: 'structured', allFields: [{ name: 'f', type: 'text', features: [] }] })).toBeNull();
  });
});

test.each([
  'a.jpg',
  'shoes like in https://x.example/a.jpg',
  'https://x.example/jpg',
  'https://x.example/?a.jpg',
  'data:text/plain,a',
  '',
])('a text stays one: %j', (text) => {
  expect(refusal(text, all)).toBeNull();
});
