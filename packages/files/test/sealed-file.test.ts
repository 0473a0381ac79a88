import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DamagedFileError, readSealed, type SealedForm, sealed, unsealed, writeSealed } from '../src/index.js';

interface Doors {
  readonly open: readonly string[];
}

const form: SealedForm<Doors> = {
  name: 'shop/doors',
  isValue: (value): value is Doors => Array.isArray((value as Doors | null)?.open),
};
const value: Doors = { open: ['front', 'Ünïcode', '\u2028'] };
const bytes = Buffer.from(sealed(value, form));
const read = (damaged: Uint8Array) => unsealed(damaged, 'doors.json', form);

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'pelorus-sealed-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

test('a file is read as it was written, and nothing else is left beside it', async () => {
  const path = join(folder, 'doors.json');
  expect(await readSealed(path, form)).toBeUndefined();
  await writeSealed(path, { open: [] }, form);
  await writeSealed(path, value, form);
  expect(await readSealed(path, form)).toEqual(value);
  expect(readdirSync(folder)).toEqual(['doors.json']);
});

test('a file of before there were seals is read, by its shape', () => {
  expect(read(Buffer.from(`${JSON.stringify(value)}\n`))).toEqual(value);
  expect(read(Buffer.from(JSON.stringify(value, null, 1)))).toEqual(value);
  for (const other of ['{}', '[]', 'null', '7', '{"open": 1}']) {
    expect(() => read(Buffer.from(other)), other).toThrow(DamagedFileError);
  }
});

test('every single flipped bit is told', () => {
  for (let bit = 0; bit < bytes.length * 8; bit += 1) {
    const damaged = Buffer.from(bytes);
    damaged.writeUInt8(damaged.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
    expect(() => read(damaged), `bit ${bit}`).toThrow(DamagedFileError);
  }
});

test('every cut is told, at the end as in the seal at the front', () => {
  for (let length = 0; length < bytes.length; length += 1) {
    expect(() => read(bytes.subarray(0, length)), `${length} bytes`).toThrow(DamagedFileError);
  }
  const body = bytes.indexOf(10);
  for (let start = 1; start < body; start += 1) {
    expect(() => read(bytes.subarray(start)), `from byte ${start}`).toThrow(DamagedFileError);
  }
});

test('a file that grew is told', () => {
  for (const more of ['\n', ' ', '{}', '\0', bytes.toString()]) {
    expect(() => read(Buffer.concat([bytes, Buffer.from(more)]))).toThrow(DamagedFileError);
  }
});

test('the file of a neighbour, and one of a later form, are told as such', () => {
  const other = { ...form, name: 'other/doors' };
  expect(() => read(Buffer.from(sealed(value, other)))).toThrow('is another file, other/doors, not shop/doors');
  const later = bytes.toString().replace('"format":2', '"format":3');
  expect(() => read(Buffer.from(later))).toThrow('is of a later version: its form is 3');
});

test('a value of another shape is told, however well it is sealed', () => {
  const odd = sealed({ open: 'wide' }, form);
  expect(() => read(Buffer.from(odd))).toThrow('does not hold what such a file does');
});

test('a path that is no such file is told and left alone', async () => {
  await expect(readSealed(folder, form)).rejects.toThrow(DamagedFileError);
  const path = join(folder, 'noise.json');
  const noise = Buffer.from([0xff, 0xfe, 0, 0x80]);
  writeFileSync(path, noise);
  await expect(readSealed(path, form)).rejects.toThrow('is not UTF-8');
  expect(readFileSync(path)).toEqual(noise);
});

test.skipIf(process.platform === 'win32')('a pipe in place of a file is told, and not waited for', async () => {
  const path = join(folder, 'pipe.json');
  execFileSync('mkfifo', [path]);
  await expect(readSealed(path, form)).rejects.toThrow('it is no file');
});
