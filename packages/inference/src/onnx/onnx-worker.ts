// The thread that sessions run on. It answers one task at a time, in order.
import { parentPort } from 'node:worker_threads';
import { reasonOf } from '../reason.js';
import type { Embeddings } from '../runtime/encoder.js';
import type { Outcome, Task } from '../runtime/messages.js';
import { OnnxSession, type OnnxSpec } from './onnx-session.js';
import { TowerSession } from './tower-session.js';

const port = parentPort;
if (port === null) throw new Error('this module runs only as a worker thread');

const NOTHING: Embeddings = { vectors: new Float32Array(0), failures: [] };

type Session = OnnxSession | TowerSession;

const sessions = new Map<number, Session>();
let turn: Promise<void> = Promise.resolve();

port.on('message', (task: Task<OnnxSpec>) => {
  turn = turn.then(() => perform(task));
});

async function perform(task: Task<OnnxSpec>): Promise<void> {
  if (task.kind === 'close') return end();
  if (task.kind === 'release') return release(task.id);
  try {
    const session = await sessionOf(task.spec);
    const outcome = task.kind === 'run' ? await session.run(task.batch, task.normalize) : NOTHING;
    answer({ task: task.task, ...outcome }, task.kind === 'run' ? [outcome.vectors.buffer as ArrayBuffer] : []);
  } catch (error) {
    answer({ task: task.task, error: reasonOf(error) }, []);
  }
}

/** A worker that was restarted, or joined late, loads the models that it is asked to run. */
async function sessionOf(spec: OnnxSpec): Promise<Session> {
  const known = sessions.get(spec.id);
  if (known !== undefined) return known;
  const opened = await (spec.own === undefined ? OnnxSession.open(spec) : TowerSession.open(spec, spec.own));
  sessions.set(spec.id, opened);
  return opened;
}

async function release(id: number): Promise<void> {
  const session = sessions.get(id);
  sessions.delete(id);
  await session?.release();
}

async function end(): Promise<void> {
  for (const id of sessions.keys()) await release(id);
  port?.close();
}

function answer(outcome: Outcome, transfer: ArrayBuffer[]): void {
  port?.postMessage(outcome, transfer);
}
