import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { deflateSync, gzipSync } from 'node:zlib';
import {
  createInference,
  type EmbedOptions,
  type EncoderInput,
  type Inference,
  type InferenceConfig,
  InputBatch,
  type MediaOptions,
  type PartedEmbeddings,
  parseModelFile,
  type ResolvedModel,
} from '@pelorus/inference';
import { expect, onTestFinished, test } from 'vitest';
import { constantGraph } from '../onnx/onnx-model.js';
import { temporaryDirectory } from '../temporary-directory.js';
import { serveMedia } from './media-server.js';
import { dataUri, picture, pngOf } from './pictures.js';

const MEDIA: MediaOptions = {
  headers: {},
  patchMethod: null,
  video: null,
  audio: null,
  fileBytesMax: 10_000_000,
  treated: ['image', 'video', 'audio'],
};
const DIM = 32;

interface SetUp {
  readonly model: ResolvedModel;
  readonly inference: Inference;
  /** Rows, failures and parts of inputs of documents. */
  embed(inputs: readonly EncoderInput[], options?: Partial<EmbedOptions>): Promise<PartedEmbeddings>;
  /** Rows and failures of the inputs of a query. */
  query(inputs: readonly EncoderInput[], options?: Partial<EmbedOptions>): ReturnType<Inference['embedQuery']>;
}

async function setUp(config: InferenceConfig = {}, name = 'random/small'): Promise<SetUp> {
  const inference = createInference({
    modelDir: await temporaryDirectory(),
    hubUrl: null,
    mavenCommand: null,
    mediaNetworks: ['127.0.0.0/8'],
    pictureThreads: 2,
    ...config,
  });
  onTestFinished(() => inference.close());
  const model = inference.resolve(name);
  const common = { normalize: true, media: MEDIA };
  return {
    model,
    inference,
    embed: (inputs, options = {}) => inference.embed(model, InputBatch.of(inputs), { ...common, ...options }),
    query: (inputs, options = {}) => inference.embedQuery(model, inputs, { ...common, ...options }),
  };
}

const text = (content: string): EncoderInput => ({ kind: 'text', text: content });
const image = (pointer: string): EncoderInput => ({ kind: 'media', pointer, medium: 'image', patches: false });
const patched = (pointer: string): EncoderInput => ({ kind: 'media', pointer, medium: 'image', patches: true });
/** A pointer whose kind only its bytes can tell, and the text that stands in for it. */
const unknown = (pointer: string, instead?: string): EncoderInput => ({
  kind: 'media',
  pointer,
  patches: false,
  ...(instead !== undefined && { text: instead }),
});

const row = ({ vectors }: Pick<PartedEmbeddings, 'vectors'>, i: number) => [
  ...vectors.subarray(i * DIM, (i + 1) * DIM),
];

test('a picture has one vector, alone or among others, by URL or data URI, of a document or a query', async () => {
  const { embed, query } = await setUp();
  const pictures = Array.from({ length: 30 }, (_, seed) => picture(seed));
  const server = await serveMedia(Object.fromEntries(pictures.map((bytes, seed) => [`/${seed}.png`, bytes])));
  const among = await embed(
    pictures.flatMap((_, seed) => [text(`text ${seed}`), image(`${server.origin}/${seed}.png`)]),
  );
  expect(among).toMatchObject({ failures: [], parts: [] });
  expect(new Set(pictures.map((_, seed) => row(among, 2 * seed + 1).join())).size).toBe(30);
  for (const [seed, bytes] of pictures.entries()) {
    const vector = row(among, 2 * seed + 1);
    expect(row(await embed([image(dataUri(bytes))]), 0)).toEqual(vector);
    expect(row(await query([image(`${server.origin}/${seed}.png`)]), 0)).toEqual(vector);
    expect(row(among, 2 * seed)).toEqual(row(await embed([text(`text ${seed}`)]), 0));
  }
});

