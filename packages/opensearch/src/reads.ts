import type { ItemsResponse } from '@pelorus/engine';
import { ClusterRead } from '@pelorus/node';
import { type Connection, READ_PATIENCE_MS } from './connection.js';
import { ofStatus } from './errors.js';
import type { Indexes } from './indexes.js';

/** An index whose documents are read. */
export interface ReadIndex {
  readonly name: string;
  /** Its name on the cluster. */
  readonly alias: string;
  readonly indexes: Indexes;
  readonly connection: Connection;
}

/** Reads one document by its id. */
export async function getDocument(index: ReadIndex, request: object): Promise<Buffer | null> {
  const read = ClusterRead.ofOne(toJson(request));
  const { native } = await index.indexes.known(index.name);
  await readDocuments(index, read);
  return read.document(native);
}

/** Reads documents by their ids. */
export async function getDocuments(index: ReadIndex, request: object): Promise<ItemsResponse> {
  const read = ClusterRead.ofSeveral(toJson(request));
  const { native } = await index.indexes.known(index.name);
  await readDocuments(index, read);
  return read.documents(native);
}

/** Reads all documents that `read` asks for, as they are now, whether searches see them or not. */
export async function readDocuments({ name, alias, indexes, connection }: ReadIndex, read: ClusterRead): Promise<void> {
  const querystring = { filter_path: 'docs._id,docs._source,docs.error.type,docs.error.reason' };
  const request = { method: 'POST', path: `/${alias}/_mget`, querystring };
  for (let next = read.nextBody(); next !== null; next = read.nextBody()) {
    const body = next;
    await connection.taken(
      (client, options) => client.transport.request({ ...request, body }, options),
      async (answer) => {
        const refusal = await read.take(answer);
        if (refusal?.kind === 'index_not_found_exception') throw await indexes.missing(name);
        if (refusal !== null) throw ofStatus(refusal.status, refusal.kind, refusal.reason);
      },
      { patience: { ms: READ_PATIENCE_MS } },
    );
  }
}

function toJson(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value));
}
