import { expect, test } from 'vitest';
import { ByteBudget } from '../../src/http/byte-budget.js';

const mebibyte = 1024 * 1024;

/** 30 MiB for large bodies and 10 MiB for small ones. */
const budget = () => new ByteBudget('body', 40 * mebibyte);

test('bodies beyond the budget are refused with the time to wait, and fit again once others are released', () => {
  const bodies = budget();
  const first = bodies.lease();
  first.resize(20 * mebibyte);
  const second = bodies.lease();
  expect(() => second.resize(11 * mebibyte)).toThrow(
    expect.objectContaining({
      code: 'too_many_requests',
      status: 429,
      headers: { 'retry-after': '1' },
      message: expect.stringContaining(`hold ${20 * mebibyte} bytes`),
    }),
  );
  expect(bodies.bytes).toBe(20 * mebibyte);
  first.release();
  second.resize(11 * mebibyte);
  expect(bodies.bytes).toBe(11 * mebibyte);
  second.release();
  expect(bodies.bytes).toBe(0);
});

test('a lease that shrinks stays where it is, also where a smaller one would find no room', () => {
  const bodies = budget();
  const shrinking = bodies.lease();
  shrinking.resize(20 * mebibyte);
  for (let body = 0; body < 160; body += 1) bodies.lease().resize(64 * 1024);
  shrinking.shrink(1000);
  expect(bodies.bytes).toBe(10 * mebibyte + 1000);
  shrinking.release();
  expect(bodies.bytes).toBe(10 * mebibyte);
});

test('one body alone fits whatever the budget', () => {
  const bodies = new ByteBudget('body', 1);
  const [large, small, other] = [bodies.lease(), bodies.lease(), bodies.lease()];
  large.resize(32 * mebibyte);
  small.resize(1000);
  expect(() => other.resize(1)).toThrow('send smaller ones');
});

test('small bodies find room behind large ones, and large ones behind small ones', () => {
  const bodies = budget();
  bodies.lease().resize(30 * mebibyte);
  for (let body = 0; body < 160; body += 1) bodies.lease().resize(64 * 1024);
  expect(() => bodies.lease().resize(1)).toThrow('10485760 bytes');
  const crowded = budget();
  for (let body = 0; body < 160; body += 1) crowded.lease().resize(64 * 1024);
  crowded.lease().resize(30 * mebibyte);
});

test('a lease that grows counts once, and where it is refused it stays what it was', () => {
  const bodies = budget();
  const growing = bodies.lease();
  for (const size of [16_384, 65_536, 131_072, 25 * mebibyte]) {
    growing.resize(size);
    expect(bodies.bytes).toBe(size);
  }
  const other = bodies.lease();
  other.resize(5 * mebibyte);
  expect(() => growing.resize(26 * mebibyte)).toThrow('would exceed the limit');
  expect(bodies.bytes).toBe(30 * mebibyte);
  growing.release();
  growing.release();
  expect(bodies.bytes).toBe(5 * mebibyte);
});

test('one owner leaves a quarter to all others, and has its share to itself', () => {
  const answers = new ByteBudget('answer', 40 * mebibyte);
  const first = answers.lease('key');
  first.resize(20 * mebibyte);
  const second = answers.lease('key');
  expect(() => second.resize(3 * mebibyte)).toThrow(
    `The answers of other requests with this key hold ${20 * mebibyte} bytes, and one of ${3 * mebibyte} bytes would exceed the limit of ${22.5 * mebibyte} bytes for those of one key together. Try your request again later, or ask for less.`,
  );
  second.resize(2 * mebibyte);
  answers.lease('other').resize(8 * mebibyte);
  first.release();
  second.resize(22 * mebibyte);
  second.release();
  expect(answers.bytes).toBe(8 * mebibyte);
});

test('an owner that has the budget to itself may have all of it for one answer', () => {
  const answers = new ByteBudget('answer', 1);
  answers.lease('key').resize(32 * mebibyte);
  expect(() => answers.lease('key').resize(mebibyte)).toThrow('ask for less');
});
