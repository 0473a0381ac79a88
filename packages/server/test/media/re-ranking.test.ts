import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseModelFile } from '@pelorus/inference';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { png } from '../../../inference/test/media/pictures.js';
import { owl, wordTokenizer } from '../../../inference/test/onnx/onnx-model.js';
import { Connection } from '../conformance/connection.js';
import { holding } from '../conformance/errors.js';
import { create, small } from '../conformance/indexes.js';
import { PictureServer } from './picture-server.js';

const folder = mkdtempSync(join(tmpdir(), 'pelorus-owl-'));
const solid = (red: number, green: number, blue: number) => png(40, 20, () => [red, green, blue]);
let connection: Connection;
let pictures: PictureServer;

/** `w0` is red and `w1` is blue. */
const RED = 'w0';
const BLUE = 'w1';
const MEAN = [0.48145466, 0.4578275, 0.40821073];
const STD = [0.26862954, 0.26130258, 0.27577711];
/** The certainty of the owl about a colour where a channel has this much of it. */
const sure = (channel: 0 | 2, level: number) =>
  1 / (1 + Math.exp(-((level / 255 - (MEAN[channel] ?? 0)) / (STD[channel] ?? 0))));
/** In pixels of 40 x 20. */
const PLACE = [10, 2.5, 30, 7.5];

/** Numbers that a double does not hold, to see that documents stay as they are. */
const LARGE = 9007199254740993n;

beforeAll(async () => {
  const words = new Float32Array(64 * 3);
  words.set([1, 0, 0, 0, 0, 1], 4 * 3);
  mkdirSync(join(folder, 'owl'));
  writeFileSync(join(folder, 'owl', 'model.onnx'), owl(768, words));
  writeFileSync(join(folder, 'owl', 'tokenizer.json'), wordTokenizer());
  const models = { 'owl/ViT-B/32': { folder: 'owl' } };
  pictures = await PictureServer.open({
    '/red.png': solid(250, 10, 10),
    '/dark.png': solid(120, 10, 90),
    '/blue.png': solid(10, 10, 250),
    '/cut.png': solid(1, 2, 3).subarray(0, 60),
  });
  connection = await Connection.open(
    {
      title: 're-ranking',
      environment: { MARQO_MEDIA_DOWNLOAD_ALLOWED_NETWORKS: '127.0.0.0/8' },
      preparation: ['pictures', 'ill', 'texts'].map((name) =>
        create(name, { ...small, treatUrlsAndPointersAsImages: true }),
      ),
      cases: [],
    },
    { modelFile: parseModelFile({ models }, join(folder, 'models.json')) },
  );
  const added = (index: string, names: readonly (string | null)[]) =>
    connection.check({
      request: `POST /indexes/${index}/documents`,
      body: `{"documents": [${names.map(
        (name, i) =>
          `{"_id": "${name ?? `none-${i}`}", "t": "w0 w1 and more", "n": ${LARGE}${
            name === null ? '' : `, "p": "${pictures.at(`/${name}.png`)}"`
          }}`,
      )}], "tensorFields": ["t"]}`,
      status: 200,
      answer: expect.objectContaining({ errors: false }),
    });
  await added('pictures', ['blue', null, 'red', 'dark']);
  await added('ill', ['red', 'cut']);
  await added('texts', [null, null]);
});

afterAll(async () => {
  await connection.close();
  await pictures.close();
  rmSync(folder, { recursive: true });
});

const reRanked = (q: unknown, more: object = {}) => ({
  q,
  searchableAttributes: ['p', 't'],
  searchMethod: 'LEXICAL',
  reRanker: 'owl/ViT-B/32',
  ...more,
});

