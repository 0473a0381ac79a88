import type { ResolvedModel } from '@pelorus/inference';
import { expect, test } from 'vitest';
import { readConfig } from '../../src/config.js';
import { documentMediaOptions, documentModalities } from '../../src/documents/media-options.js';
import type { IndexDefinition } from '../../src/indexes/definition.js';

const pictures = { modalities: ['text', 'image'] };
const films = { modalities: ['text', 'image', 'audio', 'video'] };

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
  [pictures, {}, {}, 20],
  [films, {}, {}, 5],
  [pictures, { imageThreads: 7 }, {}, 7],
  [films, { imageThreads: 7 }, {}, 5],
  [pictures, { mediaThreads: 7 }, {}, 7],
  [films, { mediaThreads: 7 }, {}, 7],
  [pictures, { mediaThreads: 5 }, {}, 20],
  [pictures, { mediaThreads: 5, imageThreads: 7 }, {}, 7],
  [pictures, { mediaThreads: null }, { [IMAGE]: '9' }, 9],
  [pictures, { imageThreads: 20 }, { [IMAGE]: '9' }, 9],
  [pictures, { imageThreads: 7 }, { [IMAGE]: '9' }, 7],
  [pictures, { imageThreads: 7 }, { [MEDIA]: '9' }, 9],
  [films, {}, { [IMAGE]: '9' }, 5],
  [films, {}, { [MEDIA]: '9' }, 9],
  [films, { mediaThreads: 7 }, { [MEDIA]: '9' }, 7],
  [films, { mediaThreads: 5 }, { [MEDIA]: '9' }, 9],
])('%j fetch for %j with %j so many at once: %i', (model, download, environment, connections) => {
  const options = documentMediaOptions(
    { headers: {}, ...download },
    definition(unstructured, model),
    readConfig(environment),
  );
  expect(options?.connections).toBe(connections);
});

test('the settings of the index say how media are taken apart, and those of the server how large they may be', () => {
  const config = readConfig({ MARQO_MAX_ADD_DOCS_VIDEO_AUDIO_FILE_SIZE: '1000' });
  const headers = { a: 'b' };
  expect(documentMediaOptions({ headers }, definition(unstructured, pictures), config)).toEqual({
    headers,
    connections: 20,
    patchMethod: 'simple',
    video: common.videoPreprocessing,
    audio: common.audioPreprocessing,
    fileBytesMax: 1000,
  });
  const whole = definition({ ...unstructured, imagePreprocessing: {} }, pictures);
  expect(documentMediaOptions({ headers }, whole, config)?.patchMethod).toBeNull();
});

const declared = (type: string) => ({ type: 'structured', allFields: [{ name: 'f', type, features: [] }], ...common });

test.each([
  [unstructured, pictures.modalities],
  [{ ...unstructured, treatUrlsAndPointersAsImages: false }, ['text']],
  [declared('image_pointer'), pictures.modalities],
  [declared('video_pointer'), pictures.modalities],
  [declared('audio_pointer'), pictures.modalities],
  [declared('text'), ['text']],
])('a model is asked for where documents may hold media (%#)', (settings, expected) => {
  const isAsked = expected.length > 1;
  const index = definition(settings, isAsked ? pictures : null);
  expect(documentModalities(index)).toEqual(expected);
  expect(documentMediaOptions({ headers: {} }, index, readConfig({})) === undefined).toBe(!isAsked);
});
