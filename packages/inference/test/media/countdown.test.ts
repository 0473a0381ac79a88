import { expect, onTestFinished, test, vi } from 'vitest';
import { Countdown } from '../../src/media/countdown.js';

function countdown(totalMs: number): Countdown {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  onTestFinished(() => {
    vi.useRealTimers();
  });
  return new Countdown(totalMs);
}

test('it is over when its time is', () => {
  const { signal } = countdown(100);
  vi.advanceTimersByTime(99);
  expect(signal.aborted).toBe(false);
  vi.advanceTimersByTime(1);
  expect(signal.reason).toMatchObject({ name: 'TimeoutError' });
});

test('time that others take does not count', async () => {
  const counted = countdown(100);
  vi.advanceTimersByTime(60);
  await counted.without(async () => {
    vi.advanceTimersByTime(1000);
  });
  vi.advanceTimersByTime(39);
  expect(counted.signal.aborted).toBe(false);
  vi.advanceTimersByTime(1);
  expect(counted.signal.aborted).toBe(true);
});

test('more time counts from the start', () => {
  const counted = countdown(100);
  vi.advanceTimersByTime(60);
  counted.extendTo(200);
  expect(counted.totalMs).toBe(200);
  vi.advanceTimersByTime(139);
  expect(counted.signal.aborted).toBe(false);
  vi.advanceTimersByTime(1);
  expect(counted.signal.aborted).toBe(true);
});

test('once it was ended it is never over', () => {
  const counted = countdown(100);
  counted.end();
  vi.advanceTimersByTime(1000);
  expect(counted.signal.aborted).toBe(false);
});
