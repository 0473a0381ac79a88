import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { unzip } from '../../src/sources/unzip.js';
import { temporaryDirectory } from '../temporary-directory.js';
import { writeZip } from '../zip-file.js';

const wanted = (entry: string) => (entry.endsWith('model.onnx') ? 'model.onnx' : null);

async function unpacked(entries: readonly (readonly [string, string])[], bytesMax = 1000) {
  const folder = await temporaryDirectory();
  const archive = join(await temporaryDirectory(), 'a.zip');
  await writeZip(archive, entries);
  return { folder, archive, files: await unzip(archive, folder, wanted, { bytesMax }) };
}

test('only wanted entries are written, under the names they are given', async () => {
  const { folder, files } = await unpacked([
    ['deep/down/model.onnx', 'graph'],
    ['readme', 'no'],
  ]);
  expect(files).toEqual(['model.onnx']);
  expect(await readdir(folder)).toEqual(['model.onnx']);
  expect(await readFile(join(folder, 'model.onnx'), 'utf8')).toBe('graph');
});

describe('an archive is refused', () => {
  test('with two entries for one file', async () => {
    const entries = [
      ['a/model.onnx', 'x'],
      ['b/model.onnx', 'y'],
    ] as const;
    await expect(unpacked(entries)).rejects.toThrow('the archive holds model.onnx twice');
  });

  test('when it would unpack to more than allowed', async () => {
    await expect(unpacked([['model.onnx', 'x'.repeat(1001)]])).rejects.toThrow('more than the 1000 bytes allowed');
  });

  test('when it is small and would unpack to very much', async () => {
    const zeros = '\0'.repeat(1_000_000);
    await expect(unpacked([['model.onnx', zeros]], 10_000_000)).rejects.toThrow(
      /the archive of \d+ bytes would unpack to 1000000, more than 100 times its size/,
    );
  });

  test('before anything of it is written', async () => {
    const folder = await temporaryDirectory();
    const archive = join(await temporaryDirectory(), 'a.zip');
    await writeZip(archive, [
      ['a/model.onnx', 'sound'],
      ['tokenizer.json', 'x'.repeat(1000)],
    ]);
    const both = (entry: string) => entry.split('/').pop() ?? null;
    await expect(unzip(archive, folder, both, { bytesMax: 1000 })).rejects.toThrow('more than the 1000 bytes allowed');
    const noRoom = async (bytes: number) => {
      throw new Error(`no room for ${bytes}`);
    };
    await expect(unzip(archive, folder, both, { bytesMax: 2000, makeRoom: noRoom })).rejects.toThrow('room for 1005');
    expect(await readdir(folder)).toEqual([]);
  });

  test('when more comes out of it than its directory says', async () => {
    const { archive } = await unpacked([['model.onnx', 'x'.repeat(900)]]);
    const bytes = await readFile(archive);
    // The size of the unpacked file stands 24 bytes into its line of the directory.
    bytes.writeUInt32LE(10, bytes.indexOf(Buffer.from('PK\x01\x02', 'latin1')) + 24);
    await writeFile(archive, bytes);
    await expect(unzip(archive, await temporaryDirectory(), wanted, { bytesMax: 1000 })).rejects.toThrow(
      /cannot be unpacked: too many bytes|more than the 10 bytes allowed/,
    );
  });

  test('when its bytes are not those that were packed', async () => {
    const folder = await temporaryDirectory();
    const archive = join(await temporaryDirectory(), 'a.zip');
    await writeZip(archive, [['model.onnx', 'graph']], { compress: false });
    const bytes = await readFile(archive);
    bytes.write('GRAPH', bytes.indexOf('graph'));
    await writeFile(archive, bytes);
    await expect(unzip(archive, folder, wanted, { bytesMax: 1000 })).rejects.toThrow(
      /model\.onnx in the archive has CRC-32 [0-9a-f]{8}, expected [0-9a-f]{8}/,
    );
  });

  test('when its directory holds another sum for a compressed file', async () => {
    const { archive } = await unpacked([['model.onnx', 'graph'.repeat(50)]]);
    const bytes = await readFile(archive);
    // The sum stands 16 bytes into the line of the directory.
    bytes.writeUInt32LE(1, bytes.indexOf(Buffer.from('PK\x01\x02', 'latin1')) + 16);
    await writeFile(archive, bytes);
    await expect(unzip(archive, await temporaryDirectory(), wanted, { bytesMax: 1000 })).rejects.toThrow(
      'expected 00000001',
    );
  });

  test('with a file that is encrypted', async () => {
    const { archive } = await unpacked([['model.onnx', 'graph']]);
    const bytes = await readFile(archive);
    bytes.writeUInt16LE(1, bytes.indexOf(Buffer.from('PK\x01\x02', 'latin1')) + 8);
    await writeFile(archive, bytes);
    await expect(unzip(archive, await temporaryDirectory(), wanted, { bytesMax: 1000 })).rejects.toThrow(
      'the archive holds model.onnx encrypted',
    );
  });

  test('when an entry climbs out of the folder', async () => {
    const { archive } = await unpacked([['xx/model.onnx', 'graph']]);
    const bytes = await readFile(archive);
    await writeFile(archive, Buffer.from(bytes.toString('latin1').replaceAll('xx/model', '../model'), 'latin1'));
    const folder = await temporaryDirectory();
    await expect(unzip(archive, folder, wanted, { bytesMax: 1000 })).rejects.toThrow('the archive cannot be unpacked');
    expect(await readdir(folder)).toEqual([]);
  });

  test('when it is cut or no archive at all', async () => {
    const { archive } = await unpacked([['model.onnx', 'graph']]);
    const bytes = await readFile(archive);
    for (const broken of [bytes.subarray(0, bytes.length - 10), Buffer.from('<html>'), Buffer.alloc(0)]) {
      await writeFile(archive, broken);
      await expect(unzip(archive, await temporaryDirectory(), wanted, { bytesMax: 1000 })).rejects.toThrow(
        'cannot be unpacked',
      );
    }
  });
});
