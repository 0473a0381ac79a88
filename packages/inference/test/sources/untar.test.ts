import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { SourceFailure } from '../../src/sources/source-failure.js';
import { untar } from '../../src/sources/untar.js';
import { paxMember, type TarSpec, tar } from '../tar-file.js';
import { temporaryDirectory } from '../temporary-directory.js';

const wanted = (entry: string) => (entry.endsWith('model.onnx') ? 'model.onnx' : null);

async function unpacked(archive: Buffer, bytesMax = 1000, name = 'a.tar', makeRoom = async (_: number) => {}) {
  const folder = await temporaryDirectory();
  const path = join(await temporaryDirectory(), name);
  await writeFile(path, archive);
  return { folder, files: await untar(path, folder, wanted, { bytesMax, makeRoom }) };
}

const GRAPH: TarSpec = { name: 'deep/model.onnx', bytes: 'graph' };
const NOISE = Buffer.from(Array.from({ length: 300_000 }, (_, i) => (i * i * 31) >> 5));

test.each(['a.tar', 'a.tgz'])('of %s only wanted entries are written, under the names they are given', async (name) => {
  const plain = tar([
    { name: 'deep/', kind: '5' },
    { name: 'readme', bytes: 'x'.repeat(3000) },
    GRAPH,
    { name: 'link', kind: '2' },
  ]);
  const rooms: number[] = [];
  const { folder, files } = await unpacked(name === 'a.tgz' ? gzipSync(plain) : plain, 1000, name, async (bytes) => {
    rooms.push(bytes);
  });
  expect([files, rooms]).toEqual([['model.onnx'], [5]]);
  expect(await readdir(folder)).toEqual(['model.onnx']);
  expect(await readFile(join(folder, 'model.onnx'), 'utf8')).toBe('graph');
});

test.each([
  ['a member of its own', { kind: 'x', bytes: paxMember('path', `${'d/'.repeat(200)}model.onnx`) }],
  ['an entry before it', { kind: 'L', bytes: `${'d/'.repeat(200)}model.onnx\0` }],
])('a name too long for a header stands in %s', async (_, before) => {
  const other = { name: 'where it links to', kind: 'K', bytes: 'x' };
  const { folder } = await unpacked(tar([{ name: 'about', ...before }, other, { name: 'cut', bytes: 'graph' }]));
  expect(await readFile(join(folder, 'model.onnx'), 'utf8')).toBe('graph');
});

test('a size too large for octal digits is read in either spelling', async () => {
  const base256 = `\x80${'\0'.repeat(10)}\x05`;
  for (const entries of [
    [{ ...GRAPH, size: base256 }],
    [
      { name: 'about', kind: 'x', bytes: paxMember('size', '5') },
      { ...GRAPH, size: '0'.repeat(11) },
    ],
  ]) {
    const { folder } = await unpacked(tar(entries));
    expect(await readFile(join(folder, 'model.onnx'), 'utf8')).toBe('graph');
  }
});

test.each(['a.tar', 'a.tgz'])('a file of many chunks comes out of %s as it went in', async (name) => {
  const plain = tar([
    { name: 'other', bytes: NOISE },
    { ...GRAPH, bytes: NOISE },
  ]);
  const { folder } = await unpacked(name === 'a.tgz' ? gzipSync(plain) : plain, NOISE.length, name);
  expect(NOISE.equals(await readFile(join(folder, 'model.onnx')))).toBe(true);
});

test('bytes after the end are passed over', async () => {
  const whole = tar([GRAPH]);
  for (const rest of [Buffer.alloc(0), NOISE, tar([GRAPH])]) {
    const { files } = await unpacked(Buffer.concat([whole.subarray(0, -512), rest]));
    expect(files).toEqual(['model.onnx']);
  }
});

test('nothing is written where there is no room', async () => {
  const folder = await temporaryDirectory();
  const path = join(await temporaryDirectory(), 'a.tar');
  await writeFile(path, tar([GRAPH]));
  const full = new SourceFailure('the disk is full');
  const makeRoom = () => Promise.reject(full);
  await expect(untar(path, folder, wanted, { bytesMax: 1000, makeRoom })).rejects.toBe(full);
  expect(await readdir(folder)).toEqual([]);
});

