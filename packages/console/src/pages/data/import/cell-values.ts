import { isDate } from '../../../documents/fields.js';
import { guessedDate, isoOf } from './cell-dates.js';

/**
 * The type that texts of a column become; `decimalComma` is of numbers such as 1.234,5, `date` of texts that stay as
 * they are, and `dayFirst` of dates such as 31.12.2024.
 */
export type ColumnType = 'text' | 'number' | 'decimalComma' | 'date' | 'dayFirst' | 'truth' | 'json';

/** Without leading zeros, which numbers lose: those of article numbers and postcodes say something. */
const PLAIN = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;
const POINT = /^-?(0|[1-9]\d*|[1-9]\d{0,2}(?:([,'’])\d{3})(?:\2\d{3})*)(\.\d+)?$/;
const COMMA = /^-?(0|[1-9]\d*|[1-9]\d{0,2}(?:([.'’\u00a0\u202f])\d{3})(?:\2\d{3})*)(,\d+)?$/;
const CURRENCY_BEFORE = /^(-?)\s*(\p{Sc}|EUR|USD|GBP|CHF)\s*/u;
const CURRENCY_BEHIND = /\s*(\p{Sc}|EUR|USD|GBP|CHF)$/u;
/** The words of truth, each with its opposite. */
const TRUTHS = [
  ['true', 'false'],
  ['wahr', 'falsch'],
  ['yes', 'no'],
  ['ja', 'nein'],
] as const;

/** The type of texts that all are of one: a text unless it is beyond doubt. */
export function guessedType(texts: readonly string[]): ColumnType {
  const all = (test: (text: string) => boolean) => texts.length > 0 && texts.every(test);
  if (all((text) => PLAIN.test(text) && Number.isFinite(Number(text)))) return 'number';
  if (all(isTruth) && TRUTHS.some((pair) => isPair(pair, texts))) return 'truth';
  if (all((text) => /^[[{]/.test(text) && parsedOf(text) !== undefined)) return 'json';
  return guessedNumber(texts) ?? guessedDate(texts) ?? 'text';
}

/** The least number of texts, and share of them, by which a type is told for a column of texts. */
const LIKELY_MIN = 10;
const LIKELY_SHARE = 0.9;
/** Digits alone that are no number, such as those of postcodes: the others are codes as well, whatever they look like. */
const CODE_OR_DATE = /^\d[\d\s.,/-]*$/;

/** The type of most texts where a few are of another one; undefined where there is none beyond doubt. */
export function likelyType(texts: readonly string[]): 'number' | 'decimalComma' | 'dayFirst' | 'truth' | undefined {
  return (['truth', 'number', 'decimalComma', 'dayFirst'] as const).find((type) => {
    const fit = texts.filter((text) => fits(text, type));
    if (texts.length < LIKELY_MIN || fit.length < texts.length * LIKELY_SHARE) return false;
    if (type === 'dayFirst') return guessedDate(fit) === type;
    if (texts.some((text) => CODE_OR_DATE.test(text) && !fit.includes(text))) return false;
    // Where a currency is left out here and there, it is the same one.
    const currencies = new Set(fit.flatMap((text) => currencyOf(text) ?? []));
    return currencies.size <= 1 && guessedType(type === 'truth' ? fit : fit.map(withoutCurrency)) === type;
  });
}

/** Tells whether a text is a value of the type. */
export function fits(text: string, type: ColumnType): boolean {
  if (type === 'date') return isDate(text);
  return (type === 'dayFirst' ? isoOf(text) : convertedOf(text, type)) !== undefined;
}

/** Tells whether a text that is no value of the type can be stored as it is: dates are texts themselves. */
export const staysText = (type: ColumnType): boolean => type === 'date' || type === 'dayFirst';

/** A text as a value of the type; undefined where it is none. A text that is no date stays one. */
export function convertedOf(text: string, type: ColumnType): unknown {
  if (type === 'dayFirst') return isoOf(text) ?? text;
  if (type === 'number' || type === 'decimalComma') return numberOf(text, type);
  if (type === 'truth') return isTruth(text) ? TRUTHS.some(([yes]) => yes === wordOf(text)) : undefined;
  return type === 'json' ? parsedOf(text) : text;
}

const wordOf = (text: string): string => text.trim().toLowerCase();
const isTruth = (text: string): boolean => TRUTHS.some((pair) => pair.some((word) => word === wordOf(text)));

/** Words of everyday are a truth only beside their opposite: “no” alone may be Norway. */
function isPair([yes, no]: (typeof TRUTHS)[number], texts: readonly string[]): boolean {
  const words = new Set(texts.map(wordOf));
  const isWhole = words.has(yes) && words.has(no);
  return [...words].every((word) => word === yes || word === no) && (isWhole || yes === 'true');
}

/** The type of numbers with signs of groups or a currency; undefined where it is in doubt what they are. */
function guessedNumber(texts: readonly string[]): ColumnType | undefined {
  if (texts.length === 0 || new Set(texts.map(currencyOf)).size > 1) return undefined;
  const read = texts.map((text) => [numberOf(text, 'number'), numberOf(text, 'decimalComma')] as const);
  const isPoint = read.every(([point]) => point !== undefined);
  const isComma = read.every(([, comma]) => comma !== undefined);
  if (isPoint && isComma) return read.every(([point, comma]) => point === comma) ? 'number' : undefined;
  // Groups of three alone may be an article number, such as 100.200.300: only a decimal place tells.
  if (isPoint && read.some(([point, comma]) => comma === undefined && !Number.isInteger(point))) return 'number';
  const isTold = read.some(([point, comma]) => point === undefined && comma !== undefined);
  return isComma && isTold && texts.some((text) => text.includes(',')) ? 'decimalComma' : undefined;
}

function currencyOf(text: string): string | undefined {
  return CURRENCY_BEFORE.exec(text.trim())?.[2] ?? CURRENCY_BEHIND.exec(text.trim())?.[1];
}

function withoutCurrency(text: string): string {
  const whole = text.trim();
  const behind = whole.replace(CURRENCY_BEFORE, '$1');
  return behind === whole ? whole.replace(CURRENCY_BEHIND, '') : behind;
}

function numberOf(text: string, type: 'number' | 'decimalComma'): number | undefined {
  const bare = withoutCurrency(text);
  if (type === 'decimalComma') {
    return COMMA.test(bare) ? Number(bare.replaceAll(/[^\d,-]/g, '').replace(',', '.')) : undefined;
  }
  const number = PLAIN.test(bare)
    ? Number(bare)
    : POINT.test(bare)
      ? Number(bare.replaceAll(/[^\d.-]/g, ''))
      : Number.NaN;
  return Number.isFinite(number) ? number : undefined;
}

function parsedOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