test('a data URI may be spelt in any case, with parameters and blanks', async () => {
  const { embed } = await setUp();
  const [type, base64] = dataUri(picture(1)).split(',') as [string, string];
  const expected = row(await embed([image(`${type},${base64}`)]), 0);
  for (const spelt of [
    'DATA:IMAGE/PNG;BASE64',
    'data:image/png;Base64',
    'data:image/png;charset=utf-8;base64',
    'data:image/png; base64 ',
  ]) {
    const { failures, ...embedded } = await embed([image(`${spelt}, ${base64}\n`)]);
    expect([failures, row(embedded, 0)], spelt).toEqual([[], expected]);
  }
  for (const spelt of [
    'data:image/png',
    'data:image/png;base64;charset=utf-8',
    `data:image/png;a=${'b'.repeat(1000)};base64`,
  ]) {
    const { failures } = await embed([image(`${spelt},${base64}`)]);
    expect(failures, spelt).toEqual([{ row: 0, message: expect.stringContaining('it has no base64 data') }]);
  }
});

test('a data URI of another type or of none is read by its bytes', async () => {
  const { embed } = await setUp();
  const bytes = picture(1);
  const base64 = Buffer.from(bytes).toString('base64');
  const expected = row(await embed([image(dataUri(bytes))]), 0);
  const read = await embed([
    unknown(`data:application/octet-stream;base64,${base64}`),
    unknown(`data:;base64,${base64}`),
  ]);
  expect(read.failures).toEqual([]);
  expect([row(read, 0), row(read, 1)]).toEqual([expected, expected]);
  const sound = Buffer.from('ID3\x03\0\0\0\0\0\0', 'latin1').toString('base64');
  const { failures } = await embed([
    unknown(`data:;base64,${sound}`, 'text'),
    unknown('data:text/plain;base64,d29yZHM=', 'text'),
  ]);
  expect(failures.map(({ message }) => message)).toEqual([
    expect.stringContaining('`data:[omitted]`. Reason: films and sounds are not taken from a data URI'),
    expect.stringContaining('`data:[omitted]`. Reason: the bytes are no picture'),
  ]);
});

test.each([
  ['http:/a.example/a.png', 'it is no URL, expected `http://`'],
  ['https:a.example', 'it is no URL, expected `http://`'],
  ['http:///a.png', 'it is no URL, expected `http://`'],
  ['http:\\\\a.example\\a.png', 'it has a backslash, expected slashes'],
  ['https://a.example\\a.png', 'it has a backslash, expected slashes'],
  ['https://a.example/a\u202e.png', 'it has the invisible character U+202E'],
  ['https://a.example/a\nb.png', 'it has a line break or a tab'],
  ['https://a.example/a.png https://a.example/b.png', 'it is 2 URLs, expected one'],
  ['http://[::1', 'its host or port is none that a URL can have'],
])('a misspelt URL is refused and not mended: %j', async (pointer, reason) => {
  const { embed } = await setUp();
  const { failures } = await embed([unknown(pointer, 'text')]);
  expect(failures).toEqual([{ row: 0, message: expect.stringContaining(reason) }]);
});

test('a query tells which inputs turned out to be pictures', async () => {
  const { query } = await setUp();
  const { origin } = await serveMedia({ '/a': picture(1), '/b': Buffer.from('words') });
  const [found, words] = [unknown(`${origin}/a`, 'a'), unknown(`${origin}/b`, 'b')];
  expect((await query([text('t'), found, words, image(dataUri(picture(2)))])).media).toEqual([1, 3]);
  expect((await query([text('t'), words, image('data:image/png,')])).media).toEqual([]);
  expect((await query([text('t')])).media).toEqual([]);
});

test('inputs that fail leave the others alone and in their places', async () => {
  const { embed } = await setUp();
  const server = await serveMedia({ '/a.png': picture(1), '/bad.png': Buffer.from('<html>') });
  const { origin } = server;
  const made = await embed([
    image(`${origin}/none.png?key=secret`),
    text('a'),
    image(`${origin}/bad.png`),
    image(`${origin}/a.png`),
  ]);
  const words = (path: string, reason: string) =>
    `Could not process the media file found at \`${origin}${path}\`. Reason: ${reason}`;
  expect(made.failures).toEqual([
    { row: 0, message: words('/none.png', 'the server answered with status 404') },
    { row: 2, message: words('/bad.png', 'the bytes are no picture: expected JPEG, PNG, GIF, WebP, BMP or TIFF') },
  ]);
  expect(row(made, 0)).toEqual(new Array(DIM).fill(0));
  expect(row(made, 1)).toEqual(row(await embed([text('a')]), 0));
  expect(row(made, 3)).toEqual(row(await embed([image(dataUri(picture(1)))]), 0));
});

