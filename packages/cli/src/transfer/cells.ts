import { spellFloat } from '../exact-json.js';
import type { ColumnKind } from './file-format.js';

/** Tells that a cell is not of the kind of its column, or no text. Not thrown, as every row of a table may have one. */
export class BadCell {
  /** The whole, behind the name of the column. */
  readonly said: string;
  /** The part of it that other such cells of the column share. */
  readonly kind: string;

  constructor(said: string, kind = said) {
    this.said = said;
    this.kind = kind;
  }
}

export const NOT_UTF8 = new BadCell('is not UTF-8: --encoding names another encoding');

const [INT64_MIN, INT64_MAX] = [-(2n ** 63n), 2n ** 63n - 1n];
/** Characters of an integer that is one of 64 bits, whatever its digits. */
const SAFE_DIGITS = 18;
const INTEGER = /^-?(0|[1-9]\d*)$/;
/** Integers that every number holds, which are spelt in one way. */
const SHORT_INTEGER = /^(?:0|-?[1-9]\d{0,14})$/;
const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;
/** A sign, digits, decimals and an exponent. */
const SPELT_NUMBER = /^([+-]?)(\d*)(?:\.(\d*))?([eE][+-]?\d+)?$/;
/** Characters that a message shows of a cell. */
const SHOWN_LENGTH_MAX = 40;

/** The JSON of a cell of a column of a kind; undefined for blanks in a column that is not of texts. */
export function jsonOfCell(kind: ColumnKind, cell: string): string | undefined | BadCell {
  if (kind === 'text') return JSON.stringify(cell);
  const value = cell.trim();
  if (value === '') return undefined;
  switch (kind) {
    case 'integer':
    case 'float':
      return numberOf(kind, value) ?? refuse(NUMBERS[kind], cell);
    case 'bool':
      return /^(?:true|false)$/i.test(value) ? value.toLowerCase() : refuse('true or false', cell);
    default:
      return isJson(value) ? value : refuse('JSON', cell);
  }
}

const NUMBERS = {
  integer: 'a whole number such as 1234, without separators',
  float: 'a number such as 1234.5, without separators of thousands',
} as const;

function refuse(expected: string, cell: string): BadCell {
  return new BadCell(`holds ${shown(cell)}, expected ${expected}`, expected);
}

/**
 * The JSON of a number in any spelling that has one meaning, such as `+1.5`, `.5`, `5.` and `007`; undefined for others.
 * Digits before or behind a comma may be thousands or decimals, so that a number with a comma has two meanings.
 */
function numberOf(kind: 'integer' | 'float', cell: string): string | undefined {
  const [, sign = '', digits = '', decimals = '', exponent = ''] = SPELT_NUMBER.exec(cell) ?? [];
  if (digits === '' && decimals === '') return undefined;
  const whole = (sign === '-' ? '-' : '') + (digits.replace(/^0+/, '') || '0');
  if (kind === 'integer') return exponent === '' && /^0*$/.test(decimals) ? whole : undefined;
  if (!Number.isFinite(Number(cell))) return undefined;
  if (decimals !== '' || exponent !== '') return `${whole}${decimals === '' ? '' : '.'}${decimals}${exponent}`;
  // A whole number that a float cannot hold stays as it is, for the server to say so.
  return String(Number(whole)) === whole ? `${whole}.0` : whole;
}

/** A cell because of which a column that has numbers is one of texts. */
interface Misfit {
  readonly cell: string;
  readonly row: number;
}

/**
 * Works out the kind of a column of a table that does not tell it. It is one of numbers only if every cell can be printed
 * again as it is written, and whole ones have all a point or all none: `1.10` may be a version, which the number 1.1 is not.
 */
export class ColumnInference {
  #isEmpty = true;
  #integers = true;
  #shortest = true;
  #floats = true;
  #bools = true;
  #json = true;
  #hasNumbers = false;
  #canBeNumbers = true;
  #misfit: Misfit | undefined;

  see(cell: string, row: number): void {
    if (cell === '' || this.#isText) return;
    this.#isEmpty = false;
    if (this.#integers && SHORT_INTEGER.test(cell)) {
      // As all that follows finds; most columns of numbers have nothing else.
      [this.#bools, this.#json, this.#floats, this.#hasNumbers] = [false, false, false, true];
      return;
    }
    this.#bools &&= cell === 'true' || cell === 'false';
    this.#json &&= /^[[{]/.test(cell) && isJson(cell);
    this.#integers &&= isInteger(cell);
    const isNumber = NUMBER.test(cell);
    this.#hasNumbers ||= isNumber;
    if (!isNumber && this.#canBeNumbers) this.#canBeNumbers = isSpeltNumber(cell);
    this.#shortest &&= isNumber && String(Number(cell)) === cell;
    this.#floats &&= isNumber && spellFloat(Number(cell)) === cell;
    if (!this.#areNumbers && this.#misfit === undefined) this.#misfit = { cell, row };
  }

  get kind(): ColumnKind {
    if (this.#isEmpty) return 'text';
    if (this.#bools) return 'bool';
    if (this.#json) return 'json';
    if (this.#integers) return 'integer';
    return this.#areNumbers ? 'float' : 'text';
  }

  /** Tells that no further cell can change the kind, nor what is said about it. */
  get #isText(): boolean {
    const isSettled = this.#misfit !== undefined && !this.#bools && !this.#json && !this.#areNumbers;
    return isSettled && this.#hasNumbers && !this.#canBeNumbers;
  }

  /** The reason that it is a column of texts although it has numbers; undefined where it has none or is of numbers. */
  get misfit(): string | undefined {
    if (!this.#hasNumbers || this.#areNumbers || this.#misfit === undefined) return undefined;
    return `${shown(this.#misfit.cell)} in row ${this.#misfit.row}`;
  }

  /** Tells whether every cell could be read as a number by whoever says that they are numbers. */
  get canBeNumbers(): boolean {
    return this.#canBeNumbers;
  }

  get #areNumbers(): boolean {
    return this.#integers || this.#shortest || this.#floats;
  }
}

function isSpeltNumber(cell: string): boolean {
  const value = cell.trim();
  return value === '' || numberOf('float', value) !== undefined;
}

function isInteger(cell: string): boolean {
  if (!INTEGER.test(cell) || cell === '-0') return false;
  if (cell.length <= SAFE_DIGITS) return true;
  return BigInt(cell) >= INT64_MIN && BigInt(cell) <= INT64_MAX;
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
