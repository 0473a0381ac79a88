import { execFileSync } from 'node:child_process';
import { totalmem } from 'node:os';
import { expect, onTestFinished, test, vi } from 'vitest';
import { Memory } from '../../src/services/memory.js';

const mebibyte = 1024 * 1024;

test('documents are taken below three quarters of the budget and refused from there on', () => {
  const memory = (heldMebibytes: number) => new Memory(1024 * mebibyte, { read: () => heldMebibytes * mebibyte });
  expect(memory(767).hasRoom()).toBe(true);
  expect(() => memory(767).requireRoom()).not.toThrow();
  expect(memory(768).hasRoom()).toBe(false);
  expect(() => memory(800).requireRoom()).toThrow(
    expect.objectContaining({
      code: 'insufficient_memory',
      status: 507,
      type: 'internal',
      headers: { 'retry-after': '10' },
      message: expect.stringMatching(/holds 800 MiB .* from 768 MiB on, .* 1024 MiB; .*PELORUS_MAX_MEMORY/),
    }),
  );
});

test('without a budget of the operator it is what the system allows', () => {
  const { budgetBytes, bodiesBytesMax } = new Memory(null);
  expect(budgetBytes).toBeGreaterThan(0);
  expect(budgetBytes).toBeLessThanOrEqual(totalmem());
  expect(bodiesBytesMax).toBe(Math.floor(budgetBytes / 16));
});

test('the held bytes of a process grow with its buffers', () => {
  // A process of its own: here, memory of tests before this one may be freed meanwhile.
  const script = `
    import { Memory } from ${JSON.stringify(import.meta.resolve('../../dist/services/memory.js'))};
    const before = new Memory(null).heldBytes();
    const held = Buffer.alloc(${64 * mebibyte}, 1);
    console.log(new Memory(null).heldBytes() - before, held.at(-1));`;
  const said = execFileSync(process.execPath, ['--input-type=module', '--eval', script], { encoding: 'utf8' });
  const [grown, last] = said.split(' ').map(Number);
  expect(grown).toBeGreaterThanOrEqual(60 * mebibyte);
  expect(last).toBe(1);
});

test('a sample is good for a while', () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  let reads = 0;
  const read = () => {
    reads += 1;
    return 0;
  };
  const memory = new Memory(1024 * mebibyte, { read });
  for (let asked = 0; asked < 1000; asked += 1) memory.requireRoom();
  expect(reads).toBe(1);
  vi.advanceTimersByTime(100);
  memory.requireRoom();
  expect(reads).toBe(2);
});

test('from half of the budget on freed memory is given back, though not at every add', () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  let heldMebibytes = 511;
  const release = vi.fn(() => Promise.resolve());
  const memory = new Memory(1024 * mebibyte, { read: () => heldMebibytes * mebibyte, release });
  memory.requireRoom();
  expect(release).not.toHaveBeenCalled();
  heldMebibytes = 800;
  vi.advanceTimersByTime(1000);
  for (let add = 0; add < 10; add += 1) expect(() => memory.requireRoom()).toThrow('takes no documents');
  expect(release).toHaveBeenCalledTimes(1);
  heldMebibytes = 600;
  vi.advanceTimersByTime(5000);
  memory.requireRoom();
  expect(release).toHaveBeenCalledTimes(2);
});

test('memory that another limit bounds does not count', () => {
  let apartMebibytes = 0;
  const source = { read: () => 800 * mebibyte, apart: () => apartMebibytes * mebibyte };
  expect(new Memory(1024 * mebibyte, source).hasRoom()).toBe(false);
  apartMebibytes = 100;
  expect(new Memory(1024 * mebibyte, source).heldBytes()).toBe(700 * mebibyte);
  expect(new Memory(1024 * mebibyte, source).hasRoom()).toBe(true);
  apartMebibytes = 900;
  expect(new Memory(1024 * mebibyte, source).heldBytes()).toBe(0);
});