describe('search 10, models 7: hits of a page are ranked by what their pictures show', () => {
  test.each([
    [RED, ['red', 'dark', 'blue'], [250, 120, 10], 0 as const],
    [BLUE, ['blue', 'dark', 'red'], [250, 90, 10], 2 as const],
  ])('%s', async (q, order, levels, channel) => {
    const hits = order.map((_id, i) =>
      expect.objectContaining({
        _id,
        _score: expect.closeTo(sure(channel, levels[i] ?? 0), 3),
        _highlights: [{ p: PLACE }],
      }),
    );
    await connection.check({
      request: 'POST /indexes/pictures/search',
      body: reRanked(q),
      status: 200,
      answer: expect.objectContaining({ hits, query: q, limit: 10, offset: 0 }),
    });
  });

  test('and what is in them stays as it was written', async () => {
    await connection.check({
      request: 'POST /indexes/pictures/search',
      body: reRanked(RED),
      status: 200,
      text: expect.stringContaining(`"n":${LARGE}`),
    });
  });

  test('and highlights are left out where they are not asked for', async () => {
    await connection.check({
      request: 'POST /indexes/pictures/search',
      body: reRanked(RED, { showHighlights: false }),
      status: 200,
      text: expect.not.stringContaining('_highlights'),
    });
  });

  test('by the name of the hub, and in a search by vectors, as well', async () => {
    const body = { ...reRanked(RED), searchMethod: 'TENSOR', searchableAttributes: ['t'] };
    // No document has a picture in `t`: its text is none, which is said.
    await connection.check({
      request: 'POST /indexes/texts/search',
      body: { ...body, reRanker: 'google/owlvit-base-patch32' },
      status: 400,
      answer: expect.objectContaining({ code: 'bad_request', message: holding('Could not process the media file') }),
    });
  });

  test('where no hit has the field, they stay as they are', async () => {
    await connection.check({
      request: 'POST /indexes/pictures/search',
      body: reRanked(RED, { filter: '_id:none-1' }),
      status: 200,
      answer: expect.objectContaining({ hits: [expect.objectContaining({ _id: 'none-1', _highlights: [] })] }),
    });
  });
});

test.each([
  ['no such ranker', { reRanker: 'owl/ViT-X' }, 'bad_request', 'reRanker must be one of owl/ViT-B/32'],
  ['a ranker that is no name', { reRanker: 3 }, 'bad_request', 'reRanker must be a string, received 3'],
  [
    'rankers by the thousand',
    { reRanker: Array(1000).fill('owl') },
    'bad_request',
    `reRanker must be a string, received ${`['owl'${", 'owl'".repeat(40)}`.slice(0, 256)}...`,
  ],
  [
    'a ranker that is not there',
    { reRanker: 'owl/ViT-L/14' },
    'bad_request',
    'Model owl/ViT-L/14 is not on this machine',
  ],
  ['no field', { searchableAttributes: null }, 'invalid_argument', 'reRanker needs searchableAttributes'],
  ['a list without fields', { searchableAttributes: [] }, 'bad_request', 'reRanker needs a field'],
  ['a picture', { q: 'data:image/png;base64,AAAA' }, 'bad_request', 'reRanker needs a query that is a text'],
  ['weighted texts', { q: { w0: 1 }, searchMethod: 'TENSOR' }, 'bad_request', 'reRanker needs a query that is a text'],
  ['a cursor', { withCursor: true }, 'bad_request', 'reRanker cannot be given with withCursor'],
])('%s is refused', async (_, more, code, message) => {
  await connection.check({
    request: 'POST /indexes/pictures/search',
    body: reRanked(RED, more),
    status: 400,
    answer: expect.objectContaining({ code, message: holding(message) }),
  });
});

test('models 6.7: its model is among the loaded ones by the name of the hub, and ejected by it', async () => {
  const search = { request: 'POST /indexes/pictures/search', body: reRanked(RED), status: 200 };
  const row = {
    model_name: 'google/owlvit-base-patch32',
    model_device: 'cpu',
    encoder: 'onnxruntime',
    precision: 'f32',
  };
  const models = (answer: unknown) =>
    connection.check({ request: 'GET /models', status: 200, answer: { models: answer } });
  await connection.check(search);
  await models(expect.arrayContaining([row]));
  await connection.check({
    request: `DELETE /models?model_name=${row.model_name}&model_device=cpu`,
    status: 200,
    answer: { result: 'success', message: `successfully eject model_name \`${row.model_name}\` from device \`cpu\`` },
  });
  await models(expect.not.arrayContaining([row]));
  await connection.check(search);
});

test('a picture that cannot be read fails the search', async () => {
  await connection.check({
    request: 'POST /indexes/ill/search',
    body: reRanked(RED),
    status: 400,
    answer: expect.objectContaining({ code: 'bad_request', message: holding('Reason: the PNG picture is truncated') }),
  });
});

afterAll(() => expect(connection.faults).toEqual([]));
