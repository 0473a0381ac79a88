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
  items: AsyncIterable<Item>,
  rules: DocumentRules,
  batchSize: number,
): AsyncGenerator<Batch> {
  let [documents, failures, length, given, end]: [Document[], Failure[], number, boolean, number] = [
    [],
    [],
    0,
    false,
    0,
  ];
  const whole = (): Batch => ({ end, given, documents, failures, items: documents.length + failures.length });
  let problem: unknown;
  try {
    for await (const item of items) {
      const read = readItem(item, rules);
      if ('message' in read) {
        failures.push(read);
      } else {
        const isWhole = documents.length >= batchSize || length >= BATCH_LENGTH || given !== read.given;
        // In a request with two documents of one id, nobody would be told about the first.
        if (documents.length > 0 && (isWhole || documents.some(({ id }) => id === read.id))) {
          yield whole();
          [documents, failures, length] = [[], [], 0];
        }
        given = read.given;
        documents.push(read);
        length += read.text.length;
      }
      end = item.place;
      // A file without documents is cut into batches too, so that memory holds no more than one request.
      if (failures.length < batchSize) continue;
      yield whole();
      [documents, failures, length] = [[], [], 0];
    }
  } catch (error) {
    problem = error;
  }
  // Documents before the place where a file is damaged are sent too.
  if (documents.length + failures.length > 0) yield whole();
  if (problem !== undefined) throw problem;
}
