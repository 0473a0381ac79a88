import { afterEach, expect, test, vi } from 'vitest';
import { Share } from '../progress.mjs';

const print = vi.spyOn(console, 'log').mockImplementation(() => {});
afterEach(() => print.mockClear());

/** The lines printed so far, without the times in them. */
const told = (): string[] =>
  print.mock.calls.map(([line]) =>
    String(line)
      .replace(/ after .*$/, '')
      .trim(),
  );

test('a long step tells each tenth of it once', () => {
  const share = new Share('engine', 'crates', 20);
  for (let i = 0; i < 5; i++) share.add(`crate ${i}`);
  expect(told()).toEqual(['engine         2 of 20 crates', 'engine         4 of 20 crates']);
});

test('a thing that comes again counts once', () => {
  const share = new Share('engine', 'crates', 4);
  for (const id of ['a', 'a', 'a', 'a']) share.add(id);
  expect(told()).toEqual(['engine         1 of 4 crates']);
});

test('things that were there before count, untold', () => {
  const share = new Share('engine', 'crates', 10);
  for (let i = 0; i < 5; i++) share.add(`there ${i}`, true);
  share.add('new');
  expect(told()).toEqual(['engine         6 of 10 crates']);
});

test('the end is left to the step', () => {
  const share = new Share('engine', 'crates', 2);
  for (const id of ['a', 'b', 'c']) share.add(id);
  expect(told()).toEqual(['engine         1 of 2 crates']);
});

test('nothing is told of an unknown total', () => {
  const share = new Share('engine', 'crates', 0);
  share.add('a');
  expect(told()).toEqual([]);
});
