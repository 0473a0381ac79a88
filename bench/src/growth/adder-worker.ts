// Adds documents over several connections as fast as they are taken, and says when each of them was acknowledged.
import { readlinkSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { basename } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { Connection } from '../server/connection.ts';
import { rowText } from '../serving/vectors.ts';
import type { Added, AdderData } from './growth.ts';
import { DOCUMENTS, priceOf, textOf } from './requests.ts';

const { address, rows, dim, documents, connections, batchSize } = workerData as AdderData;
const mapping = '"tensorFields":["embedding"],"mappings":{"embedding":{"type":"custom_vector"}}';
/**
 * The times at which the first request was sent and each further tenth was acknowledged; milliseconds since the epoch.
 */
const tenths = [performance.timeOrigin + performance.now()];
const batches: Added['batches'] = [];
let [next, acknowledged] = [0, 0];

/**
 * Between the rows of one document and the next, and with no factor in common with powers of two and five: glosses and
 * vectors between them, which are harder to link, come in equal parts from the first document to the last.
 */
const STRIDE = 611_953;

const idsOf = (first: number, end: number) =>
  Array.from({ length: end - first }, (_, i) => ((first + i) * STRIDE) % documents);

function body(ids: readonly number[]): string {
  const texts: string[] = [];
  for (const id of ids) {
    const embedding = `{"vector":${rowText(rows, id, dim)}}`;
    texts.push(`{"_id":"${id}","title":"${textOf(id)}","price":${priceOf(id)},"embedding":${embedding}}`);
  }
  return `{"documents":[${texts.join(',')}],${mapping}}`;
}

async function lane(): Promise<void> {
  const connection = new Connection(address);
  while (next < documents) {
    const first = next;
    next = Math.min(documents, first + batchSize);
    const ids = idsOf(first, next);
    const answer = await connection.post(DOCUMENTS, body(ids));
    if (!answer.includes('"errors":false')) throw new Error(`a document was refused: ${answer.slice(0, 500)}`);
    const at = performance.timeOrigin + performance.now();
    batches.push({ ids, at });
    acknowledged += ids.length;
    while (acknowledged >= (tenths.length * documents) / 10) tenths.push(at);
  }
  connection.close();
}

/**
 * Makes this thread give way to the one that searches, whose times are to be the server's: on Linux a priority is a
 * thread's.
 */
function giveWay(): void {
  if (process.platform !== 'linux') return;
  const thread = Number(basename(readlinkSync('/proc/thread-self')));
  setPriority(thread, constants.priority.PRIORITY_BELOW_NORMAL);
}

giveWay();
await Promise.all(Array.from({ length: connections }, lane));
parentPort?.postMessage({ tenths, batches } satisfies Added);
