import { parentPort, workerData } from 'node:worker_threads';
import { type Answer, type Order, type Questions, questionsOf, type ThreadData } from './messages.js';
import { type Batch, messageOf, Recorder } from './recorder.js';

/** Events that figures take in at once: some milliseconds, for which batches may have to wait. */
const FIGURES_EVENTS = 50;
/** While batches come, figures have this share of the time; */
const BUSY_SHARE = 0.1;
/** and this is for how long after a batch another one is expected. */
const BUSY_MS = 100;
/** Packing and reading ahead, which make answers faster and are waited for by nobody, have this share of the time. */
const PACKING_SHARE = 0.25;
/** How often it is looked at whether raw events have become too old. */
const RETENTION_CHECK_MS = 3_600_000;

if (parentPort === null) throw new Error('the thread of events was started as a program');
const port = parentPort;
const { folder } = workerData as ThreadData;
const recorder = new Recorder({ folder, report: (fault) => answer({ fault }) });
const questions: Questions = questionsOf(recorder);

/** Batches that wait for the next commit. */
let waiting: { readonly id: number; readonly batch: Batch }[] = [];
let isPlanned = false;
let pause: NodeJS.Timeout | null = null;
/** On the clock of `performance.now()`, as the other times here. */
let pauseDueMs = 0;
let isRetentionDue = true;

/** When the last batch came, and when figures may be worked on though more come. */
let batchMs = 0;
let figuresDueMs = 0;
let packingDueMs = 0;

/** Commits all batches that came meanwhile together; then works on what is behind, a piece at a time. */
function work(): void {
  isPlanned = false;
  if (waiting.length > 0) commit();
  const startedMs = performance.now();
  if (startedMs - batchMs < BUSY_MS && startedMs < figuresDueMs) {
    resumeAt(figuresDueMs);
    return;
  }
  const isBehind = attempt(() => recorder.rollUp(FIGURES_EVENTS));
  const endedMs = performance.now();
  figuresDueMs = endedMs + (endedMs - startedMs) * (1 / BUSY_SHARE - 1);
  if (isBehind || attempt(workOnceCaughtUp)) plan();
  tellProblems();
}

/** What was told last of what does not work. */
let told = '[]';

function tellProblems(): void {
  const problems = recorder.problems();
  const text = JSON.stringify(problems);
  if (text === told) return;
  told = text;
  answer({ problems });
}

/** What figures have to be up to date for. True where there is more of it. */
function workOnceCaughtUp(): boolean {
  if (recorder.eraseNext()) return true;
  const dueMs = recorder.erasureDueMs();
  if (dueMs !== null) resumeAt(performance.now() + dueMs - Date.now());
  if (isRetentionDue) recorder.retain();
  isRetentionDue = false;
  const startedMs = performance.now();
  if (startedMs < packingDueMs) {
    resumeAt(packingDueMs);
    return false;
  }
  const isMore = recorder.packNext() || recorder.readAhead();
  const endedMs = performance.now();
  packingDueMs = endedMs + (endedMs - startedMs) * (1 / PACKING_SHARE - 1);
  return isMore;
}

/** Goes on at that time, or before it where that was planned already. */
function resumeAt(dueMs: number): void {
  if (pause !== null) {
    if (pauseDueMs <= dueMs) return;
    clearTimeout(pause);
  }
  pauseDueMs = dueMs;
  pause = setTimeout(resume, Math.max(0, dueMs - performance.now()));
}

function resume(): void {
  pause = null;
  plan();
}

function plan(): void {
  if (isPlanned) return;
  isPlanned = true;
  setImmediate(work);
}

function commit(): void {
  const batches = waiting;
  waiting = [];
  try {
    const results = recorder.accept(batches.map(({ batch }) => batch));
    for (const [place, { id }] of batches.entries()) answer({ id, value: results[place] });
  } catch (error) {
    for (const { id } of batches) answer({ id, error: messageOf(error) });
  }
}

/** Work that nobody waits for: what fails, a full disk for one, is tried again with the next events. True where there is more. */
function attempt(task: () => unknown): boolean {
  try {
    return task() === true;
  } catch (error) {
    answer({ fault: messageOf(error) });
    return false;
  }
}

function answer(message: Answer): void {
  port.postMessage(message);
}

port.on('message', (order: Order) => {
  if (order.kind === 'accept') {
    waiting.push({ id: order.id, batch: order.batch });
    batchMs = performance.now();
  } else if (order.kind === 'searches') attempt(() => recorder.logSearches(order.searches));
  else if (ask(order) === 'close') return;
  plan();
});

/** Answers a question, which knows of everything that came before it. */
function ask({ id, name, args }: Extract<Order, { kind: 'ask' }>): keyof Questions {
  if (waiting.length > 0) commit();
  try {
    const question = questions[name] as (...args: readonly unknown[]) => unknown;
    answer({ id, value: question(...args) });
  } catch (error) {
    answer({ id, error: messageOf(error) });
  }
  if (name === 'setRetention') isRetentionDue = true;
  if (name === 'close') {
    clearInterval(retention);
    if (pause !== null) clearTimeout(pause);
    port.close();
  }
  return name;
}

const retention = setInterval(() => {
  isRetentionDue = true;
  plan();
}, RETENTION_CHECK_MS);
plan();
