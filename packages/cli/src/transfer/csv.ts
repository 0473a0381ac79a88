import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { type CsvError, type Parser, parse } from 'csv-parse';
import { stringify } from 'csv-stringify/sync';
import { documentOf, type ExactDocument } from './columns.js';
import { type ColumnKind, type End, HEADER, type Header, headerFileOf, headerIn } from './file-format.js';
import { type Sealing, sha256Of, sha256OfText } from './seal.js';
import type { Item, Source } from './source.js';
import { damaged, TransferFailure } from './transfer-failure.js';

/** Longest row, in characters. */
const ROW_LENGTH_MAX = 64 * 1024 * 1024;

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

/** What lies beside a CSV file: its settings, and what tells that both are whole. */
export function csvHeader(header: Header, end: End): string {
  const whole = { ...header, end: { ...end, settingsSha256: sha256OfSettings(header) } };
  return `${JSON.stringify({ [HEADER]: whole }, null, 2)}\n`;
}

function sha256OfSettings(header: Header): string {
  return sha256OfText(JSON.stringify(header));
}

const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;

/** Rows of a CSV file. The place of an item is its row, the line of names not counted. */
export class Csv implements Source {
  readonly header: Header | undefined;
  readonly #file: string;
  readonly #bytes: number;
  readonly #texts: ReadonlySet<string>;
  #parser: Parser | undefined;

  private constructor(file: string, bytes: number, header: Header | undefined, texts: ReadonlySet<string>) {
    this.#file = file;
    this.#bytes = bytes;
    this.header = header;
    this.#texts = texts;
  }

  /** @param texts columns whose cells are texts, whatever they look like */
  static async open(file: string, texts: ReadonlySet<string>): Promise<Csv> {
    if (file === '-') return new Csv(file, Number.NaN, undefined, texts);
    return new Csv(file, (await stat(file)).size, await readHeader(headerFileOf(file)), texts);
  }

  get done(): number | undefined {
    return Number.isNaN(this.#bytes) ? undefined : (this.#parser?.info.bytes ?? 0) / Math.max(this.#bytes, 1);
  }

  async damage(): Promise<string | undefined> {
    if (this.#bytes === 0) return 'it holds nothing';
    if (this.header === undefined || this.header.format === 1) return undefined;
    const { end, ...rest } = this.header;
    if (end === undefined || end.settingsSha256 !== sha256OfSettings(rest)) {
      return `${headerFileOf(this.#file)} is not as it was written`;
    }
    if ((await sha256Of(this.#file)) === end.sha256) return undefined;
    return `its SHA-256 is not the one in ${headerFileOf(this.#file)}`;
  }

  async *items(skipped: number): AsyncGenerator<Item> {
    const faults: Item[] = [];
    const parser = parse({
      bom: true,
      relax_column_count: true,
      max_record_size: ROW_LENGTH_MAX,
      skip_empty_lines: true,
      skip_records_with_error: true,
    });
    parser.on('skip', ({ code, message, lines }: CsvError) => {
      const line = Number(lines);
      // Behind a quote in the wrong place the parser does not find the next row, and would lose some unsaid.
      if (code === 'CSV_INVALID_CLOSING_QUOTE' || code === 'CSV_QUOTE_NOT_CLOSED') {
        parser.destroy(
          new TransferFailure(`Line ${line} of ${this.#file}: ${message}. Rows behind it cannot be told apart`),
        );
      } else faults.push({ place: line, text: '', problem: `Line ${line}: ${message}` });
    });
    this.#parser = parser;
    const input: Readable = this.#file === '-' ? process.stdin : createReadStream(this.#file);
    input.on('error', (error) => parser.destroy(error)).pipe(parser);
    let names: string[] | undefined;
    let place = 0;
    for await (const cells of parser as AsyncIterable<string[]>) {
      if (names === undefined) {
        names = namesOf(cells);
        continue;
      }
      place += 1;
      if (place > skipped) yield this.#itemOf(place, names, cells);
      yield* faults.splice(0);
    }
    yield* faults;
  }

  #itemOf(place: number, names: readonly string[], cells: readonly string[]): Item {
    if (cells.length > names.length) {
      const problem = `The row has ${cells.length} cells for ${names.length} columns`;
      return { place, text: JSON.stringify(cells), problem };
    }
    const members = names.map((name, at) => [name, this.#jsonOf(name, cells[at] ?? '')] as const);
    return { place, text: documentOf(members) };
  }

  /** The JSON of a cell; undefined of an empty one. */
  #jsonOf(name: string, cell: string): string | undefined {
    if (cell === '') return undefined;
    const kind = this.header?.columns?.[name];
    if (kind !== undefined) return kind === 'text' ? JSON.stringify(cell) : cell;
    const isText = name === '_id' || this.#texts.has(name);
    return isText || !isOtherThanText(cell) ? JSON.stringify(cell) : cell;
  }
}

/** Whether a cell is taken for a number, a truth value, a list or an object. */
function isOtherThanText(cell: string): boolean {
  if (cell === 'true' || cell === 'false' || NUMBER.test(cell)) return true;
  if (!/^[[{]/.test(cell)) return false;
  try {
    JSON.parse(cell);
    return true;
  } catch {
    return false;
  }
}

function namesOf(cells: string[]): string[] {
  const repeated = cells.find((name, at) => cells.indexOf(name) < at);
  if (repeated !== undefined) throw new TransferFailure(`The first line names the column '${repeated}' more than once`);
  return cells;
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
