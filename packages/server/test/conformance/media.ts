import { expect } from 'vitest';
import type { Case, Exchange, Part } from './case.js';
import { add, type Document, facet, failure, findsFirst, hasFacets, reads, readsFacets, refuse } from './documents.js';
import { holding, invalidArgument } from './errors.js';
import { create, field, small, structured } from './indexes.js';
import { U } from './kinds.js';

const tensorT = { tensorFields: ['t'] };
const nowhere = 'http://127.0.0.1:99/nothing';

/** Pictures of 6 by 3 pixels. */
const red =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAYAAAADCAIAAAA/Y+msAAAAEUlEQVR42mP4z8CAhhiIEgIAEUQR77rdwzwAAAAASUVORK5CYII=';
const blue =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAYAAAADCAIAAAA/Y+msAAAAEElEQVR42mNgYPiPgYgRAgDtWRHvqsNLmwAAAABJRU5ErkJggg==';

/** A pointer to what the model does not take refuses its document. */
const unsupported = (extension: string, medium: string): Case => ({
  section: '6.10',
  about: `a URL that ends in ${extension} is ${medium} where media are asked for`,
  exchanges: [
    refuse(
      'media',
      { _id: 'bad', t: `${nowhere}.${extension}` },
      failure(
        'bad',
        holding(
          `Could not process the media file found at \`${nowhere}.${extension}\`. Reason: Model random/small does not support ${medium}`,
        ),
      ),
      tensorT,
    ),
  ],
});

/** A pointer that is fetched and cannot be. */
const unreachable = (about: string, index: string, t: string, reason: string, rest: object = tensorT): Case => ({
  section: '6.10',
  about,
  exchanges: [refuse(index, { _id: 'bad', t }, failure('bad', holding(reason)), rest)],
});

const same = expect.closeTo(1, 5);
const another = expect.toSatisfy((score: number) => score < 0.99, 'less than 0.99');

const findsPicture = (index: string, q: unknown, _id: string, _score: unknown = same): Exchange =>
  findsFirst(index, { q, filter: `_id:${_id}` }, { _id, _score });

/** An embedding of so many vectors. */
const embeds = (index: string, content: unknown, count: number): Exchange => ({
  request: `POST /indexes/${index}/embed`,
  body: { content },
  status: 200,
  answer: expect.objectContaining({ content, embeddings: Array.from({ length: count }, () => expect.any(Array)) }),
});

const combined = { mappings: { m: { type: 'multimodal_combination', weights: { a: 0.25, b: 0.75 } } } };

const stored = (_id: string, t: string): Document => ({ _id, t });

