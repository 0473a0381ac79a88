import type { Case, Part } from './case.js';
import { add, adding, facet, failure, isMissing, reads, readsFacets, refuse, success, written } from './documents.js';
import { holding } from './errors.js';
import { create, small } from './indexes.js';
import { U } from './kinds.js';

const tensorT = { tensorFields: ['t'] };
/** A URL that is taken for a medium: it cannot be had, or the model does not take it. */
const refusal = (about: string, index: string, t: string, reason: string): Case => ({
  section: '6.10',
  about,
  exchanges: [
    refuse(
      index,
      { _id: 'bad', t },
      failure('bad', holding(`Could not process the media file found at \`${t}\`. Reason: ${reason}`)),
      tensorT,
    ),
  ],
});
const url = 'http://127.0.0.1:99/nothing';

const media: Case[] = [
  ...['jpg', 'jpeg', 'png', 'gif', 'webp', 'PNG'].map((extension) =>
    refusal(
      `a URL that ends in ${extension} is an image where images are asked for`,
      'images',
      `${url}.${extension}`,
      '',
    ),
  ),
  ...['mp4', 'avi', 'mov'].map((extension) =>
    refusal(
      `a URL that ends in ${extension} is a video where media are asked for`,
      'media',
      `${url}.${extension}`,
      'Model random/small does not support video',
    ),
  ),
  ...['mp3', 'wav', 'ogg'].map((extension) =>
    refusal(
      `a URL that ends in ${extension} is audio where media are asked for`,
      'media',
      `${url}.${extension}`,
      'Model random/small does not support audio',
    ),
  ),
  ...[`${url}.png`, `${url}.mp4`, url, '/etc/passwd'].map(
    (t): Case => ({
      section: t.startsWith('/') ? '12.24' : '12.5',
      about: `${t} is a text where media are not asked for`,
      exchanges: [add(U, [{ _id: 'text', t }], tensorT), readsFacets(U, { _id: 'text', t }, facet('t', t))],
    }),
  ),
  {
    section: '12.5',
    about: 'a URL of an image in a field that is not embedded is a text',
    exchanges: [add('images', [{ _id: 'text', t: `${url}.png` }]), reads('images', { _id: 'text', t: `${url}.png` })],
  },
  refusal(
    'a URL of an address that is not public says how an operator allows it',
    'images',
    'http://127.0.0.1/own.png',
    '127.0.0.1 is not a public address. If this destination is intended, add its network to the MARQO_MEDIA_DOWNLOAD_ALLOWED_NETWORKS environment variable',
  ),
  {
    section: '6.10',
    about: 'an image in base64 is for queries alone',
    exchanges: [
      refuse(
        'images',
        { _id: 'bad', t: 'data:image/png;base64,iVBORw0KGgo=' },
        failure('bad', "Field 't' contains base64 image data. Base64 images can only be used in search queries."),
        tensorT,
      ),
    ],
  },
  ...['data:application/octet-stream;base64,iVBORw0KGgo=', '"data:;base64,iVBORw0KGgo="'].map(
    (t): Case => ({
      section: '6.10',
      about: `data of another type is for queries alone too: ${t}`,
      exchanges: [
        refuse(
          'images',
          { _id: 'bad', t },
          failure('bad', "Field 't' contains base64 data. Base64 images can only be used in search queries."),
          tensorT,
        ),
      ],
    }),
  ),
  ...Object.entries({
    'http:/a.example': 'it is no URL, expected `http://`',
    'https:a.example': 'it is no URL, expected `http://`',
    '<p>http://a.example/a.png</p>': 'it is markup around a URL, expected `http://a.example/a.png` alone',
    'http://a.example/a.png<br>': 'it is markup around a URL, expected `http://a.example/a.png` alone',
    '<!-- http://a.example/a.png -->': 'it is markup around a URL, expected `http://a.example/a.png` alone',
    'h ttp://a.example/a.png': 'its scheme is in pieces, expected `http://a.example/a.png`',
    'ftp:/': 'it is no URL, expected `http://`',
    '//a.example/my picture.png': 'it is no URL, expected `http://`',
    'http:\\\\a.example': 'it has a backslash, expected slashes',
    'https://a.example\\a.png': 'it has a backslash, expected slashes',
    'http://[::1': 'its host or port is none that a URL can have',
    'https://a.\u00adexample/a.png': 'it has the invisible character U+00AD',
    'https\uff1a//a.example/a.png': 'it has `\uff1a`, expected `:`',
    'https://a.example/1.png\nhttps://a.example/2.png': 'it has a line break or a tab',
    '<img src="https://a.example/1.png" srcset="https://a.example/2.png">': 'it is markup without one plain URL',
  }).map(([t, reason]) =>
    refusal(`a misspelt URL is refused and not embedded: ${JSON.stringify(t)}`, 'images', t, reason),
  ),
  {
    section: '6.14',
    about: 'an input of one document that cannot be embedded fails it alone',
    exchanges: [
      {
        ...adding(
          'media',
          [
            { _id: 'text', t: 'text' },
            { _id: 'film', t: `${url}.mp4` },
            { _id: 'last', t: 'text' },
          ],
          tensorT,
        ),
        ...written(
          'media',
          success('text'),
          failure('film', holding('Model random/small does not support video')),
          success('last'),
        ),
      },
      isMissing('media', 'film'),
      readsFacets('media', { _id: 'last', t: 'text' }, facet('t', 'text')),
    ],
  },
  {
    section: '6.10',
    about: 'a URL of a video is a text where only images are asked for',
    exchanges: [
      add('images', [{ _id: 'video', t: `${url}.mp4` }], tensorT),
      reads('images', { _id: 'video', t: `${url}.mp4` }),
    ],
  },
];

/** URLs and paths, which are texts unless an index takes them for what they show. */
export const mediaPointers: Part = {
  title: 'URLs of media',
  preparation: [
    create(U, small),
    create('images', { ...small, treatUrlsAndPointersAsImages: true }),
    create('media', { ...small, treatUrlsAndPointersAsMedia: true }),
  ],
  cases: media,
};
