import { parquetWriteBuffer } from 'hyparquet-writer';
import { expect, test } from 'vitest';
import { openFile } from '../../src/pages/data/files/table-file.js';

const ROWS = 3_000;
const places = Array.from({ length: ROWS }, (_, place) => place);
const text = (place: number) => `the text of row ${String(place).padStart(5, '0')} with some more words behind it`;

test.each([
  ['CSV', `id,text\n${places.map((place) => `${place + 10_000},${text(place)}`).join('\n')}\n`],
  ['JSON lines', places.map((place) => JSON.stringify({ id: place + 10_000, text: text(place) })).join('\n')],
  ['JSON', JSON.stringify(places.map((place) => ({ id: place + 10_000, text: text(place) })))],
  ['Parquet', parquetWriteBuffer({ columnData: [{ name: 'text', data: places.map(text), type: 'STRING' }] })],
])('the bytes read of %s tell at each row how many rows were', async (_format, content) => {
  const file = await openFile(new File([content], 'file'));
  let [bytesRead, seen, greatest] = [0, 0, 0];
  for await (const _row of file.rows((bytes) => {
    bytesRead = bytes;
  })) {
    seen += 1;
    greatest = Math.max(greatest, Math.abs(bytesRead / file.bytes - seen / ROWS));
  }
  expect(seen).toBe(ROWS);
  expect(greatest).toBeLessThan(0.05);
});
