import type { schemas } from '@pelorus/contract';
import type { ItemsResponse } from '@pelorus/engine';
import { toBytes } from '../http/body.js';
import { type Adding, embedDocuments } from './adding.js';
import { inEnvelope } from './bare-list.js';
import { type ListedDocument, lastOfEachId } from './document-list.js';

type Item = schemas.AddDocumentsResponse['items'][number];

const COMMA = Buffer.from(',');

/**
 * Changes those of `documents` that are stored and adds the others, each as it would be alone.
 *
 * Which are stored is asked first, and what can fail the whole request comes before anything is written. A document that
 * another request makes or deletes between the question and the writes is treated as it was at the question: one made
 * meanwhile is replaced as a whole, one deleted meanwhile is refused by itself. Only the writer of the index could tell.
 */
export async function addOrUpdate(
  index: string,
  documents: readonly ListedDocument[],
  adding: Adding,
): Promise<ItemsResponse> {
  const { engine } = adding.services;
  const counting = lastOfEachId(documents);
  const stored = await storedOf(index, counting, adding);
  const [changed, added] = [true, false].map((isChanged) =>
    counting.filter((document) => stored.has(document) === isChanged),
  ) as [ListedDocument[], ListedDocument[]];

  const add =
    added.length === 0 ? undefined : await embedDocuments(await engine.prepareAdd(index, await listOf(added)), adding);
  const [updates, additions] = await Promise.all([
    update(index, changed, adding),
    add?.().then(({ body }) => itemsOf(body)) ?? [],
  ]);
  const results = updates.map((item): Item => (item.status === 200 ? { ...item, result: 'updated' } : item));
  return answerOf(counting.map((document) => (stored.has(document) ? results : additions).shift() as Item));
}

/** Those whose `_id` is stored: an update that changes nothing fails for no other reason. */
async function storedOf(
  index: string,
  documents: readonly ListedDocument[],
  adding: Adding,
): Promise<ReadonlySet<ListedDocument>> {
  const named = documents.filter(({ id }) => id !== undefined);
  const questions = named.map(({ id: _id }) => ({ json: toBytes({ _id }) }));
  const items = await update(index, questions, adding);
  return new Set(named.filter((_, i) => items[i]?.status === 200));
}

/** An item for each of `documents`, no two of which have one id. */
async function update(
  index: string,
  documents: readonly Pick<ListedDocument, 'json'>[],
  { services: { engine }, options, telemetry }: Adding,
): Promise<Item[]> {
  if (documents.length === 0) return [];
  const batch = await engine.prepareUpdate(index, await listOf(documents));
  const { body } = await telemetry.time(['update_documents.store'], () =>
    batch.apply({ maxDocBytes: options.maxDocBytes }),
  );
  return itemsOf(body);
}

function listOf(documents: readonly Pick<ListedDocument, 'json'>[]): Promise<Buffer> {
  const separated = documents.flatMap(({ json }, i) => (i === 0 ? [json] : [COMMA, json]));
  return inEnvelope([Buffer.from('['), ...separated, Buffer.from(']')]);
}

function itemsOf(body: Buffer): Item[] {
  return (JSON.parse(body.toString('utf8')) as { items: Item[] }).items;
}

function answerOf(items: readonly Item[]): ItemsResponse {
  const failure = items.filter(({ status }) => status >= 400).length;
  return {
    body: toBytes({ errors: failure > 0, items }),
    success: items.length - failure,
    failure,
    error: 0,
  };
}
