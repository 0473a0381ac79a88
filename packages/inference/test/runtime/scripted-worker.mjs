// A worker thread without a model: the first token of each text says what becomes of it.
import { readFileSync, writeFileSync } from 'node:fs';
import { parentPort } from 'node:worker_threads';

/** First tokens that mean something; of any other, the text's vector is `[token, how many runs there were]`. */
const SCRIPT = { failsAlone: -1, failsAll: -2, exits: -3, throws: -4, hangs: -5 };

let runs = 0;
const released = [];

parentPort.on('message', (task) => {
  if (task.kind === 'close') return parentPort.close();
  if (task.kind === 'release') return released.push(task.id);
  if (task.kind === 'load' && released.includes(task.spec.id)) return answer(task, { error: 'it was released' });
  if (task.kind === 'load') return answer(task, { vectors: new Float32Array(0), failures: [] });
  run(task);
});

function run(task) {
  const { ids, lengths } = task.batch;
  runs += 1;
  const vectors = new Float32Array(lengths.length * 2);
  const failures = [];
  let at = 0;
  for (const [row, length] of lengths.entries()) {
    const token = ids[at];
    at += length;
    if (token === SCRIPT.exits) process.exit(7);
    if (token === SCRIPT.throws) throw new Error('thrown in the thread');
    // Nothing ends a thread that opens a pipe which nobody writes to, as little as one within another call of the system.
    if (token === SCRIPT.hangs) {
      writeFileSync(`${task.spec.pipe}.asked`, '');
      readFileSync(task.spec.pipe);
    }
    if (token === SCRIPT.failsAll) return answer(task, { error: 'no session' });
    if (token === SCRIPT.failsAlone) failures.push({ row, message: 'unreadable' });
    else vectors.set([token, runs], row * 2);
  }
  answer(task, { vectors, failures });
}

function answer({ task }, outcome) {
  parentPort.postMessage({ task, ...outcome });
}