const media: Case[] = [
  ...['jpg', 'jpeg', 'png', 'gif', 'webp', 'PNG', 'png?size=2', 'png#top'].map((extension) =>
    unreachable(
      `a URL that ends in ${extension} is an image where images are asked for`,
      'images',
      `${nowhere}.${extension}`,
      '127.0.0.1 is not a public address',
    ),
  ),
  ...['mp4', 'avi', 'mov'].map((extension) => unsupported(extension, 'video')),
  ...['mp3', 'wav', 'ogg'].map((extension) => unsupported(extension, 'audio')),
  ...[`${nowhere}.png`, `${nowhere}.mp4`, nowhere, red, '/etc/passwd'].map(
    (t, i): Case => ({
      section: '12',
      about: `${t.slice(0, 40)} is a text where media are not asked for`,
      exchanges: [add(U, [stored(`text-${i}`, t)], tensorT), readsFacets(U, stored(`text-${i}`, t), facet('t', t))],
    }),
  ),
  {
    section: '12',
    about: 'a URL of an image in a field that is not embedded is a text',
    exchanges: [add('images', [stored('text', `${nowhere}.png`)]), reads('images', stored('text', `${nowhere}.png`))],
  },
  {
    section: '6.10',
    about: 'a URL of a video is a text where only images are asked for',
    exchanges: [
      add('images', [stored('video', `${nowhere}.mp4`)], tensorT),
      reads('images', stored('video', `${nowhere}.mp4`)),
    ],
  },
  unreachable('a URL that says nothing of what it is is looked at', 'images', nowhere, '127.0.0.1 is not a public'),
  unreachable('a host by its IPv6 address', 'images', 'http://[::1]:99/a.png', '::1 is not a public address'),
  unreachable('localhost', 'images', 'http://localhost/a.png', 'localhost has no public address'),
  unreachable('another port', 'images', 'http://shop.example.com:8081/a.png', 'not on port 80 or 443'),
  unreachable('another scheme', 'images', 'ftp://shop.example.com/a.png', 'ftp: is not http or https'),
  unreachable('a data URI that is no base64', 'images', 'data:image/png,red', '`data:image/[omitted]`'),
  unreachable('a data URI of no picture', 'images', 'data:image/png;base64,AAAA', '`data:image/[omitted]`'),
  unreachable('a data URI that ends early', 'images', red.slice(0, 90), '`data:image/[omitted]`'),
  unreachable('an empty data URI', 'images', 'data:image/png;base64,', '`data:image/[omitted]`'),
  {
    section: '6.10',
    about: 'a picture is found by itself, and another one is not',
    exchanges: [
      add('images', [stored('red', red), stored('blue', blue)], tensorT),
      findsPicture('images', red, 'red'),
      findsPicture('images', blue, 'blue'),
      findsPicture('images', blue, 'red', another),
    ],
  },
  {
    section: '6.10',
    about: 'the chunk of a picture is its pointer',
    exchanges: [
      add('images', [stored('chunk', red)], tensorT),
      hasFacets('images', 'chunk', facet('t', red)),
      findsFirst('images', { q: red, filter: '_id:chunk' }, { _highlights: [{ t: red }] }),
    ],
  },
  {
    section: '6.10',
    about: 'a picture has a chunk for each of ten patches, whose boxes are in its own pixels',
    exchanges: [
      add('patches', [stored('red', red)], tensorT),
      hasFacets(
        'patches',
        'red',
        facet('t', '[0.0, 0.0, 6.0, 3.0]'),
        ...[0, 1, 2].flatMap((y) => [0, 2, 4].map((x) => facet('t', `[${x}.0, ${y}.0, ${x + 2}.0, ${y + 1}.0]`))),
      ),
    ],
  },
  {
    section: '6.10',
    about: 'a method whose detector is not there refuses the document',
    exchanges: [
      refuse('detected', stored('red', red), failure('red', holding('patch method frcnn')), tensorT),
      add('detected', [stored('text', 'red')], tensorT),
    ],
  },
  {
    section: '6.10',
    about: 'a combination weighs pictures and texts',
    exchanges: [
      add('images', [{ _id: 'both', a: 'red shoe', b: red }], combined),
      hasFacets('images', 'both', facet('m', `{"a": "red shoe", "b": "${red}"}`)),
      findsFirst(
        'images',
        { q: { 'red shoe': 0.25, [red]: 0.75 }, filter: '_id:both', searchableAttributes: ['m'] },
        { _id: 'both', _score: same },
      ),
    ],
  },
  {
    section: '6.10',
    about: 'a combination with a picture that cannot be had fails as a whole',
    exchanges: [
      refuse(
        'images',
        { _id: 'both', a: 'red shoe', b: `${nowhere}.png` },
        failure('both', holding('Field m cannot be embedded: Could not process the media file found at')),
        combined,
      ),
    ],
  },
  {
    section: '6.10',
    about: 'a combination takes no patches',
    exchanges: [
      add('patches', [{ _id: 'both', a: 'red shoe', b: red }], combined),
      hasFacets('patches', 'both', facet('m', `{"a": "red shoe", "b": "${red}"}`)),
    ],
  },
  {
    section: '6.10',
    about: 'documents beside one whose picture cannot be had are stored',
    exchanges: [
      {
        request: 'POST /indexes/images/documents',
        body: { documents: [stored('there', red), stored('gone', `${nowhere}.png`)], ...tensorT },
        status: 200,
        answer: expect.objectContaining({
          items: [
            expect.objectContaining({ _id: 'there', status: 200 }),
            expect.objectContaining({ _id: 'gone', status: 400 }),
          ],
        }),
      },
      reads('images', stored('there', red)),
    ],
  },
  {
    section: '6.10',
    about: 'a declared pointer holds a picture',
    exchanges: [
      add('declared', [{ _id: 'red', t: red, name: 'red' }]),
      hasFacets('declared', 'red', facet('t', red), facet('name', 'red')),
      findsFirst('declared', { q: red, searchableAttributes: ['t'], filter: '_id:red' }, { _id: 'red', _score: same }),
    ],
  },
  {
    section: '6.10',
    about: 'a declared text is a text, whatever it looks like',
    exchanges: [
      add('declared', [{ _id: 'text', name: `${nowhere}.png` }]),
      hasFacets('declared', 'text', facet('name', `${nowhere}.png`)),
    ],
  },
  unreachable('a text in a declared pointer', 'declared', 'red shoe', 'Could not process the media file found at', {}),
  unreachable('a path in a declared pointer', 'declared', '/etc/passwd', 'Could not process the media file', {}),
  {
    section: '6.10',
    about: 'a declared pointer to a film for a model that takes none',
    exchanges: [
      refuse(
        'declared',
        { _id: 'bad', film: red },
        failure('bad', holding('Model random/small does not support video')),
      ),
    ],
  },
  {
    section: '6.10',
    about: 'a picture in a query is looked at whatever the index says of documents',
    exchanges: [
      embeds(U, red, 1),
      {
        request: `POST /indexes/${U}/search`,
        body: { q: `${nowhere}.png` },
        ...invalidArgument(holding('127.0.0.1 is not a public address')),
      },
    ],
  },
  {
    section: '6.10',
    about: 'a film in a query is a text to a model that takes none',
    exchanges: [embeds(U, `${nowhere}.mp4`, 1)],
  },
  {
    section: '6.10',
    about: 'texts and pictures of one request keep their places',
    exchanges: [
      add('images', [stored('place-red', red), stored('place-blue', blue)], tensorT),
      embeds('images', ['a', red, { b: 1, [blue]: 2 }], 3),
      findsPicture('images', { [red]: 1, [blue]: 0 }, 'place-red'),
      findsPicture('images', { [red]: 0, [blue]: 1 }, 'place-blue'),
    ],
  },
  {
    section: '6.10',
    about: 'a picture that stays keeps its vector, and is not looked at again',
    exchanges: [
      add('images', [{ _id: 'kept', t: red, n: 1 }], tensorT),
      add('images', [{ _id: 'kept', t: red, n: 2 }], { ...tensorT, useExistingTensors: true }),
      hasFacets('images', 'kept', facet('t', red)),
      findsPicture('images', red, 'kept'),
    ],
  },
];

/** Pictures, and URLs and paths, which are texts unless an index takes them for what they show. */
export const mediaPointers: Part = {
  title: 'URLs of media',
  preparation: [
    create(U, small),
    create('images', { ...small, treatUrlsAndPointersAsImages: true }),
    create('media', { ...small, treatUrlsAndPointersAsMedia: true }),
    create('patches', {
      ...small,
      treatUrlsAndPointersAsImages: true,
      imagePreprocessing: { patchMethod: 'simple' },
    }),
    create('detected', {
      ...small,
      treatUrlsAndPointersAsImages: true,
      imagePreprocessing: { patchMethod: 'frcnn' },
    }),
    create(
      'declared',
      structured(
        [field('t', 'image_pointer'), field('name', 'text'), field('film', 'video_pointer')],
        ['t', 'name', 'film'],
      ),
    ),
  ],
  cases: media,
};