test.each([
  ['empty', Buffer.alloc(0), 'the bytes are no picture'],
  ['truncated', picture(1).subarray(0, 300), 'the PNG picture is truncated'],
  ['compressed by its server', gzipSync(picture(1)), 'the bytes are no picture'],
  ['a sound', Buffer.from('ID3\x03\0\0\0\0\0\0', 'latin1'), 'the bytes are no picture'],
  ['a bomb', pngOf(30_000, 30_000, deflateSync(Buffer.alloc(100))), 'the picture has 30000 x 30000 pixels'],
])('a medium called a picture that is %s fails by itself', async (_, bytes, reason) => {
  const { embed } = await setUp();
  const { origin } = await serveMedia({ '/a.png': bytes, '/good.png': picture(1) });
  const { failures } = await embed([image(`${origin}/a.png`), image(`${origin}/good.png`), image(dataUri(bytes))]);
  expect(failures).toEqual([0, 2].map((row) => ({ row, message: expect.stringContaining(`. Reason: ${reason}`) })));
});

test('a picture is what its bytes are, whatever it is called', async () => {
  const { embed } = await setUp();
  const { origin } = await serveMedia({
    '/a.jpg': (_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end(picture(1)),
  });
  const made = await embed([image(`${origin}/a.jpg`), image(dataUri(picture(1)))]);
  expect(made.failures).toEqual([]);
  expect(row(made, 0)).toEqual(row(made, 1));
});

test('simple patches are ten vectors with their boxes, of the inputs that may have them', async () => {
  const { embed } = await setUp();
  const media: MediaOptions = { ...MEDIA, patchMethod: 'simple' };
  const server = await serveMedia({ '/a.png': picture(1, 480, 120) });
  const url = `${server.origin}/a.png`;
  const { vectors, failures, parts } = await embed([text('a'), patched(url), image(url), text('b')], { media });
  expect(failures).toEqual([]);
  expect(parts).toEqual([{ row: 1, chunks: expect.any(Array) }]);
  expect(parts[0]?.chunks).toHaveLength(10);
  expect(parts[0]?.chunks.slice(0, 3)).toEqual([
    '[0.0, 0.0, 480.0, 120.0]',
    '[0.0, 0.0, 160.0, 40.0]',
    '[160.0, 0.0, 320.0, 40.0]',
  ]);
  expect(vectors).toHaveLength(13 * DIM);
  expect(row({ vectors }, 11)).toEqual(row(await embed([image(url)]), 0));
  expect(row({ vectors }, 12)).toEqual(row(await embed([text('b')]), 0));
  expect(server.requests.filter(({ url: path }) => path === '/a.png')).toHaveLength(2);
});

/** A graph of `frcnn` that finds these boxes in every picture, the first most surely, in a folder of its own. */
async function finding(boxes: readonly (readonly number[])[], axes: readonly number[] = [1, 3, 240, 240]) {
  const folder = await temporaryDirectory();
  const count = boxes.length;
  const outputs = [
    { name: 'boxes', dims: [count, 4], values: Float32Array.from(boxes.flat()) },
    { name: 'scores', dims: [count], values: Float32Array.from(boxes, (_, i) => 1 - i / 200) },
  ];
  await writeFile(join(folder, 'model.onnx'), constantGraph(axes, outputs));
  return mapped(folder);
}

const mapped = (folder: string) =>
  parseModelFile({ models: { 'detector/frcnn': { folder } } }, join(folder, 'models.json'));

const FOUND = { media: { ...MEDIA, patchMethod: 'frcnn' } } as const;

test('any number of parts that a detector finds is embedded, and their detector is a model among others', async () => {
  // Far enough apart that none is another: 61 x 61 pixels, 26 further on.
  const starts = [0, 26, 52, 78, 104, 130, 156];
  const boxes = starts.flatMap((top) => starts.map((left) => [left, top, left + 61, top + 61]));
  const { embed, inference } = await setUp({ modelFile: await finding(boxes) });
  const uri = dataUri(picture(1, 240, 240));
  const { vectors, failures, parts } = await embed([patched(uri), text('a')], FOUND);
  expect(failures).toEqual([]);
  const shown = [[0, 0, 240, 240], ...boxes].map((box) => `[${box.map((at) => `${at}.0`).join(', ')}]`);
  expect(parts).toEqual([{ row: 0, chunks: shown }]);
  expect(vectors).toHaveLength((shown.length + 1) * DIM);
  const rows = Array.from({ length: shown.length }, (_, at) => row({ vectors }, at));
  expect(new Set(rows.map((one) => JSON.stringify(one))).size).toBe(shown.length);
  expect(row({ vectors }, shown.length)).toEqual(row(await embed([text('a')]), 0));
  // The same part has the same vector wherever it stands.
  const alone = await setUp({ modelFile: await finding([boxes[30] ?? []]) });
  expect(row(await alone.embed([patched(uri)], FOUND), 1)).toEqual(rows[31]);
  expect(inference.loaded()).toContainEqual({
    model_name: 'faster_rcnn',
    model_device: 'cpu',
    encoder: 'onnxruntime',
    precision: 'f32',
  });
});

test.each([
  ['an input of another size', [1, 3, 224, 224], 'its graph takes inputs of shape [1,3,224,224], expected [3,240,240]'],
  ['an input of batches alone', [8, 3, 240, 240], 'its graph takes inputs of shape [8,3,240,240]'],
  ['an input of fewer axes', [240, 240], 'its graph takes inputs of shape [240,240]'],
])('a detector with %s is refused, and with it those pictures alone', async (_, axes, reason) => {
  const { embed } = await setUp({ modelFile: await finding([[0, 0, 100, 100]], axes) });
  const { failures } = await embed([patched(dataUri(picture(1))), image(dataUri(picture(1)))], FOUND);
  expect(failures).toEqual([{ row: 0, message: expect.stringContaining(reason) }]);
});

test('a detector that says something else fails the picture', async () => {
  const folder = await temporaryDirectory();
  const attention = { name: 'attention', dims: [1, 4], values: new Float32Array(4) };
  await writeFile(join(folder, 'model.onnx'), constantGraph([1, 3, 240, 240], [attention]));
  const { embed } = await setUp({ modelFile: mapped(folder) });
  const { failures } = await embed([patched(dataUri(picture(1))), text('a')], FOUND);
  const reason = 'gave outputs of shape [[1, 4]], expected boxes [parts, 4] and scores [parts]';
  expect(failures).toEqual([{ row: 0, message: expect.stringContaining(reason) }]);
});

test('a detector that is not there is named, with what to supply and where', async () => {
  const { embed } = await setUp();
  for (const patchMethod of ['frcnn', 'marqo-yolo', 'dino-v1', 'dino-v2'] as const) {
    const { failures } = await embed([patched(dataUri(picture(1)))], { media: { ...MEDIA, patchMethod } });
    const place = `<model-dir>/detector--${patchMethod}`;
    const way =
      patchMethod === 'marqo-yolo'
        ? 'run "pelorus models pull detector/marqo-yolo" where one of these ways is open'
        : `run "pelorus models export detector/${patchMethod}" where its library is`;
    expect(failures).toEqual([
      {
        row: 0,
        message:
          'Could not process the media file found at `data:image/[omitted]`. ' +
          `Reason: Model detector/${patchMethod} is not on this machine. Tried: folder ${place} (absent); downloads ` +
          `(turned off with --hub none). To provide it, put model.onnx into ${place}, or map the name to a folder in the ` +
          `file given with --models, or ${way}.`,
      },
    ]);
  }
});

test('a detector is no model of an index', async () => {
  const { inference } = await setUp();
  expect(() => inference.resolve('detector/frcnn')).toThrow('Could not find model properties for model=detector/frcnn');
});

test('the bytes behind a URL tell their kind where nothing else does', async () => {
  const { embed, query } = await setUp();
  const server = await serveMedia({
    '/picture': picture(1),
    '/page': Buffer.from('<!doctype html><title>A page</title>'),
    '/film': Buffer.from('\0\0\0\x20ftypisom\0\0\x02\0isomiso2mp41', 'latin1'),
  });
  const inputs = [
    unknown(`${server.origin}/page`, 'prefix: the page'),
    unknown(`${server.origin}/picture`, 'prefix: the picture'),
    text('b'),
    unknown(`${server.origin}/page`),
    unknown(`${server.origin}/film`, 'prefix: the film'),
  ];
  for (const make of [embed, query]) {
    const made = await make(inputs);
    expect(row(made, 0)).toEqual(row(await embed([text('prefix: the page')]), 0));
    expect(row(made, 1)).toEqual(row(await embed([image(dataUri(picture(1)))]), 0));
    expect(row(made, 2)).toEqual(row(await embed([text('b')]), 0));
    expect(made.failures).toEqual([
      { row: 3, message: expect.stringMatching(/Reason: its first bytes are neither those of a picture/) },
      { row: 4, message: expect.stringMatching(/Reason: Model random\/small does not support video$/) },
    ]);
  }
});

test('a URL is fetched once in a call, and again in the next', async () => {
  const { embed, query } = await setUp();
  const server = await serveMedia({ '/a.png': picture(1) });
  const inputs = [image(`${server.origin}/a.png`), patched(`${server.origin}/a.png`), image(`${server.origin}/a.png`)];
  await embed(inputs);
  expect(server.requests).toHaveLength(1);
  await query(inputs.slice(0, 1));
  await query(inputs.slice(0, 1));
  expect(server.requests).toHaveLength(3);
});

test('headers of the caller are sent, and what says how a request travels is refused', async () => {
  const { embed } = await setUp();
  const server = await serveMedia({ '/a.png': picture(1) });
  const inputs = [image(`${server.origin}/a.png`)];
  await embed(inputs);
  await embed(inputs, { media: { ...MEDIA, headers: { 'X-Key': 'k', 'User-Agent': 'mine' } } });
  expect(server.requests.map(({ headers }) => [headers['user-agent'], headers['x-key']])).toEqual([
    ['Marqobot/1.0', undefined],
    ['mine', 'k'],
  ]);
  for (const [name, value] of [
    ['Host', 'metadata'],
    ['content-length', '5'],
    ['Transfer-Encoding', 'chunked'],
    ['X-Forwarded-For', '127.0.0.1'],
    ['a b', 'x'],
    ['x', 'a\r\nb: c'],
    ['x', 'ü'],
  ] as const) {
    await expect(embed(inputs, { media: { ...MEDIA, headers: { [name]: value } } }), name).rejects.toMatchObject({
      code: 'invalid_argument',
      message: expect.stringMatching(/^Media download headers: /),
    });
  }
  expect(server.requests).toHaveLength(2);
});

test('a call that nobody waits for ends, and so do its fetches', async () => {
  const { embed } = await setUp();
  const { promise: asked, resolve } = Promise.withResolvers<void>();
  let closed = 0;
  const server = await serveMedia({
    '/never.png': (request) => {
      request.socket.on('close', () => closed++);
      resolve();
    },
  });
  const controller = new AbortController();
  const inputs = Array.from({ length: 5 }, (_, i) => image(`${server.origin}/never.png?${i}`));
  const gone = new Error('the client is gone');
  const embedding = embed(inputs, { signal: controller.signal, media: { ...MEDIA, connections: 1 } });
  await asked;
  controller.abort(gone);
  await expect(embedding).rejects.toBe(gone);
  await expect.poll(() => closed).toBe(1);
  expect(server.requests).toHaveLength(1);
});
