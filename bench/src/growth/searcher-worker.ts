// Asks for the nearest documents, without and with a filter, and whether the server is well, in turn and at a steady rate
// until it is told to stop, and says what was found and how long each answer took.
import { parentPort, workerData } from 'node:worker_threads';
import { Connection } from '../server/connection.ts';
import type { Searched, SearcherData } from './growth.ts';
import { idsOf, SEARCH } from './requests.ts';

/** Milliseconds between an answer and the next question. */
const PAUSE_MS = 20;

const { address, bodies, filteredBodies } = workerData as SearcherData;
const connection = new Connection(address);
const searched: Searched[] = [];
let isAsking = true;
parentPort?.on('message', () => {
  isAsking = false;
});
const pause = () => new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
for (let turn = 0; isAsking; turn += 1) {
  const filtered = turn % 2 === 1;
  const query = Math.floor(turn / 2) % bodies.length;
  const started = performance.now();
  const answer = await connection.post(SEARCH, (filtered ? filteredBodies : bodies)[query] ?? '');
  const milliseconds = performance.now() - started;
  const found = idsOf(answer);
  await pause();
  const asked = performance.now();
  await connection.send('GET', '/health');
  const at = performance.timeOrigin + started;
  searched.push({ at, query, filtered, found, milliseconds, healthMs: performance.now() - asked });
  await pause();
}
connection.close();
parentPort?.postMessage(searched);
