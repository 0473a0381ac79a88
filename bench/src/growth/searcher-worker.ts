// Asks for the nearest documents, and in turn whether the server is well, at a steady rate until it is told to stop, and says
// how long each answer took.
import { parentPort, workerData } from 'node:worker_threads';
import { Connection } from '../server/connection.ts';
import type { Searched, SearcherData } from './growth.ts';
import { SEARCH } from './requests.ts';

/** Milliseconds between an answer and the next question. */
const PAUSE_MS = 20;

const { address, bodies } = workerData as SearcherData;
const connection = new Connection(address);
const searched: Searched[] = [];
let isAsking = true;
parentPort?.on('message', () => {
  isAsking = false;
});
const pause = () => new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
for (let query = 0; isAsking; query += 1) {
  const started = performance.now();
  await connection.post(SEARCH, bodies[query % bodies.length] ?? '');
  const milliseconds = performance.now() - started;
  await pause();
  const asked = performance.now();
  await connection.send('GET', '/health');
  searched.push({ at: performance.timeOrigin + started, milliseconds, healthMs: performance.now() - asked });
  await pause();
}
connection.close();
parentPort?.postMessage(searched);
