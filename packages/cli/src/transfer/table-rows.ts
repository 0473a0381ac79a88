/** Codes of the characters that end or begin something. */
const [LINE_FEED, CARRIAGE_RETURN, QUOTE] = [0x0a, 0x0d, 0x22] as const;
/** Characters that are shown of a cell. */
const SHOWN_LENGTH_MAX = 40;

/** Rows that are given at once: few enough to be done with before memory is looked through for what is in use. */
const ROWS_AT_ONCE = 256;

/** A row of a table, or the fault because of which it cannot be read. */
export interface TableRow {
  /** Its number, from 0. */
  readonly place: number;
  readonly cells: readonly string[];
  readonly fault: string | undefined;
}

/** A quote in the wrong place: where the next row begins cannot be told. */
export interface Break {
  readonly line: number;
  readonly said: string;
}

/** Some rows of a text, and the place in it where they end. */
export interface SplitRows {
  readonly rows: readonly TableRow[];
  readonly end: number;
  /** Tells that there may be more whole rows in the text. */
  readonly hasMore: boolean;
  readonly broken: Break | undefined;
}

/**
 * Splits texts into rows and cells, as RFC 4180 says: a cell in quotes holds delimiters and line ends, and two quotes are
 * one. Rows end with `\r\n`, `\n` or `\r`, whatever the one before ended with, and empty lines are none. It is told texts
 * one after the other, each from where the last row of the one before ended.
 */
export class TableRows {
  readonly #delimiter: string;
  #line: number;
  #place = 0;

  /** @param line the number of the first line, for messages */
  constructor(delimiter: string, line: number) {
    this.#delimiter = delimiter;
    this.#line = line;
  }

  /** The number of the line at which the next row begins. */
  get line(): number {
    return this.#line;
  }

  /**
   * Reads whole rows of a text, from `start` on.
   * @param isLast tells that nothing follows; a text that something follows ends with the end of a line
   * @param delimiter in the characters of this text
   */
  split(text: string, start: number, isLast: boolean, delimiter = this.#delimiter): SplitRows {
    const [separator, isLong] = [delimiter.charCodeAt(0), delimiter.length > 1];
    const isSeparator = (at: number) => !isLong || text.startsWith(delimiter, at);
    const rows: TableRow[] = [];
    let at = start;
    while (at < text.length && rows.length < ROWS_AT_ONCE) {
      const rowStart = at;
      const first = text.charCodeAt(at);
      if (first === LINE_FEED || first === CARRIAGE_RETURN) {
        at = behindLineEnd(text, at);
        this.#line += 1;
        continue;
      }
      const cells: string[] = [];
      let fault: string | undefined;
      let lines = 0;
      for (let isEnd = false; !isEnd; ) {
        let code: number;
        if (text.charCodeAt(at) === QUOTE) {
          const quoted = quotedCell(text, at);
          if (quoted === undefined) {
            const said = 'Quote Not Closed: the table ends within quotes';
            const broken = isLast ? { line: this.#line + lines, said } : undefined;
            return { rows, end: rowStart, hasMore: false, broken };
          }
          cells.push(quoted.cell);
          lines += lineEndsIn(quoted.cell);
          at = quoted.end;
          code = text.charCodeAt(at);
          const isWhole = at === text.length || code === LINE_FEED || code === CARRIAGE_RETURN;
          if (!isWhole && !(code === separator && isSeparator(at))) {
            const found = JSON.stringify(String.fromCodePoint(text.codePointAt(at) as number));
            const said = `Invalid Closing Quote: ${found} follows it, expected the end of the cell`;
            return { rows, end: rowStart, hasMore: false, broken: { line: this.#line + lines, said } };
          }
        } else {
          const from = at;
          for (; at < text.length; at += 1) {
            code = text.charCodeAt(at);
            if (code === separator && isSeparator(at)) break;
            if (code === LINE_FEED || code === CARRIAGE_RETURN) break;
            if (code === QUOTE) {
              const before = text.slice(from, Math.min(at, from + SHOWN_LENGTH_MAX));
              fault ??= `Line ${this.#line + lines}: Invalid Opening Quote: one stands within cell ${cells.length + 1}, behind ${JSON.stringify(before)}`;
            }
          }
          code = text.charCodeAt(at);
          cells.push(text.slice(from, at));
        }
        isEnd = at === text.length || code === LINE_FEED || code === CARRIAGE_RETURN;
        at = isEnd ? behindLineEnd(text, at) : at + delimiter.length;
      }
      rows.push({ place: this.#place++, cells, fault });
      this.#line += lines + 1;
    }
    return { rows, end: at, hasMore: at < text.length, broken: undefined };
  }
}

/** The cell whose first quote is at a place, and the place behind its last one; undefined where that is missing. */
function quotedCell(text: string, at: number): { cell: string; end: number } | undefined {
  let [cell, from] = ['', at + 1];
  for (;;) {
    const end = text.indexOf('"', from);
    if (end < 0) return undefined;
    if (text.charCodeAt(end + 1) !== QUOTE) return { cell: cell + text.slice(from, end), end: end + 1 };
    cell += text.slice(from, end + 1);
    from = end + 2;
  }
}

function behindLineEnd(text: string, at: number): number {
  const isPair = text.charCodeAt(at) === CARRIAGE_RETURN && text.charCodeAt(at + 1) === LINE_FEED;
  return Math.min(at + (isPair ? 2 : 1), text.length);
}

/** The number of line ends in a cell. */
function lineEndsIn(cell: string): number {
  if (!cell.includes('\n') && !cell.includes('\r')) return 0;
  return cell.split(/\r\n|\n|\r/).length - 1;
}

/** The end of the last whole line of bytes: no character of UTF-8 holds one of its bytes. 0 where there is none. */
export function endOfLines(bytes: Buffer): number {
  // Behind a carriage return at the very end a line feed may follow.
  const [feed, carriage] = [bytes.lastIndexOf(LINE_FEED), bytes.lastIndexOf(CARRIAGE_RETURN, bytes.length - 2)];
  return bytes.length < 2 ? feed + 1 : Math.max(feed, carriage) + 1;
}
