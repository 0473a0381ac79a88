import { expect, test } from 'vitest';
import { type Clock, Schedule } from '../../src/backups/index.js';

const HOUR = 3_600_000;

/** A clock that stands still until it is moved. */
class TestClock implements Clock {
  #now: number;
  #work: { readonly at: number; readonly run: () => void } | null = null;

  constructor(now: number) {
    this.#now = now;
  }

  now(): number {
    return this.#now;
  }

  after(ms: number, run: () => void): () => void {
    this.#work = { at: this.#now + ms, run };
    return () => {
      this.#work = null;
    };
  }

  /** Moves to the next turn; gives how far that was, null where none is planned. */
  async turn(): Promise<number | null> {
    const work = this.#work;
    if (work === null) return null;
    const movedMs = work.at - this.#now;
    this.#now = work.at;
    this.#work = null;
    work.run();
    // The turn asks for the last backup, makes one and plans the next.
    await new Promise((resolve) => setImmediate(resolve));
    return movedMs;
  }
}

function scheduled(startMs: number, last: number | null, everyMs = 24 * HOUR) {
  const clock = new TestClock(startMs);
  const made: number[] = [];
  const faults = { isFailing: false, isUntidy: false };
  const tidied: number[] = [];
  const told: (string | null)[] = [];
  const schedule = new Schedule({
    everyMs,
    clock,
    last: async () => made.at(-1) ?? last,
    make: async () => {
      if (faults.isFailing) throw new Error('no room');
      made.push(clock.now());
    },
    tidy: async () => {
      if (faults.isUntidy) throw new Error('it stays');
      tidied.push(clock.now());
    },
    tell: (fault) => void told.push(fault?.message ?? null),
  });
  return { clock, made, tidied, told, schedule, faults };
}

test('the first backup is made at once, and the others at the interval', async () => {
  const { clock, made, schedule } = scheduled(5 * HOUR, null);
  await schedule.start();
  expect(made).toEqual([5 * HOUR]);
  await clock.turn();
  await clock.turn();
  expect(made).toEqual([5 * HOUR, 29 * HOUR, 53 * HOUR]);
});

test('a server that starts again counts from the last backup, and makes one that is overdue at once', async () => {
  const early = scheduled(10 * HOUR, 4 * HOUR);
  await early.schedule.start();
  expect(early.made).toEqual([]);
  expect(await early.clock.turn()).toBe(18 * HOUR);
  expect(early.made).toEqual([28 * HOUR]);
  const late = scheduled(100 * HOUR, 4 * HOUR);
  await late.schedule.start();
  expect(late.made).toEqual([100 * HOUR]);
});

test('one that fails is made again after five minutes, until it succeeds', async () => {
  const { clock, made, schedule, faults } = scheduled(0, null);
  faults.isFailing = true;
  await schedule.start();
  expect([await clock.turn(), await clock.turn()]).toEqual([300_000, 300_000]);
  faults.isFailing = false;
  await clock.turn();
  expect(made).toEqual([900_000]);
  expect(await clock.turn()).toBe(24 * HOUR);
});

test('each failure is told, also of a place that cannot be read, and so is its end', async () => {
  const { clock, told, schedule, faults } = scheduled(0, null);
  faults.isFailing = true;
  await schedule.start();
  await clock.turn();
  faults.isFailing = false;
  await clock.turn();
  expect(told).toEqual(['no room', 'no room', null]);
  const away = new Schedule({
    everyMs: HOUR,
    clock: new TestClock(0),
    last: async () => {
      throw new Error('it is away');
    },
    make: async () => told.push('made'),
    tidy: async () => told.push('tidied'),
    tell: (fault) => void told.push(fault?.message ?? null),
  });
  await away.start();
  expect(told.slice(3)).toEqual(['it is away']);
});

test('older backups are removed after each, and after five minutes where that failed', async () => {
  const { clock, made, tidied, told, schedule, faults } = scheduled(0, null);
  faults.isUntidy = true;
  await schedule.start();
  expect(told).toEqual(['it stays']);
  expect(await clock.turn()).toBe(300_000);
  faults.isUntidy = false;
  expect(await clock.turn()).toBe(300_000);
  expect(told).toEqual(['it stays', 'it stays', null]);
  expect([made, tidied]).toEqual([[0], [600_000]]);
  // As planned before, and no sooner.
  await clock.turn();
  expect([made, tidied]).toEqual([
    [0, 24 * HOUR],
    [600_000, 24 * HOUR],
  ]);
});

test('a last backup of the future does not hold the next one up', async () => {
  const { made, schedule } = scheduled(0, 1_000 * HOUR);
  await schedule.start();
  expect(made).toEqual([0]);
});

test('an interval longer than a timer takes is waited for in parts', async () => {
  const { clock, made, schedule } = scheduled(0, 0, 60 * 24 * HOUR);
  await schedule.start();
  while (made.length === 0) await clock.turn();
  expect(made).toEqual([60 * 24 * HOUR]);
});

test('a schedule that is stopped makes no more', async () => {
  const { clock, made, schedule } = scheduled(0, null);
  await schedule.start();
  schedule.stop();
  expect(await clock.turn()).toBeNull();
  expect(made).toHaveLength(1);
});
