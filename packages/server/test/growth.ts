import { expect } from 'vitest';

/** The factor by which the long input is longer. */
const FACTOR = 8;
/** Between 8, linear, and 64, quadratic: three times what is expected leaves room for caches and the collector. */
const RATIO_MAX = 24;
/** The least time of one measurement, well above the steps of the clock. */
const MEASURED_MIN_MS = 2;
/** Measurements before a bad ratio counts; the least of each input is the least disturbed. */
const ATTEMPTS = 8;

/**
 * Expects `work` on an input of length eight times `length` to take about eight times as long as on one of `length`, or
 * less. A limit in seconds would fail on a slow machine and pass a quadratic step on a fast one. Time is what this
 * process spent on a processor, so that other programs do not count.
 */
export function expectLinear<Input>(
  length: number,
  make: (length: number) => Input,
  work: (input: Input) => void,
): void {
  const [short, long] = [make(length), make(FACTOR * length)];
  const timeMs = (repeats: number, input: Input) => {
    const before = process.cpuUsage();
    for (let i = 0; i < repeats; i += 1) work(input);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  };
  // The first runs also pay for what is compiled once.
  let repeats = 1;
  while (timeMs(repeats, short) < MEASURED_MIN_MS) repeats *= 2;
  let shortMs = Number.POSITIVE_INFINITY;
  let longMs = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    shortMs = Math.min(shortMs, timeMs(repeats, short));
    longMs = Math.min(longMs, timeMs(repeats, long));
    if (longMs <= RATIO_MAX * shortMs) return;
  }
  expect.fail(`${FACTOR} times the input takes ${longMs} ms after ${shortMs} ms, for ${repeats} runs`);
}
