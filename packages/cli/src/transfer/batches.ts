import { type Document, type DocumentRules, readItem } from './document-rules.js';
import type { Failure } from './failures.js';
import type { Item } from './source.js';

/** Characters of a request, from which on no document joins it. */
const BATCH_LENGTH = 8 * 1024 * 1024;

/** A request to send: the documents of one part of the file. */
export interface Batch {
  /** Place of the last item in it. */
  readonly end: number;
  /** Tells whether the documents bring their tensors. */
  readonly given: boolean;
  readonly documents: readonly Document[];
  readonly failures: readonly Failure[];
  readonly items: number;
}

/** Gathers documents into requests. One holds either documents that bring their tensors, or others. */
export async function* batchesOf(
  items: AsyncIterable<readonly Item[]>,
  rules: DocumentRules,
  batchSize: number,
): AsyncGenerator<Batch> {
  let [documents, ids, failures]: [Document[], Set<string>, Failure[]] = [[], new Set(), []];
  let [length, given, end] = [0, false, 0];
  const whole = (): Batch => {
    const batch = { end, given, documents, failures, items: documents.length + failures.length };
    [documents, ids, failures, length] = [[], new Set(), [], 0];
    return batch;
  };
  let problem: unknown;
  try {
    for await (const some of items) {
      for (const item of some) {
        const read = readItem(item, rules);
        if ('message' in read) {
          failures.push(read);
        } else {
          const isWhole = documents.length >= batchSize || length >= BATCH_LENGTH || given !== read.given;
          // In a request with two documents of one id, nobody would be told about the first.
          if (documents.length > 0 && (isWhole || ids.has(read.id))) yield whole();
          given = read.given;
          documents.push(read);
          ids.add(read.id);
          length += read.text.length;
        }
        end = item.place;
        // A file without documents is cut into batches too, so that memory holds no more than one request.
        if (failures.length >= batchSize) yield whole();
      }
    }
  } catch (error) {
    problem = error;
  }
  // Documents before the place where a file is damaged are sent too.
  if (documents.length + failures.length > 0) yield whole();
  if (problem !== undefined) throw problem;
}
