import { createInference, InputBatch, textInputs } from '@pelorus/inference';
import { expect, onTestFinished, test } from 'vitest';
import { LoopbackHub } from '../loopback-hub.js';
import { dataUri, picture } from '../media/pictures.js';
import { encoder, tower, wordTokenizer } from '../onnx/onnx-model.js';
import { temporaryDirectory } from '../temporary-directory.js';

const CONFIG = {
  model_cfg: { text_cfg: { context_length: 16 }, vision_cfg: { image_size: 24 } },
  preprocess_cfg: { mean: [0, 0, 0], std: [1, 1, 1], resize_mode: 'squash' },
};

/** A repository of the hub that the registry does not know, with graphs of 24 pixels. */
async function setUp(config: string | null, more: object = {}) {
  const hub = await LoopbackHub.start();
  hub.put('some/clip', 'tokenizer.json', wordTokenizer());
  hub.put('some/clip', 'text/model.onnx', encoder());
  hub.put('some/clip', 'image/model.onnx', tower({ axes: [24, 24] }));
  if (config !== null) hub.put('some/clip', 'open_clip_config.json', config);
  const inference = createInference({
    modelDir: await temporaryDirectory(),
    hubUrl: hub.url,
    mavenCommand: null,
    threads: 1,
  });
  onTestFinished(() => inference.close());
  const properties = { type: 'open_clip', name: 'hf-hub:some/clip', dimensions: 8, ...more };
  const model = inference.resolve('mine', properties);
  const media = {
    headers: {},
    patchMethod: null,
    video: null,
    audio: null,
    fileBytesMax: 1,
    treated: ['image'],
  } as const;
  const embed = async (inputs: Parameters<typeof InputBatch.of>[0]) => {
    const { vectors, failures } = await inference.embed(model, InputBatch.of(inputs), { normalize: false, media });
    expect(failures).toEqual([]);
    return vectors;
  };
  return { embed };
}

const image = (bytes: Uint8Array) =>
  ({ kind: 'media', pointer: dataUri(bytes), medium: 'image', patches: false }) as const;
const words = (count: number) => textInputs([Array.from({ length: count }, (_, i) => `w${i}`).join(' ')]);

test('a model of the hub that nobody knows takes its inputs as its publisher says', async () => {
  const { embed } = await setUp(JSON.stringify(CONFIG));
  // Sixteen tokens, two of which stand around the words.
  expect(await embed(words(30))).toEqual(await embed(words(14)));
  expect(await embed(words(13))).not.toEqual(await embed(words(14)));
  // The tower adds up what it is given: bytes from 0 to 1, without another mean or deviation.
  const [first] = await embed([image(picture(1, 24, 24))]);
  const pixels = Array.from({ length: 24 * 24 }, (_, at) => [at % 24, Math.floor(at / 24)] as const);
  const channel = (of: (x: number, y: number) => number) =>
    pixels.reduce((sum, [x, y]) => sum + (of(x, y) % 256) / 255, 0);
  const sums = [channel((x) => x * 5 + 17), channel((_, y) => y * 7 + 29), channel((x, y) => x * y + 1)];
  const expected = sums.reduce((sum, value, i) => sum + value * Math.sin(1 + i * 8 * 1.3), 0);
  expect(first).toBeCloseTo(expected, 2);
});

test('and what its index says of tokens counts more', async () => {
  const { embed } = await setUp(JSON.stringify(CONFIG), { tokens: 8 });
  expect(await embed(words(30))).toEqual(await embed(words(6)));
});

test('an index with null tokens leaves their number to the publisher', async () => {
  const { embed } = await setUp(JSON.stringify(CONFIG), { tokens: null, tokenizer: null });
  expect(await embed(words(30))).toEqual(await embed(words(14)));
});

test.each([
  ['no configuration', null, 'its graph takes inputs of shape [3,24,24], its properties say [3,224,224]'],
  ['one that is not JSON', '{', 'open_clip_config.json is not JSON'],
  [
    'one of another kind',
    '{"model_cfg": {"vision_cfg": {"image_size": "large"}}}',
    'open_clip_config.json: model_cfg vision_cfg image_size must be integer',
  ],
  ['one beyond all bounds', '{"model_cfg": {"vision_cfg": {"image_size": 1000000}}}', 'image_size must be <= 2048'],
])('with %s it says what is wrong', async (_, config, reason) => {
  const { embed } = await setUp(config);
  await expect(embed(words(1))).rejects.toThrow(reason);
});
