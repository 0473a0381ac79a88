import { parentPort, workerData } from 'node:worker_threads';
import { asksToReopen, DamageError } from './damage.js';
import type { EventProblem } from './event-store.js';
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
/** Interval of the checks whether raw events have become too old. */
const RETENTION_CHECK_MS = 3_600_000;
/** Interval of the reports of faults, where they have changed. */
const PROBLEMS_MS = 1_000;
/** Time that failed work waits for its next attempt. */
const WORK_RETRY_MS = 5_000;
/** Time that files which cannot be used wait for the next attempt to open them, which is twice as long each time, */
const REOPEN_MIN_MS = 1_000;
const REOPEN_MAX_MS = 60_000;
/** and for how long they have to have worked to be opened at once. */
const STEADY_MS = 60_000;

if (parentPort === null) throw new Error('the thread of events was started as a program');
const port = parentPort;
const { folder, ...given } = workerData as ThreadData;
let { wasThere } = given;
const report = (fault: string): void => answer({ fault });

/** The reason that work which nobody waits for failed the last time; null where it did not. */
let workFailure: string | null = null;
/** Null while its files cannot be used. */
let recorder: Recorder | null = null;
let questions: Questions | null = null;
let failure = '';
/** The number of times that they were opened since they last worked for long. */
let openings = 0;
let openedMs = 0;
let reopening: NodeJS.Timeout | null = null;

/** Batches that wait for the next commit. */
let waiting: { readonly id: number; readonly batch: Batch }[] = [];
let isPlanned = false;
let isEnded = false;
let pause: NodeJS.Timeout | null = null;
/** On the clock of `performance.now()`, as the other times here. */
let pauseDueMs = 0;
let isRetentionDue = true;

/** The time of the last batch, and the time from which figures may be worked on though more come. */
let batchMs = 0;
let figuresDueMs = 0;
let packingDueMs = 0;

/** @param suspect name of a file in which something was wrong */
function open(suspect?: string): void {
  reopening = null;
  openings += 1;
  openedMs = performance.now();
  try {
    recorder = new Recorder({ folder, wasThere, report, suspect });
    questions = questionsOf(recorder);
    wasThere = true;
    answer({ isOpen: true });
    plan();
  } catch (error) {
    close(error);
  }
  tellProblems();
}

/** Closes files that cannot be used, and opens them again: at once, or after a while where that was done of late. */
function close(error: unknown): void {
  failure = messageOf(error);
  report(`The files of events are opened again, since they cannot be used: ${failure}`);
  try {
    recorder?.close();
  } catch (other) {
    report(messageOf(other));
  }
  [recorder, questions] = [null, null];
  if (performance.now() - openedMs > STEADY_MS) openings = 0;
  const waitMs = openings < 2 ? 0 : Math.min(REOPEN_MAX_MS, REOPEN_MIN_MS * 2 ** Math.min(openings - 2, 20));
  const suspect = error instanceof DamageError ? error.file : undefined;
  reopening = setTimeout(() => open(suspect), waitMs);
}

/** Takes note of an error that came up in files. */
function noteError(error: unknown): void {
  if (recorder !== null && asksToReopen(error)) close(error);
}

/** Commits all batches that came meanwhile together; then works on figures that are behind, a piece at a time. */
function work(): void {
  isPlanned = false;
  if (isEnded) return;
  if (waiting.length > 0) commit();
  const startedMs = performance.now();
  if (startedMs - batchMs < BUSY_MS && startedMs < figuresDueMs) {
    resumeAt(figuresDueMs);
    return;
  }
  const isBehind = attempt((own) => own.rollUp(FIGURES_EVENTS));
  const endedMs = performance.now();
  figuresDueMs = endedMs + (endedMs - startedMs) * (1 / BUSY_SHARE - 1);
  if (isBehind || attempt(workOnceCaughtUp)) plan();
}

/** The problems that were told last, as JSON. */
let told = '[]';

function tellProblems(): void {
  const problems = problemsNow();
  const text = JSON.stringify(problems);
  if (text === told) return;
  told = text;
  answer({ problems });
}

function problemsNow(): readonly EventProblem[] {
  try {
    if (recorder !== null) {
      const own = recorder.problems();
      return workFailure === null
        ? own
        : [...own, { status: 'yellow', reason: `Work on events fails: ${workFailure}` }];
    }
    return [{ status: 'red', reason: `The store of events cannot be used, and will be tried again: ${failure}` }];
  } catch (error) {
    return [{ status: 'red', reason: messageOf(error) }];
  }
}

/** Does the work that needs figures to be up to date. True where there is more of it. */
function workOnceCaughtUp(own: Recorder): boolean {
  own.noteMonths();
  own.reopenClosed();
  if (own.eraseNext()) return true;
  const dueMs = own.retryDueMs();
  if (dueMs !== null) resumeAt(performance.now() + dueMs - Date.now());
  if (isRetentionDue) own.retain();
  isRetentionDue = false;
  const startedMs = performance.now();
  if (startedMs < packingDueMs) {
    resumeAt(packingDueMs);
    return false;
  }
  const isMore = own.packNext() || own.readAhead();
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
    const results = usable(recorder).accept(batches.map(({ batch }) => batch));
    for (const [place, { id }] of batches.entries()) answer({ id, value: results[place] });
  } catch (error) {
    for (const { id } of batches) answer({ id, error: messageOf(error) });
    noteError(error);
  }
}

/** @throws Error while the files cannot be used */
function usable<Value>(value: Value | null): Value {
  if (value === null) throw new Error(failure);
  return value;
}

/** Work that nobody waits for: a failure, of a full disk for one, is tried again. True where there is more. */
function attempt(task: (own: Recorder) => unknown): boolean {
  if (recorder === null) return false;
  try {
    const isMore = task(recorder) === true;
    workFailure = null;
    return isMore;
  } catch (error) {
    workFailure = messageOf(error);
    report(`Work on events failed, and will be tried again: ${workFailure}`);
    noteError(error);
    resumeAt(performance.now() + WORK_RETRY_MS);
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
  } else if (order.kind === 'searches') attempt((own) => own.logSearches(order.searches));
  else if (ask(order) === 'close') return;
  plan();
});

/** Answers a question, which knows of everything that came before it. */
function ask({ id, name, args }: Extract<Order, { kind: 'ask' }>): keyof Questions {
  if (waiting.length > 0) commit();
  if (name === 'close') end();
  try {
    const question = usable(questions)[name] as (...args: readonly unknown[]) => unknown;
    const value = question(...args);
    // Files are copied while others have their turns.
    if (value instanceof Promise) {
      value.then(
        (copied) => answer({ id, value: copied }),
        (error) => answer({ id, error: messageOf(error) }),
      );
    } else answer({ id, value });
  } catch (error) {
    answer({ id, error: messageOf(error) });
    if (name !== 'close') noteError(error);
  }
  if (name === 'setRetention') isRetentionDue = true;
  if (name === 'close') port.close();
  return name;
}

/** Nothing is planned any more. */
function end(): void {
  isEnded = true;
  for (const interval of intervals) clearInterval(interval);
  if (pause !== null) clearTimeout(pause);
  if (reopening !== null) clearTimeout(reopening);
}

const intervals = [
  setInterval(() => {
    isRetentionDue = true;
    plan();
  }, RETENTION_CHECK_MS),
  setInterval(tellProblems, PROBLEMS_MS),
];
open();
