import { expect } from 'vitest';
import { dataUri, picture } from '../../../inference/test/media/pictures.js';
import type { Exchange } from '../conformance/case.js';
import { Connection } from '../conformance/connection.js';
import { adding, failure, success, written } from '../conformance/documents.js';
import { holding } from '../conformance/errors.js';
import { create, field, small, structured } from '../conformance/indexes.js';
import type { Surroundings } from '../operations/service.js';
import { PictureServer } from './picture-server.js';

/** Bytes of `/red.png` and `/plain`. */
const RED = picture(1, 48, 24);
export const RED_DATA = dataUri(RED);
export const SECRET = { 'X-Secret': 'open' };

const files = {
  '/red.png': RED,
  '/plain': RED,
  '/blue.png': picture(2),
  '/words': Buffer.from('words of a page, and no picture'),
  '/page.png': Buffer.from('<html>no picture</html>'),
  '/cut.png': RED.subarray(0, 60),
  '/guarded.png': ((request, response) => {
    if (request.headers['x-secret'] === 'open') response.end(RED);
    else response.writeHead(403).end();
  }) as import('node:http').RequestListener,
};

export const images = { ...small, treatUrlsAndPointersAsImages: true };
const media = { ...small, treatUrlsAndPointersAsMedia: true };
const prefixes = { textChunkPrefix: 'passage: ', textQueryPrefix: 'query: ' };
const patched = { imagePreprocessing: { patchMethod: 'simple' } };
const fields = [
  field('t', 'text', 'lexical_search'),
  field('i', 'image_pointer'),
  field('v', 'video_pointer'),
  field('a', 'audio_pointer'),
  { name: 'both', type: 'multimodal_combination', dependentFields: { i: 0.25, t: 0.75 } },
];

/** Indexes of the cases. None is in another's way: documents have ids of their own. */
const indexes: Readonly<Record<string, object>> = {
  texts: { ...small, ...prefixes },
  images: { ...images, ...prefixes },
  media: { ...media, ...prefixes },
  patches: { ...images, ...patched },
  declared: structured(fields, ['t', 'i', 'v', 'a', 'both'], prefixes),
  'declared-patches': structured([field('i', 'image_pointer')], ['i'], patched),
};

/** A server with indexes of `random/small` and a server of pictures beside it. */
export class MediaService {
  readonly #connection: Connection;
  readonly #pictures: PictureServer;
  readonly at: PictureServer['at'];

  private constructor(connection: Connection, pictures: PictureServer) {
    this.#connection = connection;
    this.#pictures = pictures;
    this.at = pictures.at;
  }

  /** @param more indexes beside the usual ones, by name, with their settings */
  static async open(
    more: Readonly<Record<string, object>> = {},
    surroundings: Surroundings = {},
  ): Promise<MediaService> {
    const pictures = await PictureServer.open(files);
    const connection = await Connection.open(
      {
        title: 'media',
        environment: { MARQO_MEDIA_DOWNLOAD_ALLOWED_NETWORKS: '127.0.0.0/8' },
        preparation: Object.entries({ ...indexes, ...more }).map(([name, settings]) => create(name, settings)),
        cases: [],
      },
      surroundings,
    );
    return new MediaService(connection, pictures);
  }

  get faults(): readonly string[] {
    return this.#connection.faults;
  }

  takeFetches(): number {
    return this.#pictures.takeFetches();
  }

  check(exchange: Exchange): Promise<void> {
    return this.#connection.check(exchange);
  }

  /** Adds one document; `refusal` is part of the message that refuses it. */
  add(index: string, document: { readonly _id: string }, rest: object = {}, refusal?: string): Promise<void> {
    const item = refusal === undefined ? success(document._id) : failure(document._id, holding(refusal));
    return this.check({ ...adding(index, [document], rest), ...written(index, item) });
  }

  /** Chunks of a document with their vectors, by their field. */
  async facets(index: string, id: string): Promise<readonly Facet[]> {
    const facets: Facet[] = [];
    await this.check({
      request: `GET /indexes/${index}/documents/${id}?expose_facets=true`,
      status: 200,
      answer: expect.toSatisfy((document: { _tensor_facets: Record<string, unknown>[] }) => {
        for (const { _embedding, ...chunk } of document._tensor_facets) {
          const [[name, text] = []] = Object.entries(chunk);
          facets.push({ field: name as string, chunk: text as string, vector: _embedding as number[] });
        }
        return true;
      }),
    });
    return facets;
  }

  /** Vectors of what is embedded by itself, without a prefix. */
  async embed(index: string, content: unknown, rest: object = { content_type: null }): Promise<number[][]> {
    let found: number[][] = [];
    await this.check({
      request: `POST /indexes/${index}/embed`,
      body: { content, ...rest },
      status: 200,
      answer: expect.toSatisfy(({ embeddings }: { embeddings: number[][] }) => {
        found = embeddings;
        return true;
      }),
    });
    return found;
  }

  async close(): Promise<void> {
    await this.#connection.close();
    await this.#pictures.close();
  }
}

export interface Facet {
  readonly field: string;
  readonly chunk: string;
  readonly vector: readonly number[];
}

export const close = (vector: readonly number[]) => vector.map((number) => expect.closeTo(number, 5));

/** The weighted sum of vectors, of length one. */
export function combined(...parts: readonly (readonly [number, readonly number[]])[]): number[] {
  const sum = (parts[0]?.[1] ?? []).map((_, i) =>
    parts.reduce((total, [w, vector]) => total + w * (vector[i] ?? 0), 0),
  );
  const length = Math.hypot(...sum);
  return sum.map((number) => number / length);
}
