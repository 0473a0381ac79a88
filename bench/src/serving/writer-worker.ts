// Sends writes at a steady rate until it is told to stop, and says when each was acknowledged.
import { parentPort, workerData } from 'node:worker_threads';
import { Connection } from '../server/connection.ts';
import { Documents } from './documents.ts';
import { additionOf, documentsPath, removalOf } from './requests.ts';
import type { WriterData } from './writer.ts';

const { address, rows, dim, count, progress, requestsPerSecond, documentsPerRequest } = workerData as WriterData;
// The same sequence of writes as its owner's: numbers are all that has to be exchanged.
const documents = new Documents(count);
const connection = new Connection(address);
const [SENT, ACKNOWLEDGED, RUNNING] = [0, 1, 2];

parentPort?.on('message', async () => {
  const started = performance.now();
  const times: number[] = [];
  while (Atomics.load(progress, RUNNING) === 1) {
    const due = started + (times.length * 1000) / requestsPerSecond;
    const wait = due - performance.now();
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
    const write = documents.next(documentsPerRequest);
    const removes = write.rows.length === 0;
    const body = removes ? removalOf(write) : additionOf(write, rows, dim);
    Atomics.add(progress, SENT, 1);
    const sent = performance.now();
    await connection.post(removes ? `${documentsPath}/delete-batch` : documentsPath, body);
    times.push(performance.now() - sent);
    Atomics.add(progress, ACKNOWLEDGED, 1);
  }
  parentPort?.postMessage({ times, seconds: (performance.now() - started) / 1000 });
});
