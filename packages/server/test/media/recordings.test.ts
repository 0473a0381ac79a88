import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseModelFile } from '@pelorus/inference';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ffmpegProgram, runFfmpeg } from '../../../inference/test/media/ffmpeg-program.js';
import { tower, wordTokenizer, wordTower } from '../../../inference/test/onnx/onnx-model.js';
import { Connection } from '../conformance/connection.js';
import { create } from '../conformance/indexes.js';
import { PictureServer } from './picture-server.js';

const DIM = 4;
/** Ids of `w0` and so on. */
const word = (number: number) => 4 + number;
const [RED, BLUE, LOUD] = ['w0', 'w1', 'w2'];

/** Towers like those of LanguageBind: `w0` is red, `w1` blue and `w2` loud; a film is its mean colour, a sound its loudness. */
function writeModel(folder: string): void {
  const words = new Float32Array(64 * DIM);
  for (const number of [0, 1, 2]) words[word(number) * DIM + number] = 1;
  const colours = Float32Array.from([1, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 0]);
  const loudness = Float32Array.from([0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0]);
  const graphs = {
    text: wordTower(words, DIM),
    video: tower({ dim: DIM, axes: [8, 224, 224], weights: colours }),
    audio: tower({ dim: DIM, axes: [112, 1036], weights: loudness }),
  };
  for (const [name, graph] of Object.entries(graphs)) {
    mkdirSync(join(folder, name));
    writeFileSync(join(folder, name, 'model.onnx'), graph);
  }
  writeFileSync(join(folder, 'tokenizer.json'), wordTokenizer());
}

const folder = mkdtempSync(join(tmpdir(), 'pelorus-recordings-'));
let connection: Connection;
let files: PictureServer;

beforeAll(async () => {
  const ffmpegCommand = ffmpegProgram();
  const made = (args: readonly string[], name: string) => {
    runFfmpeg(ffmpegCommand, folder, [...args, name]);
    return readFileSync(join(folder, name));
  };
  const colour = (name: string) => ['-f', 'lavfi', '-i', `color=${name}:s=64x48:r=5:d=6`, '-c:v', 'mpeg4'];
  const then = '[0][1]concat=n=2:v=1:a=0';
  const both = ['-f', 'lavfi', '-i', 'color=red:s=64x48:r=5:d=6', '-f', 'lavfi', '-i', 'color=blue:s=64x48:r=5:d=6'];
  files = await PictureServer.open({
    '/red.mp4': made(colour('red'), 'red.mp4'),
    '/both.mp4': made([...both, '-filter_complex', then, '-c:v', 'mpeg4'], 'both.mp4'),
    '/loud.wav': made(['-f', 'lavfi', '-i', 'anoisesrc=d=3:a=0.9:seed=13:r=16000'], 'loud.wav'),
    '/silent.wav': made(['-f', 'lavfi', '-i', 'anullsrc=r=16000:cl=mono', '-t', '3'], 'silent.wav'),
    '/cut.mp4': Buffer.from('\0\0\0\x20ftypisom\0\0\x02\0isomiso2mp41', 'latin1'),
  });
  writeModel(folder);
  const properties = { type: 'languagebind', dimensions: DIM, supportedModalities: ['text', 'video', 'audio'] };
  const modelFile = parseModelFile({ models: { toy: { folder, properties } } }, join(folder, 'models.json'));
  const settings = {
    model: 'toy',
    treatUrlsAndPointersAsMedia: true,
    videoPreprocessing: { splitLength: 6, splitOverlap: 0 },
    audioPreprocessing: { splitLength: 6, splitOverlap: 0 },
  };
  connection = await Connection.open(
    {
      title: 'films and sounds',
      environment: { MARQO_MEDIA_DOWNLOAD_ALLOWED_NETWORKS: '127.0.0.0/8' },
      preparation: [create('media', settings)],
      cases: [],
    },
    { modelFile, ffmpegCommand },
  );
  await connection.check({
    request: 'POST /indexes/media/documents',
    body: {
      documents: ['red.mp4', 'both.mp4', 'loud.wav', 'silent.wav', 'cut.mp4'].map((name) => ({
        _id: name,
        m: files.at(`/${name}`),
      })),
      tensorFields: ['m'],
    },
    status: 200,
    answer: expect.objectContaining({
      errors: true,
      items: [
        ...['red.mp4', 'both.mp4', 'loud.wav', 'silent.wav'].map((_id) => ({ _id, status: 200 })),
        expect.objectContaining({
          _id: 'cut.mp4',
          status: 400,
          message: expect.stringContaining('Could not process the media file'),
        }),
      ],
    }),
  });
}, 60_000);

afterAll(async () => {
  await connection.close();
  await files.close();
  rmSync(folder, { recursive: true });
});

/** Hits in their order, each with the piece that is most like the query. */
async function found(q: string): Promise<[id: string, piece: string][]> {
  let hits: [string, string][] = [];
  await connection.check({
    request: 'POST /indexes/media/search',
    body: { q },
    status: 200,
    answer: expect.toSatisfy((answer: { hits: { _id: string; _highlights: { m: string }[] }[] }) => {
      hits = answer.hits.map(({ _id, _highlights: [highlight] }) => [_id, highlight?.m ?? '']);
      return true;
    }),
  });
  return hits;
}

test('models 5: a sentence finds films by what they show, and the piece of each that shows it', async () => {
  const red = await found(`${RED} ${RED}`);
  expect(new Set(red.slice(0, 2))).toEqual(
    new Set([
      ['red.mp4', '[0.0, 6.0]'],
      ['both.mp4', '[0.0, 6.0]'],
    ]),
  );
  expect((await found(`${BLUE} ${BLUE}`))[0]).toEqual(['both.mp4', '[6.0, 12.0]']);
});

test('models 5: a sentence finds sounds by what is heard', async () => {
  const loud = (await found(`${LOUD} ${LOUD}`)).map(([id]) => id);
  expect(loud[0]).toBe('loud.wav');
  expect(loud.at(-1)).toBe('silent.wav');
});

test('models 5: a film finds the film that shows the same, whole', async () => {
  const [first] = await found(files.at('/red.mp4'));
  expect(['red.mp4', 'both.mp4']).toContain(first?.[0]);
  expect(first?.[1]).toBe('[0.0, 6.0]');
});
