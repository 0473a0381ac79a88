import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Deadline } from '../../src/http/deadline.js';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => {
  vi.runAllTimers();
  vi.useRealTimers();
});

const openResponse = () => Object.assign(new EventEmitter(), { destroyed: false }) as unknown as ServerResponse;

/** Deadlines after so many milliseconds, and the names of those that ended, in their order. */
function deadlines(...timesMs: readonly number[]): { made: Deadline[]; ended: number[] } {
  const ended: number[] = [];
  const made = timesMs.map((timeMs) => {
    const deadline = new Deadline(openResponse(), performance.now() + timeMs);
    deadline.onEnd(() => ended.push(timeMs));
    return deadline;
  });
  return { made, ended };
}

test('each passes at its moment, in whatever order they were made, by one timer', () => {
  const { made, ended } = deadlines(50, 10, 30, 90);
  expect(vi.getTimerCount()).toBe(1);
  vi.advanceTimersByTime(9);
  expect(ended).toEqual([]);
  vi.advanceTimersByTime(6);
  expect(ended).toEqual([10]);
  const later = deadlines(5);
  vi.advanceTimersByTime(6);
  expect(later.ended).toEqual([5]);
  expect(ended).toEqual([10]);
  vi.advanceTimersByTime(40);
  expect(ended).toEqual([10, 30, 50]);
  expect(() => made[0]?.check()).toThrow(expect.objectContaining({ code: 'vector_store_timeout' }));
  expect(() => made[3]?.check()).not.toThrow();
  vi.advanceTimersByTime(40);
  expect(ended).toEqual([10, 30, 50, 90]);
  expect(vi.getTimerCount()).toBe(0);
});

test('one that was ended passes for nobody, and those behind it as ever', () => {
  const { made, ended } = deadlines(10, 20, 30);
  made[0]?.end();
  made[2]?.end();
  vi.advanceTimersByTime(100);
  expect(ended).toEqual([20]);
  expect(vi.getTimerCount()).toBe(0);
});

test('one without time passes at once, and to whoever asks before it rings', () => {
  const { made, ended } = deadlines(0);
  expect(() => made[0]?.check()).toThrow(expect.objectContaining({ code: 'vector_store_timeout' }));
  expect(ended).toEqual([0]);
  vi.advanceTimersByTime(10);
  expect(ended).toEqual([0]);
});

test('a client that hangs up ends what is waited for, and the deadline that passes later says no other', async () => {
  const response = openResponse();
  const deadline = new Deadline(response, performance.now() + 10);
  const waiting = deadline.until(() => new Promise(() => undefined));
  response.emit('close');
  await expect(waiting).rejects.toMatchObject({ code: 'client_closed_request' });
  vi.advanceTimersByTime(20);
  expect(() => deadline.check()).toThrow(expect.objectContaining({ code: 'client_closed_request' }));
  expect(deadline.signal.aborted).toBe(true);
});

test('a wait fails at the deadline, though its work never ends', async () => {
  const deadline = new Deadline(openResponse(), performance.now() + 10);
  const waiting = deadline.until(() => new Promise(() => undefined));
  vi.advanceTimersByTime(11);
  await expect(waiting).rejects.toMatchObject({ code: 'vector_store_timeout' });
});
