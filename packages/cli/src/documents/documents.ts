import type { schemas } from '@pelorus/contract';
import { ask, indexPath } from '../api.js';
import { parseShown } from '../exact-json.js';
import { jsonObject, type Server } from '../server-call.js';
import { ExitCode, StartFailure } from '../start-failure.js';
import { printAnswer, printJson } from '../terminal/json.js';
import { print } from '../terminal/lines.js';
import { counted } from '../terminal/units.js';

/** Documents of a page of a scan, whose fields are left out. */
const SCAN_LIMIT = 10_000;

interface Chosen {
  readonly index: string;
  readonly ids: readonly string[];
}

/**
 * Prints documents, one JSON object after the other; as JSON the answer of the server, `{"results": [...]}`.
 * @throws StartFailure where one is not there, once the others are printed
 */
export async function getDocuments(server: Server, { index, ids }: Chosen, json: boolean): Promise<void> {
  const answer = await ask(server, 'POST', `${indexPath(index)}/documents/get-batch`, { documentIds: ids });
  jsonObject(answer, server.url);
  const { results } = parseShown(answer.body.toString()) as { results: { _id: string; _found: boolean }[] };
  const missing = results.filter(({ _found }) => !_found).map(({ _id }) => _id);
  if (json) printAnswer(answer.body);
  else for (const { _found, ...document } of results) if (_found) printJson(document);
  if (missing.length > 0) throw notThere(index, missing);
}

/** @throws StartFailure where one was not there, once the others are deleted */
export async function deleteDocuments(server: Server, { index, ids }: Chosen, json: boolean): Promise<void> {
  const answer = await ask(server, 'POST', `${indexPath(index)}/documents/delete-batch`, ids);
  const { items, details } = jsonObject<schemas.DeleteDocumentsResponse>(answer, server.url);
  if (json) printAnswer(answer.body);
  else print(`${counted(details.deletedDocuments, 'document')} deleted`);
  const missing = items.filter(({ result }) => result === 'not_found').map(({ _id }) => _id);
  if (missing.length > 0) throw notThere(index, missing);
}

/** Prints how many documents there are; as JSON `{"documents": count}`. */
export async function countDocuments(
  server: Server,
  { index, filter }: { index: string; filter: string | undefined },
  json: boolean,
): Promise<void> {
  const documents = filter === undefined ? await countAll(server, index) : await countPassing(server, index, filter);
  if (json) printJson({ documents });
  else print(String(documents));
}

async function countAll(server: Server, index: string): Promise<number> {
  const answer = await ask(server, 'GET', `${indexPath(index)}/stats`);
  return jsonObject<schemas.IndexStats>(answer, server.url).numberOfDocuments;
}

/** A scan sees all documents as they are at one moment. */
async function countPassing(server: Server, index: string, filter: string): Promise<number> {
  let [count, cursor]: [number, string | null] = [0, null];
  do {
    const asked: object = cursor === null ? { filter, limit: SCAN_LIMIT, attributesToRetrieve: [] } : { cursor };
    const answer = await ask(server, 'POST', `${indexPath(index)}/documents/scan`, asked);
    const page = jsonObject<{ documents: unknown[]; cursor: string | null }>(answer, server.url);
    count += page.documents.length;
    cursor = page.cursor;
  } while (cursor !== null);
  return count;
}

function notThere(index: string, ids: readonly string[]): StartFailure {
  const shown = ids.slice(0, 10).map((id) => JSON.stringify(id));
  const more = ids.length > shown.length ? ` and ${ids.length - shown.length} more` : '';
  return new StartFailure(ExitCode.FAILED, `The index ${index} has no document ${shown.join(', ')}${more}`);
}
