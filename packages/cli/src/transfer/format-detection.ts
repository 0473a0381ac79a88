import { ExitCode } from '../start-failure.js';
import { encodingOf } from './encoding.js';
import { type Compression, type FileFormat, FORMATS, type Format, formatByName } from './file-format.js';
import { startOf } from './file-start.js';
import { TransferFailure } from './transfer-failure.js';

/** Bytes at the start of files, by what they are of. */
const COMPRESSED: readonly (readonly [Compression, Buffer])[] = [
  ['gzip', Buffer.from([0x1f, 0x8b])],
  ['zstd', Buffer.from([0x28, 0xb5, 0x2f, 0xfd])],
];
const PARQUET = Buffer.from('PAR1');
const ZIP = Buffer.from('PK\x03\x04');
const START_BYTES = 4096;

/**
 * The format and compression of a file to import: by `--format`, or else by its name, or else by its content.
 * @throws TransferFailure
 */
export async function detectFormat(file: string, named: Format | undefined): Promise<FileFormat> {
  const byName = formatByName(file, named);
  if (file === '-') return { format: 'jsonl', compression: 'none', ...byName };
  const start = await readableStart(file);
  const compression = byName.compression ?? COMPRESSED.find(([, magic]) => start.indexOf(magic) === 0)?.[0] ?? 'none';
  const format = byName.format ?? (await formatOfContent(file, start, compression));
  if (compression !== 'none' && format === 'parquet')
    throw wrong(`${file} is compressed: decompress a Parquet file first`);
  return { format, compression };
}

async function formatOfContent(file: string, start: Buffer, compression: Compression): Promise<Format> {
  // All that is compressed without another name is JSON lines, as exports are.
  if (compression !== 'none') return 'jsonl';
  if (start.indexOf(PARQUET) === 0) return 'parquet';
  if (start.indexOf(ZIP) === 0) throw wrong(`${file} is a ZIP file, as workbooks are: save its table as CSV`);
  const encoding = await encodingOf(file, undefined);
  const text = new TextDecoder(encoding).decode(start).trimStart();
  if (/^[[{]/.test(text)) return 'jsonl';
  if (!text.includes('\0')) return 'csv';
  throw wrong(
    `Neither the name nor the content of ${file} tells its format: give --format, one of ${FORMATS.join(', ')}`,
  );
}

async function readableStart(path: string): Promise<Buffer> {
  try {
    return await startOf(path, START_BYTES);
  } catch (error) {
    throw wrong(`${path} cannot be read: ${(error as Error).message}`);
  }
}

function wrong(message: string): TransferFailure {
  return new TransferFailure(message, ExitCode.BAD_CONFIGURATION);
}
