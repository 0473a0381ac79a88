import { createReadStream, createWriteStream, fstatSync, openSync, type ReadStream, rmSync } from 'node:fs';
import { mkdtemp, readFile, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type CsvError, parse } from 'csv-parse';
import { stringify } from 'csv-stringify/sync';
import { ExitCode } from '../start-failure.js';
import { BadCell, ColumnInference, jsonOfCell, textOf } from './cells.js';
import { documentOf, type ExactDocument } from './columns.js';
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
import { type Sealing, sha256Of, sha256OfText } from './seal.js';
import type { Item, Source } from './source.js';
import { damaged, nameOf, TransferFailure } from './transfer-failure.js';

/** Longest row, in characters. */
const ROW_LENGTH_MAX = 64 * 1024 * 1024;

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
  const whole = { ...header, end: { ...end, settingsSha256: sha256OfSettings(header) } };
  return `${JSON.stringify({ [HEADER]: whole }, null, 2)}\n`;
}

function sha256OfSettings(header: Header): string {
  return sha256OfText(JSON.stringify(header));
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
    if (end === undefined || end.settingsSha256 !== sha256OfSettings(rest)) {
      return `${headerFileOf(this.#named)} is not as it was written`;
    }
    if ((await sha256Of(this.#named)) === end.sha256) return undefined;
    return `its SHA-256 is not the one in ${headerFileOf(this.#named)}`;
  }

  async *items(skipped: number): AsyncGenerator<Item> {
    let names: readonly string[] | undefined;
    for await (const row of this.#rows()) {
      if (!('cells' in row)) {
        if (row.place > skipped) yield row;
      } else if (names === undefined) names = this.#namesOf(row.cells);
      else if (row.place > skipped) yield this.#itemOf(row, names);
    }
  }

  /**
   * Rows by their bytes, one in each character, and what is none, in the order of the file: an import that goes on skips as
   * many. The line of names has the place 0.
   */
  async *#rows(): AsyncGenerator<Row | Item> {
    const faults: Fault[] = [];
    const parser = parse({
      encoding: 'latin1',
      delimiter: this.#dialect.delimiter,
      // Not told by the first line: files that were put together have several line ends.
      record_delimiter: ['\r\n', '\n', '\r'],
      from_line: this.#dialect.firstLine,
      relax_column_count: true,
      max_record_size: ROW_LENGTH_MAX,
      skip_empty_lines: true,
      skip_records_with_error: true,
    });
    expectAnyLength(parser);
    const bytes = Readable.from(this.#utf8());
    let broken: { readonly before: number; readonly failure: TransferFailure } | undefined;
    parser.on('skip', ({ code, message, ...info }: CsvError) => {
      const [line, before] = [Number(info.lines), Number(info.records)];
      const said = String(Buffer.from(message, 'latin1'));
      // Behind a quote in the wrong place the parser does not find the next row, and would lose some unsaid.
      if (code === 'CSV_INVALID_CLOSING_QUOTE' || code === 'CSV_QUOTE_NOT_CLOSED') {
        const failure = damaged(this.#named, `line ${line}: ${said}. Rows behind it cannot be told apart`);
        // Not destroyed: the rows ahead of it would be lost, as many as wait to be read.
        broken ??= { before, failure };
        bytes.unpipe(parser);
        parser.end();
      } else if (before === 0)
        parser.destroy(this.#unusable(`The line of names cannot be read: line ${line}: ${said}`));
      // A row with several faults is one.
      else if (faults.at(-1)?.line !== line) faults.push({ before, line, said });
    });
    this.#readBytes = 0;
    bytes.on('error', (error) => parser.destroy(error)).pipe(parser);
    let place = 0;
    let read = 0;
    // The parser tells of a fault before it gives the rows ahead of it.
    function* faultsBefore(rows: number): Generator<Item> {
      while ((faults[0]?.before ?? rows) < rows) {
        const { line, said } = faults.shift() as Fault;
        yield { place: place++, text: '', problem: `Line ${line}: ${said}` };
      }
    }
    for await (const cells of parser as AsyncIterable<string[]>) {
      if (broken !== undefined && read === broken.before) break;
      read += 1;
      yield* faultsBefore(read);
      yield { place: place++, cells };
    }
    yield* faultsBefore(broken?.before ?? Number.POSITIVE_INFINITY);
    bytes.destroy();
    if (broken !== undefined) throw broken.failure;
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

  #itemOf({ place, cells }: Row, names: readonly string[]): Item {
    const text = () => JSON.stringify(cells.map((cell) => Buffer.from(cell, 'latin1').toString()));
    if (cells.length > names.length) {
      return { place, text: text(), problem: `Row ${place} has ${cells.length} cells for ${names.length} columns` };
    }
    let column = '';
    try {
      const members: [string, string | undefined][] = [];
      for (const [at, name] of names.entries()) {
        column = name;
        const cell = textOf(cells[at] ?? '');
        members.push([name, this.#jsonOf(name, cell)]);
      }
      return { place, text: documentOf(members), source: cells.join('\x1f') };
    } catch (error) {
      if (!(error instanceof BadCell)) throw error;
      return { place, text: text(), problem: `Row ${place}, column '${column}' ${error.message}` };
    }
  }

  #jsonOf(name: string, cell: string): string | undefined {
    const kind = this.#kinds.get(name) ?? 'text';
    if (cell === '') return undefined;
    // An export holds what it says, and may have vectors, which are long.
    return this.header?.columns !== undefined && kind !== 'text' ? cell : jsonOfCell(kind, cell);
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
    for await (const row of this.#rows()) {
      if (!('cells' in row)) continue;
      if (names === undefined) {
        names = this.#namesOf(row.cells);
        inferred.push(...names.map((name) => (name === '_id' || known.has(name) ? undefined : new ColumnInference())));
      } else {
        isEmpty = false;
        for (const [at, column] of inferred.entries()) column?.see(row.cells[at] ?? '', row.place);
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

  #namesOf(cells: readonly string[]): string[] {
    if (cells.some((cell) => cell.includes('\0'))) {
      throw this.#unusable('The line of names has zeros in it, as UTF-16 has: --encoding utf-16 reads that');
    }
    const names = cells.map((cell, at) => {
      try {
        return textOf(cell);
      } catch (error) {
        throw this.#unusable(`The name of column ${at + 1} ${(error as Error).message}`);
      }
    });
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

interface Row {
  readonly place: number;
  /** Each with one byte in each character. */
  readonly cells: readonly string[];
}

/** A row that cannot be read. */
interface Fault {
  /** Number of rows that were read before it. */
  readonly before: number;
  readonly line: number;
  readonly said: string;
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

interface ParserState {
  readonly state?: { readonly record: readonly unknown[]; expectedRecordLength: number };
}

/**
 * Takes each row to be as long as the parser expects. It makes an error, with a stack and copies of the row, of every row
 * that is not, only to ignore it: that is most of the time that a table of bad rows takes. The caller counts the cells.
 */
function expectAnyLength(parser: object): void {
  const state = (parser as { readonly api?: ParserState }).api?.state;
  if (state === undefined) return;
  Object.defineProperty(state, 'expectedRecordLength', { get: () => state.record.length, set: () => {} });
}
