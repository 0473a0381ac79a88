import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createInference,
  type EmbedOptions,
  type EncoderInput,
  type InferenceConfig,
  InputBatch,
  type MediaOptions,
  type PartedEmbeddings,
} from '@pelorus/inference';
import { filmFrame, soundTensor } from '@pelorus/node';
import { beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { temporaryDirectory } from '../temporary-directory.js';
import { ffmpegProgram, runFfmpeg } from './ffmpeg-program.js';
import { serveMedia } from './media-server.js';
import { picture } from './pictures.js';

const DIM = 32;
const MEDIA: MediaOptions = {
  headers: {},
  patchMethod: null,
  video: { splitLength: 2, splitOverlap: 1 },
  audio: { splitLength: 2, splitOverlap: 1 },
  fileBytesMax: 10_000_000,
  treated: ['image', 'video', 'audio'],
};
/** As for a query. */
const WHOLE = { media: { ...MEDIA, video: null, audio: null } };

let program: string;
let film: Buffer;
let filmWithLongSound: Buffer;
let sound: Buffer;
let samples: Float32Array;

/** Ten frames a second for five seconds, each of one grey: frame `n` has the level `4 * n`. */
const GREYS = ['-f', 'lavfi', '-i', 'color=black:s=64x48:r=10:d=5,format=gray,geq=lum=4*N,format=rgb24'];

beforeAll(async () => {
  program = ffmpegProgram();
  film = await made([...GREYS, '-c:v', 'ffv1', 'film.mkv']);
  const longSound = ['-f', 'lavfi', '-i', 'sine=d=7', '-c:a', 'pcm_s16le'];
  filmWithLongSound = await made([...GREYS, ...longSound, '-c:v', 'ffv1', 'film.mkv']);
  const chirp = ['-f', 'lavfi', '-i', 'aevalsrc=0.5*sin(800*t*t):s=16000:d=5'];
  sound = await made([...chirp, '-c:a', 'pcm_f32le', 'sound.wav']);
  const raw = await made([...chirp, '-f', 'f32le', 'sound.raw']);
  samples = Float32Array.from({ length: raw.length / 4 }, (_, at) => raw.readFloatLE(4 * at));
});

async function made(args: readonly string[]): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), 'pelorus-inference-'));
  try {
    runFfmpeg(program, folder, args);
    return await readFile(join(folder, args.at(-1) ?? ''));
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function setUp(config: InferenceConfig = {}) {
  const reports: string[] = [];
  const modelDir = await temporaryDirectory();
  const folder = await temporaryDirectory();
  for (const name of ['TMPDIR', 'TEMP']) vi.stubEnv(name, folder);
  const inference = createInference({
    modelDir,
    hubUrl: null,
    mavenCommand: null,
    mediaNetworks: ['127.0.0.0/8'],
    pictureThreads: 2,
    ffmpegCommand: program,
    report: (message) => reports.push(message),
    ...config,
  });
  onTestFinished(async () => {
    vi.unstubAllEnvs();
    await inference.close();
  });
  // Its vectors are drawn from a hash of the tensor, whatever medium that is of.
  const model = { ...inference.resolve('random/small'), modalities: ['text', 'image', 'video', 'audio'] as const };
  const embed = (inputs: readonly EncoderInput[], options: Partial<EmbedOptions> = {}) =>
    inference.embed(model, InputBatch.of(inputs), { normalize: true, media: MEDIA, ...options });
  return { embed, reports, remaining: () => readdir(folder) };
}

const recording = (medium: 'video' | 'audio', pointer: string): EncoderInput => ({
  kind: 'media',
  pointer,
  medium,
  patches: true,
});
const text = (content: string): EncoderInput => ({ kind: 'text', text: content });

const rowsOf = ({ vectors }: PartedEmbeddings) =>
  Array.from({ length: vectors.length / DIM }, (_, row) => [...vectors.subarray(row * DIM, (row + 1) * DIM)]);

/** The text that the vectors of a tensor are those of. */
const hashOf = (values: Float32Array) => text(createHash('sha256').update(values).digest('hex'));

/** The tensor of frames that are all of one grey. */
function greyTensor(frames: readonly number[]): Float32Array {
  const tensors = frames.map((frame) => filmFrame(new Uint8Array(64 * 48 * 3).fill(4 * frame), 64, 48).values);
  const plane = 224 * 224;
  const channels = [0, 1, 2].flatMap((channel) =>
    tensors.map((tensor) => tensor.subarray(channel * plane, (channel + 1) * plane)),
  );
  const values = new Float32Array(3 * 8 * plane);
  for (const [at, part] of channels.entries()) values.set(part, at * plane);
  return values;
}

test('a film has a vector for each piece, with its start and end', async () => {
  const { embed, reports, remaining } = await setUp();
  const { origin } = await serveMedia({ '/film.mkv': film });
  const embedded = await embed([text('before'), recording('video', `${origin}/film.mkv`), text('behind')]);
  expect(embedded.failures).toEqual([]);
  const labels = ['[0.0, 2.0]', '[1.0, 3.0]', '[2.0, 4.0]', '[3.0, 5.0]'];
  expect(embedded.parts).toEqual([{ row: 1, chunks: labels }]);
  // linspace(0, 19, 8) of the twenty frames of each piece.
  const offsets = [0, 2, 5, 8, 10, 13, 16, 19];
  const pieces = [0, 10, 20, 30].map((first) => hashOf(greyTensor(offsets.map((offset) => first + offset))));
  expect(rowsOf(embedded)).toEqual(rowsOf(await embed([text('before'), ...pieces, text('behind')])));
  expect([reports, await remaining()]).toEqual([[], []]);
});

test('a sound has a vector for each piece, with its start and end', async () => {
  const { embed, reports, remaining } = await setUp();
  const { origin } = await serveMedia({ '/sound.wav': sound });
  const embedded = await embed([recording('audio', `${origin}/sound.wav`)]);
  expect(embedded.parts).toEqual([{ row: 0, chunks: ['[0.0, 2.0]', '[1.0, 3.0]', '[2.0, 4.0]', '[3.0, 5.0]'] }]);
  const pieces = [0, 1, 2, 3].map((start) =>
    hashOf(soundTensor(samples.subarray(start * 16_000, (start + 2) * 16_000)).values),
  );
  expect(rowsOf(embedded)).toEqual(rowsOf(await embed(pieces)));
  expect([reports, await remaining()]).toEqual([[], []]);
});

test('a film or sound that is not to be split has one vector of the whole', async () => {
  const { embed } = await setUp();
  const { origin } = await serveMedia({ '/film.mkv': film, '/sound.wav': sound });
  const inputs = [recording('video', `${origin}/film.mkv`), recording('audio', `${origin}/sound.wav`)];
  const embedded = await embed(inputs, WHOLE);
  expect(embedded).toMatchObject({ failures: [], parts: [] });
  const whole = [hashOf(greyTensor([0, 7, 14, 21, 28, 35, 42, 49])), hashOf(soundTensor(samples).values)];
  expect(rowsOf(embedded)).toEqual(rowsOf(await embed(whole)));
});

test('a film that only its bytes tell is one, and equal pointers are fetched and decoded once', async () => {
  const { embed } = await setUp();
  const server = await serveMedia({ '/film': film });
  const unknown: EncoderInput = { kind: 'media', pointer: `${server.origin}/film`, patches: false, text: 'no film' };
  const embedded = await embed([unknown, unknown]);
  expect(embedded.parts.map(({ row, chunks }) => [row, chunks.length])).toEqual([
    [0, 4],
    [1, 4],
  ]);
  const rows = rowsOf(embedded);
  expect(rows.slice(0, 4)).toEqual(rows.slice(4));
  expect(server.requests).toHaveLength(1);
});

test('pieces without frames are left out, which is reported', async () => {
  const { embed, reports } = await setUp();
  const { origin } = await serveMedia({ '/film.mkv': filmWithLongSound });
  const url = `${origin}/film.mkv?token=secret`;
  const embedded = await embed([recording('video', url)]);
  const labels = ['[0.0, 2.0]', '[1.0, 3.0]', '[2.0, 4.0]', '[3.0, 5.0]', '[4.0, 6.0]'];
  expect(embedded.parts).toEqual([{ row: 0, chunks: labels }]);
  expect(reports).toEqual([
    expect.stringMatching(/^The video at .*: \[5\.0, 7\.0\] is left out: it has no frames there$/),
  ]);
  expect(reports.join()).not.toContain('secret');
});

test('a fault of one film or sound is said of it alone', async () => {
  const { embed, remaining } = await setUp();
  const short = await made(['-f', 'lavfi', '-i', 'sine=d=0.5', 'short.wav']);
  const files = { '/page.mp4': Buffer.from('<html>'.repeat(1000)), '/short.wav': short, '/film.mkv': film };
  const { origin } = await serveMedia({ ...files, '/large.wav': sound });
  const embedded = await embed(
    [
      recording('video', `${origin}/page.mp4`),
      recording('audio', `${origin}/short.wav`),
      recording('audio', `${origin}/large.wav`),
      recording('audio', `${origin}/film.mkv`),
      recording('video', `${origin}/film.mkv`),
      recording('video', `${origin}/none.mp4`),
    ],
    { media: { ...MEDIA, fileBytesMax: 200_000 } },
  );
  const reasons = embedded.failures.map(({ row, message }) => [row, message.replace(/^.* Reason: /, '')]);
  expect(reasons).toEqual([
    [0, expect.stringMatching(/^ffmpeg cannot read it: /)],
    [1, 'it is 0.5 seconds long, and must be longer than the splitOverlap of 1 seconds'],
    [2, 'it has more than 200000 bytes, the most that is fetched'],
    [3, expect.stringMatching(/^(it has no sound|ffmpeg cannot read it)/)],
    [5, 'the server answered with status 404'],
  ]);
  expect(embedded.parts.map(({ row }) => row)).toEqual([4]);
  expect(await remaining()).toEqual([]);
});

test('more pieces than a field may have chunks are refused before any is decoded', async () => {
  const { embed } = await setUp();
  const { origin } = await serveMedia({ '/sound.wav': sound });
  const media = { ...MEDIA, audio: { splitLength: 0.004, splitOverlap: 0 } };
  const { failures } = await embed([recording('audio', `${origin}/sound.wav`)], { media });
  expect(failures[0]?.message).toMatch(
    /it has 1250 pieces, which exceeds the maximum of 1000\. Raise the splitLength$/,
  );
});

test('without ffmpeg a film is not even fetched', async () => {
  const { embed } = await setUp({ ffmpegCommand: null });
  const server = await serveMedia({ '/film.mkv': film });
  const { failures } = await embed([recording('video', `${server.origin}/film.mkv`), text('a text')]);
  expect(failures).toEqual([
    { row: 0, message: expect.stringMatching(/films and sounds are read by ffmpeg, which this server does without$/) },
  ]);
  expect(server.requests).toEqual([]);
});

test('a call that nobody waits for leaves no file behind', async () => {
  const { embed, remaining } = await setUp();
  const { origin } = await serveMedia({ '/film.mkv': film });
  const controller = new AbortController();
  const media = { ...MEDIA, video: { splitLength: 0.2, splitOverlap: 0.1 } };
  const embedding = embed([recording('video', `${origin}/film.mkv`)], { media, signal: controller.signal });
  const failed = expect(embedding).rejects.toThrow('nobody waits');
  await vi.waitUntil(async () => (await remaining()).length > 0, { timeout: 60_000, interval: 1 });
  controller.abort(new Error('nobody waits'));
  await failed;
  await vi.waitUntil(async () => (await remaining()).length === 0, { timeout: 60_000, interval: 10 });
});

test('films and sounds come by URL: the data of a URI is not taken for a picture in their place', async () => {
  const { embed } = await setUp();
  const base64 = Buffer.from(picture(1)).toString('base64');
  const { failures } = await embed([
    recording('video', `data:video/mp4;base64,${base64}`),
    recording('audio', `data:audio/wav;base64,${base64}`),
  ]);
  expect(failures.map(({ message }) => message)).toEqual([
    expect.stringContaining(
      '`data:video/[omitted]`. Reason: films and sounds are not taken from a data URI, expected the URL of one',
    ),
    expect.stringContaining(
      '`data:audio/[omitted]`. Reason: films and sounds are not taken from a data URI, expected the URL of one',
    ),
  ]);
});