describe('a tar is refused', () => {
  test.each<[string, string, readonly TarSpec[]]>([
    ['with two entries for one file', 'the archive holds model.onnx twice', [GRAPH, GRAPH]],
    ['with a link for a file', 'model.onnx in the archive is no plain file', [{ ...GRAPH, bytes: '', kind: '2' }]],
    ['with a hard link for a file', 'is no plain file', [{ ...GRAPH, bytes: '', kind: '1' }]],
    [
      'with a file of which parts are left out',
      'is no plain file',
      [{ name: 'about', kind: 'x', bytes: paxMember('GNU.sparse.major', '1') }, GRAPH],
    ],
    ['when an entry climbs out of the folder', 'invalid path: ../model.onnx', [{ ...GRAPH, name: '../model.onnx' }]],
    ['when an entry names a place', 'invalid path: /model.onnx', [{ ...GRAPH, name: '/model.onnx' }]],
    ['when it holds more than allowed', 'more than the 1000 bytes', [{ ...GRAPH, bytes: 'x'.repeat(1001) }]],
    ['when a size is none', 'a number of a header cannot be read', [{ ...GRAPH, size: 'five' }]],
    [
      'when what is said of an entry is endless',
      'is too long',
      [{ name: 'about', kind: 'L', bytes: Buffer.alloc((1 << 20) + 1) }, GRAPH],
    ],
    [
      'when it holds more than allowed and says less of all entries',
      'more than the 1000 bytes',
      [
        { name: 'about all', kind: 'g', bytes: paxMember('size', '5') },
        { name: 'about', kind: 'x', bytes: paxMember('size', '1001') },
        { ...GRAPH, bytes: 'x'.repeat(1001) },
      ],
    ],
    ['with an old kind of file of which parts are left out', 'is no plain file', [{ ...GRAPH, kind: 'S' }]],
  ])('%s', async (_, reason, entries) => {
    await expect(unpacked(tar(entries))).rejects.toThrow(reason);
  });

  test('when it lists very many files', async () => {
    const many = tar(Array.from({ length: 10_001 }, (_, i) => ({ name: `f${i}` })));
    await expect(unpacked(many)).rejects.toThrow('more than the 10000 allowed');
  });

  test('when it is small and would unpack to very much', async () => {
    const bomb = gzipSync(tar([{ name: 'zeros', bytes: Buffer.alloc(1_000_000) }, GRAPH]));
    await expect(unpacked(bomb, 1000, 'a.tgz')).rejects.toThrow('would unpack to more than 100 times its size');
  });

  test('when it is cut or damaged or no archive at all', async () => {
    const whole = tar([GRAPH]);
    const damaged = Buffer.from(whole);
    damaged.write('x', 3);
    const zipped = gzipSync(tar([GRAPH, { name: 'noise', bytes: NOISE }]));
    const flipped = Buffer.from(zipped);
    // The sum of what was packed stands before its size at the end.
    flipped.writeUInt32LE(1, flipped.length - 8);
    for (const [bytes, name] of [
      [whole.subarray(0, 600), 'a.tar'],
      [whole.subarray(0, 1024), 'a.tar'],
      [damaged, 'a.tar'],
      [Buffer.from('<html>'), 'a.tar'],
      [Buffer.alloc(0), 'a.tar'],
      [zipped.subarray(0, zipped.length - 20), 'a.tgz'],
      [flipped, 'a.tgz'],
      [whole, 'a.tgz'],
      // Compressed in another way than its name says.
      [gzipSync(whole), 'a.tar'],
      [gzipSync(gzipSync(whole)), 'a.tgz'],
      [zstdCompressSync(whole), 'a.tar'],
    ] as const) {
      await expect(unpacked(bytes, 1000, name)).rejects.toThrow('the archive cannot be unpacked');
    }
  });
});
