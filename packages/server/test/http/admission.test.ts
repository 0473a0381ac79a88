import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { beforeEach, expect, test } from 'vitest';
import { readConfig } from '../../src/config.js';
import { Admission } from '../../src/http/admission.js';
import { Memory } from '../../src/services/memory.js';

const MEBIBYTE = 1024 * 1024;

/** Six MiB for large answers, and two for small ones. */
let admission: Admission;
beforeEach(() => {
  admission = new Admission(readConfig({}), new Memory(128 * MEBIBYTE, { read: () => 0 }));
});

const asked = (items = 1) => ({
  ...{ index: 'shop', items, owner: undefined },
  response: new ServerResponse(new IncomingMessage(new Socket())),
});

const answerOf = (bytes: number) => async () => ({ bytes: Buffer.alloc(bytes) });

test('an answer counts from before it is made until its response is over', async () => {
  const call = asked(2_000);
  let meanwhile = 0;
  await admission.answer('getDocumentsBatch', call, async () => {
    meanwhile = admission.answers.bytes;
    return { bytes: Buffer.alloc(5 * MEBIBYTE) };
  });
  // A kilobyte for each item is expected before the first answer was seen.
  expect([meanwhile, admission.answers.bytes]).toEqual([2_000 * 1_024, 5 * MEBIBYTE]);
  call.response.emit('close');
  expect(admission.answers.bytes).toBe(0);
});

test('an answer that turns out too large is dropped, and the next one refused before it is made', async () => {
  await admission.answer('getDocumentsBatch', asked(2_000), answerOf(5 * MEBIBYTE));
  let made = 0;
  const make = async () => {
    made += 1;
    return { bytes: Buffer.alloc(5 * MEBIBYTE) };
  };
  const refusal = { code: 'too_many_requests', headers: { 'retry-after': '1' } };
  await expect(admission.answer('getDocumentsBatch', { ...asked(200), index: 'other' }, make)).rejects.toMatchObject(
    refusal,
  );
  await expect(admission.answer('getDocumentsBatch', { ...asked(200), index: 'other' }, make)).rejects.toMatchObject(
    refusal,
  );
  expect([made, admission.answers.bytes]).toEqual([1, 5 * MEBIBYTE]);
});

test('an answer about a change is given whatever others hold: sent again, the change would be made twice', async () => {
  await admission.answer('getDocumentsBatch', asked(2_000), answerOf(5 * MEBIBYTE));
  for (const id of ['addDocuments', 'deleteDocuments'] as const) {
    const call = asked(1);
    expect((await admission.answer(id, call, answerOf(2 * MEBIBYTE))).bytes).toHaveLength(2 * MEBIBYTE);
    expect(admission.answers.bytes).toBe(7 * MEBIBYTE);
    call.response.emit('close');
  }
  expect(admission.answers.bytes).toBe(5 * MEBIBYTE);
});

test('an answer that fails, or that nobody is there to take, holds nothing', async () => {
  const fault = new Error('boom');
  await expect(admission.answer('search', asked(), () => Promise.reject(fault))).rejects.toBe(fault);
  const gone = asked();
  gone.response.destroy();
  await admission.answer('search', gone, answerOf(MEBIBYTE));
  expect(admission.answers.bytes).toBe(0);
});

test('parts of an answer count as they are made, and one that there is no room for leaves the others', async () => {
  const call = asked();
  const part = (bytes: number) => async () => Buffer.alloc(bytes);
  const during: number[] = [];
  const { bytes } = await admission.answer('multiSearch', call, async (parts) => {
    // A kilobyte for each hit is expected before the first was seen.
    const first = await parts.make('search', 'shop', 100, async () => {
      during.push(admission.answers.bytes);
      return Buffer.alloc(2 * MEBIBYTE);
    });
    during.push(admission.answers.bytes);
    await expect(parts.make('search', 'shop', 100, () => Promise.reject(new Error('boom')))).rejects.toThrow('boom');
    during.push(admission.answers.bytes);
    const other = admission.answers.lease();
    other.resize(2 * MEBIBYTE);
    await expect(parts.make('search', 'shop', 200, part(1))).rejects.toMatchObject({ code: 'too_many_requests' });
    const last = await parts.make('search', 'shop', 50, part(10));
    other.release();
    during.push(admission.answers.bytes);
    return { bytes: Buffer.concat([first, last]) };
  });
  expect(during).toEqual([100 * 1_024, 2 * MEBIBYTE, 2 * MEBIBYTE, 2 * MEBIBYTE + 10]);
  expect([bytes.length, admission.answers.bytes]).toEqual([2 * MEBIBYTE + 10, 2 * MEBIBYTE + 10]);
  call.response.emit('close');
  expect(admission.answers.bytes).toBe(0);
});

test('health is answered whatever others hold', async () => {
  for (let held = 0; held < 32; held += 1) admission.answers.lease().resize(64 * 1024);
  await expect(admission.answer('getIndexStats', asked(), answerOf(100))).rejects.toMatchObject({ status: 429 });
  expect(await admission.answer('getHealth', asked(), answerOf(100))).toMatchObject({ bytes: { length: 100 } });
  expect(admission.answers.bytes).toBe(2 * MEBIBYTE);
});
