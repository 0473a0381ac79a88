import type { schemas } from '@pelorus/contract';
import { ApiError, ask, indexPath } from '../api.js';
import { type AnswerBounds, jsonObject, type Server } from '../server-call.js';

/** Records that are asked for at once. */
const RECORDS_AT_ONCE = 8;

/** The record of an index, or the server's words where it cannot give one. */
export type Listed =
  | schemas.IndexRecord
  | { readonly indexName: string; readonly error: { code: string; message: string } };

/** The names of the indexes of a server, in order. */
export async function indexNames(server: Server, bounds?: AnswerBounds): Promise<string[]> {
  const answer = await ask(server, 'GET', '/indexes', undefined, bounds);
  return jsonObject<schemas.IndexList>(answer, server.url)
    .results.map(({ indexName }) => indexName)
    .sort();
}

/** The records of indexes, without those that were deleted since they were listed. */
export async function recordsOf(server: Server, names: readonly string[], bounds?: AnswerBounds): Promise<Listed[]> {
  const records: Listed[] = [];
  for (let start = 0; start < names.length; start += RECORDS_AT_ONCE) {
    const some = names.slice(start, start + RECORDS_AT_ONCE).map((name) => listed(server, name, bounds));
    records.push(...(await Promise.all(some)).filter((one) => one !== null));
  }
  return records;
}

async function listed(server: Server, name: string, bounds?: AnswerBounds): Promise<Listed | null> {
  try {
    return await recordOf(server, name, bounds);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const { code, message } = error;
    return code === 'index_not_found' ? null : { indexName: name, error: { code, message } };
  }
}

export async function recordOf(server: Server, name: string, bounds?: AnswerBounds): Promise<schemas.IndexRecord> {
  return jsonObject(await ask(server, 'GET', indexPath(name), undefined, bounds), server.url);
}

/** The record of an index and its counts. */
export async function recordAndStats(
  server: Server,
  name: string,
  bounds?: AnswerBounds,
): Promise<{ index: schemas.IndexRecord; stats: schemas.IndexStats }> {
  const index = await recordOf(server, name, bounds);
  const stats = await ask(server, 'GET', `${indexPath(name)}/stats`, undefined, bounds);
  return { index, stats: jsonObject(stats, server.url) };
}
