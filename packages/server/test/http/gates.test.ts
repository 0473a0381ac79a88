import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { beforeEach, expect, test } from 'vitest';
import { readConfig } from '../../src/config.js';
import { Memory } from '../../src/host/memory.js';
import { Gates } from '../../src/http/gates.js';

const MEBIBYTE = 1024 * 1024;

/** Six MiB for large answers, and two for small ones. */
let gates: Gates;
beforeEach(() => {
  gates = new Gates(readConfig({}), new Memory(128 * MEBIBYTE, { read: () => 0 }));
});

const asked = (items = 1) => ({
  ...{ index: 'shop', items, owner: undefined },
  response: new ServerResponse(new IncomingMessage(new Socket())),
});

const answerOf = (bytes: number) => async () => ({ bytes: Buffer.alloc(bytes) });

test('an answer counts from before it is made until its response is over', async () => {
  const call = asked(2_000);
  let meanwhile = 0;
  await gates.answer('getDocumentsBatch', call, async () => {
    meanwhile = gates.answers.bytes;
    return { bytes: Buffer.alloc(5 * MEBIBYTE) };
  });
  // A kilobyte for each item is expected before the first answer was seen.
  expect([meanwhile, gates.answers.bytes]).toEqual([2_000 * 1_024, 5 * MEBIBYTE]);
  call.response.emit('close');
  expect(gates.answers.bytes).toBe(0);
});

test('an answer that turns out too large is dropped, and the next one refused before it is made', async () => {
  await gates.answer('getDocumentsBatch', asked(2_000), answerOf(5 * MEBIBYTE));
  let made = 0;
  const make = async () => {
    made += 1;
    return { bytes: Buffer.alloc(5 * MEBIBYTE) };
  };
  const refusal = { code: 'too_many_requests', headers: { 'retry-after': '1' } };
  await expect(gates.answer('getDocumentsBatch', { ...asked(200), index: 'other' }, make)).rejects.toMatchObject(
    refusal,
  );
  await expect(gates.answer('getDocumentsBatch', { ...asked(200), index: 'other' }, make)).rejects.toMatchObject(
    refusal,
  );
  expect([made, gates.answers.bytes]).toEqual([1, 5 * MEBIBYTE]);
});

test('an answer that fails, or that nobody is there to take, holds nothing', async () => {
  const fault = new Error('boom');
  await expect(gates.answer('search', asked(), () => Promise.reject(fault))).rejects.toBe(fault);
  const gone = asked();
  gone.response.destroy();
  await gates.answer('search', gone, answerOf(MEBIBYTE));
  expect(gates.answers.bytes).toBe(0);
});

test('health is answered whatever others hold', async () => {
  for (let held = 0; held < 32; held += 1) gates.answers.lease().resize(64 * 1024);
  await expect(gates.answer('getIndexStats', asked(), answerOf(100))).rejects.toMatchObject({ status: 429 });
  expect(await gates.answer('getHealth', asked(), answerOf(100))).toMatchObject({ bytes: { length: 100 } });
  expect(gates.answers.bytes).toBe(2 * MEBIBYTE);
});
