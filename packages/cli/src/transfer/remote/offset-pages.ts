import { TransferFailure } from '../transfer-failure.js';
import { numberOf, type Remote, type RemoteDocument, type RemotePage } from './remote.js';

/** The place behind a document: its number, and the document itself, as numbers change where others are deleted. */
interface Place {
  readonly offset: number;
  readonly after: string;
}

/** The times that all documents are read again, since the last one of a page is gone. */
const RESTARTS_MAX = 10;

/**
 * Pages of a service that finds documents by their number in an order that stays. The last document of each page is
 * asked for again with the next one: where it has moved forward, since documents before it were deleted, the page begins
 * behind it all the same.
 *
 * @param read gives at most `limit` documents from a number on, and fewer at the end alone
 */
export function offsetPages(
  read: (offset: number, limit: number) => Promise<readonly RemoteDocument[]>,
  size: number,
): Remote['page'] {
  const pageFrom = (documents: readonly RemoteDocument[], offset: number, skipped: number, isLast: boolean) => {
    const last = documents.at(-1);
    const next = isLast || last === undefined ? undefined : { offset: offset + documents.length, after: last.id };
    return { documents: documents.slice(skipped), next } satisfies RemotePage;
  };
  let restarts = 0;
  return async (place) => {
    const behind = placeOf(place);
    let start = behind?.offset ?? 0;
    while (behind !== undefined && start > 0) {
      const from = Math.max(start === behind.offset ? start - 1 : start - size, 0);
      const documents = await read(from, size + 1);
      const at = documents.findIndex(({ id }) => id === behind.after);
      if (at >= 0) return pageFrom(documents, from, at + 1, documents.length <= size);
      start = from;
    }
    // The document is gone too. Adding others twice changes nothing, but an order that never stays has no end.
    if (behind !== undefined) restarts += 1;
    if (restarts > RESTARTS_MAX) {
      throw new TransferFailure('The collection changes while it is read, so that its end is never reached');
    }
    const documents = await read(0, size);
    return pageFrom(documents, 0, 0, documents.length < size);
  };
}

function placeOf(place: unknown): Place | undefined {
  const { offset, after } = (place ?? {}) as { offset?: unknown; after?: unknown };
  const number = numberOf(offset) ?? offset;
  return typeof number === 'number' && typeof after === 'string' ? { offset: number, after } : undefined;
}
