import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseModelFile } from '@pelorus/inference';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ffmpegProgram, runFfmpeg } from '../../../inference/test/media/ffmpeg-program.js';
import { tower, wordTokenizer, wordTower } from '../../../inference/test/onnx/onnx-model.js';
import { Connection } from '../conformance/connection.js';
import { add, facet, failure, hasFacets, near, refuse } from '../conformance/documents.js';
import { holding, invalidArgument } from '../conformance/errors.js';
import { create, field, structured } from '../conformance/indexes.js';
import { combined } from './media-service.js';
import { PictureServer } from './picture-server.js';

const DIM = 4;
/** Larger than any film and sound here but one. */
const DOCUMENT_BYTES_MAX = 400_000;
const QUERY_BYTES_MAX = 300_000;
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
    '/loud': made(['-f', 'lavfi', '-i', 'anoisesrc=d=3', '-f', 'wav'], 'loud'),
    '/silent.wav': made(['-f', 'lavfi', '-i', 'anullsrc=r=16000:cl=mono', '-t', '3'], 'silent.wav'),
    '/heard.mp4': made([...colour('red'), ...['-f', 'lavfi', '-i', 'anoisesrc=d=6', '-c:a', 'aac']], 'heard.mp4'),
    '/large.mp4': Buffer.concat([Buffer.from('\0\0\0\x20ftypisom', 'latin1'), Buffer.alloc(DOCUMENT_BYTES_MAX)]),
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
      environment: {
        MARQO_MEDIA_DOWNLOAD_ALLOWED_NETWORKS: '127.0.0.0/8',
        MARQO_MAX_ADD_DOCS_VIDEO_AUDIO_FILE_SIZE: String(DOCUMENT_BYTES_MAX),
        MARQO_MAX_SEARCH_VIDEO_AUDIO_FILE_SIZE: String(QUERY_BYTES_MAX),
      },
      preparation: [
        create('media', settings),
        create('images', { ...settings, treatUrlsAndPointersAsMedia: false, treatUrlsAndPointersAsImages: true }),
        create('declared', {
          ...structured([field('v', 'video_pointer'), field('a', 'audio_pointer')], ['v', 'a']),
          model: 'toy',
        }),
      ],
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

const unread = (path: string, reason: string) =>
  holding(`Could not process the media file found at \`${files.at(path)}\`. Reason: ${reason}`);

test('models 3.5: a film in a combination counts with the mean of its pieces', async () => {
  const m = files.at('/both.mp4');
  let pieces: readonly (readonly number[])[] = [];
  await connection.check({
    request: 'GET /indexes/media/documents/both.mp4?expose_facets=true',
    status: 200,
    answer: expect.toSatisfy(({ _tensor_facets: facets }: { _tensor_facets: { _embedding: number[] }[] }) => {
      pieces = facets.map(({ _embedding }) => _embedding);
      return pieces.length === 2;
    }),
  });
  const [text = []] = await embeddings(LOUD);
  const mappings = { both: { type: 'multimodal_combination', weights: { m: 3, t: 1 } } };
  await connection.check(add('media', [{ _id: 'mean', m, t: LOUD }], { tensorFields: ['both'], mappings }));
  const [red = [], blue = []] = pieces;
  const film = red.map((number, i) => (number + (blue[i] ?? 0)) / 2);
  const vector = combined([3, film], [1, text]);
  await connection.check(hasFacets('media', 'mean', facet('both', `{"m": "${m}", "t": "${LOUD}"}`, near(...vector))));
});

/** Vectors of what is embedded by itself. */
async function embeddings(content: string): Promise<number[][]> {
  let found: number[][] = [];
  await connection.check({
    request: 'POST /indexes/media/embed',
    body: { content, content_type: null },
    status: 200,
    answer: expect.toSatisfy((answer: { embeddings: number[][] }) => {
      found = answer.embeddings;
      return true;
    }),
  });
  return found;
}

test.each([
  ['v', '/loud.wav', 'its name is that of audio, expected video'],
  ['v', '/still.png', 'its name is that of image, expected video'],
  ['a', '/heard.mp4', 'its name is that of video, expected audio'],
  ['v', '/loud', 'it has no frames'],
])('models 4.2: a field %s takes no %s', async (name, path, reason) => {
  await connection.check(
    refuse('declared', { _id: 'other', [name]: files.at(path) }, failure('other', unread(path, reason))),
  );
});

test('models 5: a film or sound is no larger than the operator lets it be', async () => {
  const large = (maximum: number) =>
    unread('/large.mp4', `it has more than ${maximum} bytes, the most that is fetched`);
  await connection.check(
    refuse('media', { _id: 'large', m: files.at('/large.mp4') }, failure('large', large(DOCUMENT_BYTES_MAX)), {
      tensorFields: ['m'],
    }),
  );
  await connection.check({
    request: 'POST /indexes/media/search',
    body: { q: files.at('/large.mp4') },
    ...invalidArgument(large(QUERY_BYTES_MAX)),
  });
});

test('models 4.1: films and sounds are texts where only images are asked for', async () => {
  await connection.check(add('images', [{ _id: 'text', m: files.at('/red.mp4') }], { tensorFields: ['m'] }));
  await connection.check(hasFacets('images', 'text', { m: files.at('/red.mp4'), _embedding: expect.any(Array) }));
});
