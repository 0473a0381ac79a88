import type { ResolvedModel } from '@pelorus/inference';
import { expect, test } from 'vitest';
import { readConfig } from '../../src/config.js';
import { documentMedia, queryMedia } from '../../src/media/media-options.js';
import type { IndexDefinition } from '../../src/services/definition.js';

const pictures = { type: 'open_clip', modalities: ['text', 'image'] };
const films = { type: 'languagebind', modalities: ['text', 'image', 'audio', 'video'] };

const common = {
  imagePreprocessing: { patchMethod: 'simple' },
  videoPreprocessing: { splitLength: 20, splitOverlap: 3 },
  audioPreprocessing: { splitLength: 10, splitOverlap: 3 },
};
const unstructured = { type: 'unstructured', treatUrlsAndPointersAsImages: true, ...common };

function definition(settings: object, model: object | null): IndexDefinition {
  const asked = () => {
    if (model === null) throw new Error('asked for the model');
    return model as ResolvedModel;
  };
  return { name: 'i', settings, resolved: {}, model: asked } as unknown as IndexDefinition;
}

const MEDIA = 'MARQO_MEDIA_DOWNLOAD_THREAD_COUNT_PER_REQUEST';
const IMAGE = 'MARQO_IMAGE_DOWNLOAD_THREAD_COUNT_PER_REQUEST';

test.each([
  [pictures, {}, {}, undefined],
  [films, {}, {}, 5],
  [pictures, { imageConnections: 7 }, {}, 7],
  [films, { imageConnections: 7 }, {}, 5],
  [pictures, { mediaConnections: 7 }, {}, 7],
  [films, { mediaConnections: 7 }, {}, 7],
  [pictures, { mediaConnections: 5, imageConnections: 7 }, {}, 5],
  [pictures, {}, { [IMAGE]: '9' }, 9],
  [pictures, { imageConnections: 7 }, { [IMAGE]: '9' }, 7],
  [pictures, { imageConnections: 7 }, { [MEDIA]: '9' }, 9],
  [films, {}, { [IMAGE]: '9' }, 5],
  [films, {}, { [MEDIA]: '9' }, 9],
  [films, { mediaConnections: 7 }, { [MEDIA]: '9' }, 7],
])('%j fetch for %j with %j so many at once: %s', (model, request, environment, connections) => {
  const media = documentMedia(definition(unstructured, model), { headers: {}, ...request }, readConfig(environment));
  expect(media.options?.connections).toBe(connections);
});

test('the settings of the index say how media are taken apart, and those of the server how large they may be', () => {
  const config = readConfig({ MARQO_MAX_ADD_DOCS_VIDEO_AUDIO_FILE_SIZE: '1000' });
  const headers = { a: 'b' };
  expect(documentMedia(definition(unstructured, films), { headers }, config)).toEqual({
    taken: ['image', 'audio', 'video'],
    options: {
      headers,
      connections: 5,
      patchMethod: 'simple',
      video: common.videoPreprocessing,
      audio: common.audioPreprocessing,
      fileBytesMax: 1000,
      treated: ['image'],
    },
  });
  const all = { ...unstructured, treatUrlsAndPointersAsMedia: true };
  expect(documentMedia(definition(all, films), { headers }, config).options?.treated).toEqual([
    'image',
    'audio',
    'video',
  ]);
});

test('nobody asks for the model of an index without pointers', () => {
  const none = { ...unstructured, treatUrlsAndPointersAsImages: false };
  const declared = { type: 'structured', allFields: [{ name: 't', type: 'text' }], ...common };
  for (const settings of [none, declared]) {
    expect(documentMedia(definition(settings, null), { headers: {} }, readConfig())).toEqual({ taken: [] });
  }
});

test('a query has one vector of each medium that the model takes', () => {
  const config = readConfig({ MARQO_MAX_SEARCH_VIDEO_AUDIO_FILE_SIZE: '1000' });
  expect(queryMedia(definition(unstructured, pictures), {}, config)).toEqual({
    headers: {},
    patchMethod: null,
    video: null,
    audio: null,
    fileBytesMax: 1000,
    treated: ['image'],
  });
});
