import { isUtf8 } from 'node:buffer';
import { createReadStream, createWriteStream, fstatSync, openSync, type ReadStream, rmSync } from 'node:fs';
import { mkdtemp, readFile, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { stringify } from 'csv-stringify/sync';
import { ExitCode } from '../start-failure.js';
import { BadCell, ColumnInference, jsonOfCell, NOT_UTF8 } from './cells.js';
import type { ExactDocument } from './columns.js';
import { decompressor, isOfCompression } from './compression.js';
import { type Dialect, delimiterName, dialectOf } from './delimiter.js';
import { type Encoding, encodingOf, inUtf8, type NamedEncoding } from './encoding.js';
import {
  type ColumnKind,
  type Compression,
  type End,
  HEADER,
  type Header,
  headerFileOf,
  headerIn,
  isSealed,
} from './file-format.js';
import { startOf } from './file-start.js';
import { RowItem } from './row-item.js';
import { type Sealing, sha256Of, sha256OfText } from './seal.js';
import type { Item, Source, TableColumns } from './source.js';
import { endOfLines, type SplitRows, type TableRow, TableRows } from './table-rows.js';
import { damaged, nameOf, TransferFailure } from './transfer-failure.js';

/** Longest row. */
const ROW_BYTES_MAX = 64 * 1024 * 1024;
const LINE_FEED = 0x0a;

/** Bytes by which the delimiter is told. */
const START_BYTES = 64 * 1024;
/** Bytes read at once. */
const READ_BYTES = 1024 * 1024;

/** Rows of a table with a line of names, which `sealing` is told. A text stands as it is, every other value as JSON; a cell without either is empty. */
export async function* writeCsv(
  columns: Readonly<Record<string, ColumnKind>>,
  batches: AsyncIterable<readonly ExactDocument[]>,
  sealing: Sealing,
): AsyncGenerator<string> {
  const names = Object.keys(columns);
  // Texts are quoted, so that no line break or blank of theirs is taken for one of the table.
  const lines = (rows: (string | undefined)[][]) => stringify(rows, { quoted_string: true, record_delimiter: '\n' });
  const first = lines([names]);
  sealing.update(first, 0);
  yield first;
  for await (const documents of batches) {
    if (documents.length === 0) continue;
    const rows = lines(documents.map((document) => names.map((name) => cellOf(document[name], columns[name]))));
    sealing.update(rows, documents.length);
    yield rows;
  }
}

function cellOf(value: unknown, kind: ColumnKind | undefined): string | undefined {
  if (value === undefined) return undefined;
  return kind === 'text' ? (value as string) : JSON.stringify(value);
}

/** The text of the file beside a CSV file: its settings, and what tells that both are whole. */
export function csvHeader(header: Header, end: End): string {
  const whole = { ...header, end: { ...end, settingsSha256: sha256OfSettings(header, end) } };
  return `${JSON.stringify({ [HEADER]: whole }, null, 2)}\n`;
}

function sha256OfSettings(header: Header, { documents }: End): string {
  return sha256OfText(JSON.stringify(header.format < 3 ? header : { ...header, end: { documents } }));
}

export interface CsvOptions {
  readonly compression?: Compression;
  /** Undefined for the one that the file tells. */
  readonly delimiter?: string | undefined;
  /** Undefined for the one that the file tells. */
  readonly encoding: NamedEncoding | undefined;
  /** Kinds of columns that are known, whatever their cells look like. */
  readonly kinds: ReadonlyMap<string, ColumnKind>;
}

/** Rows of a CSV file. The place of an item is its row, those that cannot be read counted and the line of names not. */
export class Csv implements Source {
  readonly header: Header | undefined;
  /** Its path, or the descriptor of one without a name. */
  readonly #file: string | number;
  readonly #named: string;
  readonly #bytes: number;
  readonly #encoding: Encoding;
  #kinds: ReadonlyMap<string, ColumnKind> = new Map();
  /** The kinds by the place of their column. */
  #columnKinds: readonly ColumnKind[] = [];
  #dialect: Dialect = { delimiter: ',', firstLine: 1 };
  #names: readonly string[] = [];
  #note: string | undefined;
  #readBytes = 0;

  private constructor(
    file: string | number,
    named: string,
    bytes: number,
    header: Header | undefined,
    encoding: Encoding,
  ) {
    this.#file = file;
    this.#named = named;
    this.#bytes = bytes;
    this.header = header;
    this.#encoding = encoding;
  }

  /** Reads a file that is no export whole, for the kinds of its columns; standard input is kept in a file meanwhile. */
  static async open(named: string, options: CsvOptions): Promise<Csv> {
    const { compression = 'none', encoding, delimiter, kinds } = options;
    const file = named === '-' || compression !== 'none' ? await spooled(named, compression) : named;
    const header = typeof file === 'number' ? undefined : await readHeader(headerFileOf(file));
    const own = header === undefined ? await encodingIn(file, named, encoding) : 'utf-8';
    const csv = new Csv(
      file,
      named,
      typeof file === 'number' ? fstatSync(file).size : (await stat(file)).size,
      header,
      own,
    );
    if (header === undefined) await csv.#findDialect(delimiter);
    if (header?.columns === undefined) await csv.#inferKinds(kinds);
    else {
      csv.#kinds = new Map(Object.entries(header.columns));
      csv.#names = [...csv.#kinds.keys()];
    }
    return csv;
  }

  get done(): number {
    return this.#readBytes / Math.max(this.#bytes, 1);
  }

  get names(): readonly string[] {
    return this.#names;
  }

  get note(): string | undefined {
    return this.#note;
  }

  async again(): Promise<Csv> {
    return this;
  }

  async isSealed(): Promise<boolean> {
    return isSealed(this.header);
  }

  async damage(): Promise<string | undefined> {
    if (this.#bytes === 0) return 'it holds nothing';
    if (this.header === undefined || this.header.format === 1) return undefined;
    const { end, ...rest } = this.header;
    if (end === undefined || end.settingsSha256 !== sha256OfSettings(rest, end)) {
      return `${headerFileOf(this.#named)} is not as it was written`;
    }
    if ((await sha256Of(this.#named)) === end.sha256) return undefined;
    return `its SHA-256 is not the one in ${headerFileOf(this.#named)}`;
  }

  async *items(skipped: number): AsyncGenerator<readonly Item[]> {
    let columns: TableColumns | undefined;
    for await (const rows of this.#rows()) {
      const items: Item[] = [];
      for (const row of rows) {
        if (columns === undefined) columns = this.#columnsOf(this.#namesOf(row));
        else if (row.place > skipped) items.push(this.#itemOf(row, columns));
      }
      if (items.length > 0) yield items;
    }
  }

  /**
   * Rows, and what is none, in the order of the file: an import that goes on skips as many. The line of names has the
   * place 0.
   */
  async *#rows(): AsyncGenerator<readonly Row[]> {
    const { delimiter, firstLine } = this.#dialect;
    const split = new TableRows(delimiter, firstLine);
    let rest: Buffer = Buffer.alloc(0);
    let isBegun = firstLine === 1;
    this.#readBytes = 0;
    for await (const { bytes, isLast } of this.#parts(() => rest.length)) {
      const both = rest.length === 0 ? bytes : Buffer.concat([rest, bytes]);
      const end = isLast ? both.length : endOfLines(both);
      let start = 0;
      if (!isBegun && end > 0) {
        const lineEnd = both.indexOf(LINE_FEED);
        [start, isBegun] = [lineEnd < 0 ? end : lineEnd + 1, true];
      }
      const lines = both.subarray(start, end);
      const isText = isUtf8(lines);
      const text = isText ? lines.toString() : lines.toString('latin1');
      const own = isText ? delimiter : Buffer.from(delimiter).toString('latin1');
      let read: SplitRows = { rows: [], end: 0, hasMore: true, broken: undefined };
      while (read.hasMore) {
        read = split.split(text, read.end, isLast, own);
        if (read.rows.length > 0) yield isText ? read.rows : read.rows.map(decoded);
        if (read.broken !== undefined) throw this.#brokenAt(read.broken.line, read.broken.said);
      }
      // Most often nothing is left, and only the length of what is left is known in characters.
      const left = text.slice(read.end);
      rest = both.subarray(end - (isText ? Buffer.byteLength(left) : left.length));
      if (rest.length > ROW_BYTES_MAX) {
        throw this.#brokenAt(
          split.line,
          `its row has more than ${ROW_BYTES_MAX} bytes, as one with an open quote does`,
        );
      }
    }
  }

  /** The bytes of the file, at least twice as many at once as are left of those before: a long row is not read anew for each. */
  async *#parts(left: () => number): AsyncGenerator<{ bytes: Buffer; isLast: boolean }> {
    let parts: Buffer[] = [];
    let length = 0;
    for await (const bytes of this.#utf8()) {
      parts.push(bytes);
      length += bytes.length;
      if (length < left()) continue;
      yield { bytes: parts.length === 1 ? bytes : Buffer.concat(parts), isLast: false };
      [parts, length] = [[], 0];
    }
    yield { bytes: Buffer.concat(parts), isLast: true };
  }

  #brokenAt(line: number, said: string): TransferFailure {
    return damaged(this.#named, `line ${line}: ${said}. Rows behind it cannot be told apart`);
  }

  /** The bytes of the file as UTF-8, without a byte order mark. */
  async *#utf8(): AsyncGenerator<Buffer> {
    const counted = counting(readOf(this.#file), (bytes) => {
      this.#readBytes += bytes;
    });
    try {
      yield* inUtf8(counted, this.#encoding);
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      throw notIn(this.#encoding, this.#named);
    }
  }

  #itemOf(row: Row, columns: TableColumns): Item {
    const { place, cells, fault, undecoded } = row;
    const refused = (problem: string, kind?: string) =>
      new RowItem({ place, columns, cells, values: [], problem, ...(kind !== undefined && { kind }) });
    if (fault !== undefined) return refused(fault);
    const { names } = columns;
    if (cells.length > names.length) {
      return refused(`Row ${place} has ${cells.length} cells for ${names.length} columns`, 'more cells than columns');
    }
    const values: (string | undefined)[] = [];
    for (let at = 0; at < names.length; at += 1) {
      const value = at === undecoded ? NOT_UTF8 : this.#jsonOf(this.#columnKinds[at] ?? 'text', cells[at] ?? '');
      if (value instanceof BadCell) {
        return refused(`Row ${place}, column '${names[at]}' ${value.said}`, `'${names[at]}' ${value.kind}`);
      }
      values.push(value);
    }
    return new RowItem({ place, columns, cells, values });
  }

  #jsonOf(kind: ColumnKind, cell: string): string | undefined | BadCell {
    if (cell === '') return undefined;
    // An export holds what it says, and may have vectors, which are long.
    return this.header?.columns !== undefined && kind !== 'text' ? cell : jsonOfCell(kind, cell);
  }

  #columnsOf(names: readonly string[]): TableColumns {
    this.#columnKinds = names.map((name) => this.#kinds.get(name) ?? 'text');
    const isPlain = (kind: ColumnKind) => kind === 'text' || (kind !== 'json' && this.header?.columns === undefined);
    return { names, arePlain: this.#columnKinds.every(isPlain) };
  }

  async #findDialect(delimiter: string | undefined): Promise<void> {
    const start = await startOf(this.#file, START_BYTES);
    const found = dialectOf(new TextDecoder(this.#encoding).decode(start));
    this.#dialect = delimiter === undefined ? found : { ...found, delimiter };
  }

  /** Takes for each column that is not known the kind that all of its cells are of. */
  async #inferKinds(known: ReadonlyMap<string, ColumnKind>): Promise<void> {
    let names: readonly string[] | undefined;
    const inferred: (ColumnInference | undefined)[] = [];
    let isEmpty = true;
    for await (const rows of this.#rows()) {
      for (const row of rows) {
        if (names === undefined) {
          names = this.#namesOf(row);
          for (const name of names) {
            inferred.push(name === '_id' || known.has(name) ? undefined : new ColumnInference());
          }
        } else if (row.fault === undefined) {
          isEmpty = false;
          for (let at = 0; at < inferred.length; at += 1) inferred[at]?.see(row.cells[at] ?? '', row.place);
        }
      }
    }
    const kinds = new Map<string, ColumnKind>(known);
    for (const [at, name] of (names ?? []).entries()) kinds.set(name, inferred[at]?.kind ?? known.get(name) ?? 'text');
    this.#kinds = kinds;
    this.#names = names ?? [];
    const { delimiter } = this.#dialect;
    const separated = delimiter === ',' ? '' : `separated by ${delimiterName(delimiter)}; `;
    const rows = isEmpty ? '; no row follows the line of names' : '';
    this.#note = names && `${separated}${noteOf(names, inferred, kinds)}${rows}`;
  }

  #namesOf({ cells: names, fault, undecoded }: Row): readonly string[] {
    if (fault !== undefined) {
      throw this.#unusable(`The line of names cannot be read: ${fault.replace(/^L/, 'l')}`);
    }
    if (names.some((name) => name.includes('\0'))) {
      throw this.#unusable('The line of names has zeros in it, as UTF-16 has: --encoding utf-16 reads that');
    }
    if (undecoded !== undefined) throw this.#unusable(`The name of column ${undecoded + 1} ${NOT_UTF8.said}`);
    const repeated = names.find((name, at) => names.indexOf(name) < at);
    if (repeated !== undefined) throw this.#unusable(`The first line names the column '${repeated}' more than once`);
    return names;
  }

  #unusable(problem: string): TransferFailure {
    return new TransferFailure(`${nameOf(this.#named)}: ${problem}`);
  }
}

async function encodingIn(
  file: string | number,
  named: string,
  encoding: NamedEncoding | undefined,
): Promise<Encoding> {
  try {
    return await encodingOf(file, encoding);
  } catch (error) {
    throw error instanceof TypeError ? notIn(encoding ?? 'utf-8', named) : error;
  }
}

function notIn(encoding: NamedEncoding, named: string): TransferFailure {
  return new TransferFailure(`${nameOf(named)} is not ${encoding}`, ExitCode.NOT_STORED);
}

/** A row of the file. */
interface Row extends TableRow {
  /** The first cell that is not UTF-8, of which it shows what can be read. */
  readonly undecoded?: number;
}

/** A row of which each character is a byte. */
function decoded({ place, cells, fault }: TableRow): Row {
  const bytes = cells.map((cell) => Buffer.from(cell, 'latin1'));
  const undecoded = bytes.findIndex((cell) => !isUtf8(cell));
  return {
    place,
    cells: bytes.map(String),
    fault: fault && String(Buffer.from(fault, 'latin1')),
    ...(undecoded >= 0 && { undecoded }),
  };
}

/** Kinds in the order in which a note tells them. */
const KIND_NAMES: readonly (readonly [ColumnKind, string])[] = [
  ['integer', 'integers'],
  ['float', 'numbers'],
  ['bool', 'truth values'],
  ['json', 'lists and objects'],
];

/** Tells the kinds for which the columns of a table are taken. */
function noteOf(
  names: readonly string[],
  inferred: readonly (ColumnInference | undefined)[],
  kinds: ReadonlyMap<string, ColumnKind>,
): string {
  const parts = KIND_NAMES.flatMap(([kind, plural]) => {
    const those = names.filter((name) => kinds.get(name) === kind);
    return those.length === 0 ? [] : [`${plural}: ${those.join(', ')}`];
  });
  const canBeNumbers = inferred.some((column) => column?.misfit !== undefined && column.canBeNumbers);
  const texts = `${parts.length === 0 ? 'all columns are' : 'all other columns are'} texts`;
  const misfits = names.flatMap((name, at) => {
    const misfit = inferred[at]?.misfit;
    return misfit === undefined ? [] : [`${name} because of ${misfit}`];
  });
  const hint = canBeNumbers ? ' (--number-fields takes a column for numbers)' : '';
  const why = misfits.length === 0 ? '' : `, ${misfits.join(', ')}${hint}`;
  return [...parts, `${texts}${why}`].join('; ');
}

async function* counting(input: AsyncIterable<Buffer>, count: (bytes: number) => void): AsyncGenerator<Buffer> {
  for await (const chunk of input) {
    count(chunk.length);
    yield chunk;
  }
}

function readOf(file: string | number): ReadStream {
  return typeof file === 'string'
    ? createReadStream(file, { highWaterMark: READ_BYTES })
    : createReadStream('', { fd: file, start: 0, autoClose: false, highWaterMark: READ_BYTES });
}

/** The open descriptor of a file of standard input, or of what a file unpacks to, whose name is gone before it holds anything. */
async function spooled(named: string, compression: Compression): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'pelorus-import-'));
  const file = openSync(join(folder, 'table'), 'wx+', 0o600);
  try {
    rmSync(folder, { recursive: true });
  } catch {
    // A system that keeps the names of open files loses this one when the process ends.
    process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  }
  const input = named === '-' ? process.stdin : createReadStream(named, { highWaterMark: READ_BYTES });
  const output = createWriteStream('', { fd: file, autoClose: false });
  try {
    const unpacked = decompressor(compression);
    await (unpacked === undefined ? pipeline(input, output) : pipeline(input, unpacked, output));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw isOfCompression(code) ? damaged(named, message) : error;
  }
  return file;
}

async function readHeader(file: string): Promise<Header | undefined> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    const header = headerIn(JSON.parse(text));
    if (header === undefined) throw damaged(file, 'it holds no settings of an export');
    return header;
  } catch (error) {
    if (error instanceof SyntaxError) throw damaged(file, `it is no JSON (${error.message})`);
    throw error;
  }
}
