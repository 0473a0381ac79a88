import { extname } from 'node:path';
import { ExitCode } from '../start-failure.js';
import type { Curation } from './curation.js';
import type { SuggestedQuery } from './suggested-queries.js';
import { TransferFailure } from './transfer-failure.js';

export const FORMATS = ['jsonl', 'csv', 'parquet'] as const;
export type Format = (typeof FORMATS)[number];

export type Compression = 'none' | 'gzip' | 'zstd';

/** The format and compression of a file, or of `-` for a stream. */
export interface FileFormat {
  readonly format: Format;
  readonly compression: Compression;
}

const EXTENSIONS: Readonly<Record<string, Format>> = {
  '.jsonl': 'jsonl',
  '.ndjson': 'jsonl',
  '.json': 'jsonl',
  '.csv': 'csv',
  '.tsv': 'csv',
  '.parquet': 'parquet',
};
const COMPRESSIONS: Readonly<Record<string, Compression>> = { '.gz': 'gzip', '.zst': 'zstd' };

/** The format and compression that the name of a file tells, `--format` before it. */
export function formatByName(file: string, named: Format | undefined): Partial<FileFormat> {
  const compression = COMPRESSIONS[extname(file).toLowerCase()];
  const bare = compression === undefined ? file : file.slice(0, -extname(file).length);
  const format = named ?? EXTENSIONS[extname(bare).toLowerCase()];
  if (file === '-' && format === 'parquet') throw wrong('Parquet needs a file: it is read from its end');
  return { ...(format !== undefined && { format }), ...(compression !== undefined && { compression }) };
}

/**
 * The format of a file to export to, or of `-` for a stream.
 * @throws TransferFailure
 */
export function formatOf(file: string, named: Format | undefined): FileFormat {
  const { compression = 'none', format = file === '-' ? 'jsonl' : undefined } = formatByName(file, named);
  if (format === undefined) {
    throw wrong(`The name ${file} does not tell its format: give --format, one of ${FORMATS.join(', ')}`);
  }
  if (compression !== 'none' && format !== 'jsonl') throw wrong(`Only JSON lines are compressed, not ${format}`);
  return { format, compression };
}

/** The kind of a field's values in a column. */
export type ColumnKind = 'text' | 'integer' | 'float' | 'bool' | 'json';

/** The versions of an export that this command reads. */
const VERSIONS = [1, 2, 3, 4] as const;

/** The head of an export: the settings that make the index anew, and the kinds of its columns. */
export interface Header {
  /** From 2 on an export ends with what tells that it is whole; from 3 on it may have queries, from 4 on a curation. */
  readonly format: (typeof VERSIONS)[number];
  readonly index: string;
  readonly settings: Record<string, unknown>;
  /** The queries that the index suggests; absent where there are none. */
  readonly queries?: readonly SuggestedQuery[];
  /** The rules, synonyms and search defaults of the index; absent where there are none. */
  readonly curation?: Curation;
  readonly columns?: Readonly<Record<string, ColumnKind>>;
  /** The place of the end where it is not the end of the file. */
  readonly end?: End;
}

/** Counts and sums that an export holds when it is whole. */
export interface End {
  readonly documents: number;
  /** The sum of its bytes: of JSON lines those before the last line, of Parquet with zeros for these digits. */
  readonly sha256: string;
  /** The sum of the settings of a CSV file, which lie beside it; from format 3 on with the number of documents. */
  readonly settingsSha256?: string;
}

/** The member, file or key that a header is under. */
export const HEADER = 'pelorus';

/**
 * The header in what was read of a file; undefined where there is none.
 * @throws TransferFailure for one of a later version
 */
export function headerIn(value: unknown): Header | undefined {
  if (typeof value !== 'object' || value === null || '_id' in value) return undefined;
  const header = (value as Record<string, unknown>)[HEADER] as Partial<Header> | undefined;
  if (typeof header?.settings !== 'object' || header.format === undefined) return undefined;
  if (VERSIONS.some((version) => version === header.format)) return header as Header;
  throw wrong(`The file is an export of version ${header.format}; this command reads versions 1 to ${VERSIONS.at(-1)}`);
}

/** Tells whether an export with such a header ends with what tells that it is whole. */
export function isSealed(header: Header | undefined): boolean {
  return header !== undefined && header.format > 1;
}

/** The path of the header of a CSV file. */
export function headerFileOf(file: string): string {
  return `${file}.settings.json`;
}

function wrong(message: string): TransferFailure {
  return new TransferFailure(message, ExitCode.BAD_CONFIGURATION);
}
