import { isUtf8 } from 'node:buffer';
import { spellFloat } from './exact-json.js';
import type { ColumnKind } from './file-format.js';

/** A cell that is not of the kind of its column, or no text. */
export class BadCell extends Error {}

const [INT64_MIN, INT64_MAX] = [-(2n ** 63n), 2n ** 63n - 1n];
const INTEGER = /^-?(0|[1-9]\d*)$/;
const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;
const FRACTION = /^-?(?:0|[1-9]\d*)\.(\d{1,20})$/;
/** Characters that a message shows of a cell. */
const SHOWN_LENGTH_MAX = 40;

/**
 * A text of its bytes, which stand one in each character.
 * @throws BadCell for what is not UTF-8
 */
export function textOf(bytes: string): string {
  if (/^[\0-\x7f]*$/.test(bytes)) return bytes;
  const buffer = Buffer.from(bytes, 'latin1');
  if (!isUtf8(buffer)) throw new BadCell('is not UTF-8: --encoding names another encoding');
  return buffer.toString('utf8');
}

/**
 * The JSON of a cell of a column of a kind.
 * @throws BadCell for one of another kind
 */
export function jsonOfCell(kind: ColumnKind, cell: string): string {
  switch (kind) {
    case 'text':
      return JSON.stringify(cell);
    case 'integer':
    case 'float':
      if (!NUMBER.test(cell)) throw new BadCell(`is no number: ${shown(cell)}`);
      return kind === 'float' && INTEGER.test(cell) && String(Number(cell)) === cell ? `${cell}.0` : cell;
    case 'bool':
      if (cell !== 'true' && cell !== 'false') throw new BadCell(`is neither true nor false: ${shown(cell)}`);
      return cell;
    default:
      if (!isJson(cell)) throw new BadCell(`is no JSON: ${shown(cell)}`);
      return cell;
  }
}

/** A cell, by its bytes, because of which a column that has numbers is one of texts. */
interface Misfit {
  readonly cell: string;
  readonly row: number;
}

/**
 * Works out the kind of a column of a table that does not tell it. It is one of numbers only if every cell can be printed
 * again as it is written: in its shortest form, or with as many decimals as all others have.
 */
export class ColumnInference {
  #isEmpty = true;
  #integers = true;
  #shortest = true;
  /** Decimals that all cells have; undefined before the first, null where they differ. */
  #decimals: number | null | undefined;
  #bools = true;
  #json = true;
  #hasNumbers = false;
  #misfit: Misfit | undefined;

  /** @param cell by its bytes, one in each character */
  see(cell: string, row: number): void {
    if (cell === '') return;
    this.#isEmpty = false;
    this.#bools &&= cell === 'true' || cell === 'false';
    this.#json &&= /^[[{]/.test(cell) && isJson(cell);
    this.#hasNumbers ||= NUMBER.test(cell);
    this.#integers &&= isInteger(cell);
    this.#shortest &&= isShortest(cell);
    const decimals = decimalsOf(cell);
    this.#decimals = this.#decimals === undefined || this.#decimals === decimals ? decimals : null;
    if (!this.#areNumbers && this.#misfit === undefined) this.#misfit = { cell, row };
  }

  get kind(): ColumnKind {
    if (this.#isEmpty) return 'text';
    if (this.#bools) return 'bool';
    if (this.#json) return 'json';
    if (this.#integers) return 'integer';
    return this.#areNumbers ? 'float' : 'text';
  }

  /** Why it is one of texts although it has numbers; undefined where it has none or is of numbers. */
  get misfit(): string | undefined {
    if (!this.#hasNumbers || this.#areNumbers || this.#misfit === undefined) return undefined;
    return `${shown(Buffer.from(this.#misfit.cell, 'latin1').toString())} in row ${this.#misfit.row}`;
  }

  get #areNumbers(): boolean {
    return this.#integers || this.#shortest || typeof this.#decimals === 'number';
  }
}

function isInteger(cell: string): boolean {
  if (!INTEGER.test(cell) || cell === '-0') return false;
  return BigInt(cell) >= INT64_MIN && BigInt(cell) <= INT64_MAX;
}

function isShortest(cell: string): boolean {
  if (!NUMBER.test(cell)) return false;
  return String(Number(cell)) === cell || spellFloat(Number(cell)) === cell;
}

/** The decimals that a number can be printed again with; null for what is none, and for a whole one. */
function decimalsOf(cell: string): number | null {
  const count = FRACTION.exec(cell)?.[1]?.length;
  return count !== undefined && Number(cell).toFixed(count) === cell ? count : null;
}

function isJson(cell: string): boolean {
  try {
    JSON.parse(cell);
    return true;
  } catch {
    return false;
  }
}

function shown(cell: string): string {
  return JSON.stringify(cell.length > SHOWN_LENGTH_MAX ? `${cell.slice(0, SHOWN_LENGTH_MAX)}...` : cell);
}
