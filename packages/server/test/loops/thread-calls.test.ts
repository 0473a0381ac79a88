import { MessageChannel } from 'node:worker_threads';
import { PelorusError } from '@pelorus/contract';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { answerCalls, ThreadCalls } from '../../src/loops/thread-calls.js';

const answers = {
  double: async (number: number) => number * 2,
  refuse: async (how: 'ours' | 'coded' | 'plain'): Promise<void> => {
    const cause = new PelorusError('bad_request', 'the cause');
    if (how === 'ours') throw new PelorusError('too_many_requests', 'no', { headers: { 'retry-after': '9' }, cause });
    throw Object.assign(new TypeError('no'), how === 'coded' && { code: 'index_not_found' });
  },
  hang: (_: null, signal: AbortSignal) =>
    new Promise<void>((resolve) =>
      signal.addEventListener('abort', () => {
        aborted.push('hang');
        resolve();
      }),
    ),
  note: (text: string) => void noted.push(text),
};

let aborted: string[];
let noted: string[];
let calls: ThreadCalls<typeof answers>;
beforeEach(() => {
  [aborted, noted] = [[], []];
  const { port1, port2 } = new MessageChannel();
  answerCalls(port1, answers);
  calls = new ThreadCalls(port2);
});
afterEach(() => calls.close());

test('calls are answered, each with its own result', async () => {
  expect(await Promise.all([1, 2, 3].map((number) => calls.call('double', number)))).toEqual([2, 4, 6]);
});

test('errors arrive with all that an answer tells of them', async () => {
  const ours = calls.call('refuse', 'ours');
  await expect(ours).rejects.toBeInstanceOf(PelorusError);
  await expect(ours).rejects.toMatchObject({
    ...{ code: 'too_many_requests', status: 429, message: 'no', headers: { 'retry-after': '9' } },
    cause: { code: 'bad_request', message: 'the cause' },
  });
  await expect(calls.call('refuse', 'coded')).rejects.toMatchObject({ code: 'index_not_found', message: 'no' });
  await expect(calls.call('refuse', 'plain')).rejects.toMatchObject({ name: 'TypeError', message: 'no' });
});

test('a call that nobody waits for fails at once, and the other thread is told', async () => {
  const controller = new AbortController();
  const hanging = calls.call('hang', null, controller.signal);
  controller.abort(new Error('enough'));
  await expect(hanging).rejects.toThrow('enough');
  await expect(calls.call('hang', null, controller.signal)).rejects.toThrow('enough');
  await calls.call('double', 1);
  expect(aborted).toEqual(['hang']);
});

test('words without an answer come in order with calls, and need nobody who listens', async () => {
  calls.tell('note', 'a');
  calls.tell('note', 'b');
  await calls.call('double', 1);
  expect(noted).toEqual(['a', 'b']);
  calls.close();
  calls.tell('note', 'c');
});

test('calls fail once the other thread is gone', async () => {
  const { port1, port2 } = new MessageChannel();
  const lost = new ThreadCalls<typeof answers>(port2);
  const waiting = lost.call('double', 1);
  port1.close();
  await expect(waiting).rejects.toMatchObject({ code: 'service_unavailable' });
});
