import { ExitCode } from '../../start-failure.js';
import { TransferFailure } from '../transfer-failure.js';
import { chromaCollection } from './chroma.js';
import { meilisearchIndex } from './meilisearch.js';
import type { RemoteName } from './names.js';
import { openSearchIndex } from './opensearch.js';
import { qdrantCollection } from './qdrant.js';
import { type Remote, RemoteApi, type ShownKey } from './remote.js';
import { typesenseCollection } from './typesense.js';
import { weaviateCollection } from './weaviate.js';

const COLLECTIONS: Readonly<
  Record<RemoteName, (api: RemoteApi, collection: string, vector: string | undefined) => Promise<Remote>>
> = {
  opensearch: openSearchIndex,
  qdrant: qdrantCollection,
  typesense: typesenseCollection,
  meilisearch: meilisearchIndex,
  weaviate: weaviateCollection,
  chroma: chromaCollection,
};

/** The headers that carry a key, and what is written before it. */
const KEYS: Readonly<Record<RemoteName, readonly [header: string, scheme: string]>> = {
  opensearch: ['authorization', 'ApiKey '],
  qdrant: ['api-key', ''],
  typesense: ['x-typesense-api-key', ''],
  meilisearch: ['authorization', 'Bearer '],
  weaviate: ['authorization', 'Bearer '],
  chroma: ['x-chroma-token', ''],
};

export interface RemotePlace {
  readonly name: RemoteName;
  /** The address of the service with the name of a collection behind it. */
  readonly url: string;
  readonly key: string | undefined;
  /** The vector to take of documents that have several. */
  readonly vector: string | undefined;
}

export async function openRemote({ name, url, key, vector }: RemotePlace): Promise<Remote> {
  const { address, collection } = collectionIn(url);
  const shown = key === undefined ? undefined : shownKey(name, key);
  return COLLECTIONS[name](new RemoteApi(name, address, shown), collection, vector);
}

/** The header with a key; of OpenSearch one with a colon is a user with a password. */
function shownKey(name: RemoteName, apiKey: string): ShownKey {
  const [keyHeader, keyScheme] = KEYS[name];
  if (name !== 'opensearch' || !apiKey.includes(':')) return { keyHeader, keyScheme, apiKey };
  return { keyHeader, keyScheme: 'Basic ', apiKey: Buffer.from(apiKey).toString('base64') };
}

/**
 * The parts of an address that ends with the name of a collection.
 * @throws TransferFailure for what is none
 */
export function collectionIn(text: string): { address: string; collection: string } {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const [, way = '', last = ''] = /^(.*)\/([^/]+)\/?$/.exec(url?.pathname ?? '') ?? [];
  const collection = decoded(last);
  const isOpen = url !== undefined && url.username === '' && url.password === '';
  if (!isOpen || !/^https?:$/.test(url.protocol) || collection === '') {
    throw new TransferFailure(
      `--from needs an http or https address that ends with a collection, such as http://127.0.0.1:6333/products`,
      ExitCode.BAD_CONFIGURATION,
    );
  }
  return { address: `${url.origin}${way}`, collection };
}

/** A part of an address in clear; nothing of what is none. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return '';
  }
}
