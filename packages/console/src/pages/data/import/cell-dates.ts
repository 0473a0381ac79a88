import { isDate } from '../../../documents/fields.js';

/** A day such as 31.12.2024 or 31/12/2024, with a time where it has one. */
const DAY_FIRST =
  /^(\d{1,2})([./-])(\d{1,2})\2([1-9]\d{3})(?:,?\s+((?:[01]?\d|2[0-3]):[0-5]\d(?::[0-5]\d)?)(?:\s+Uhr)?)?$/;

/** A date whose day comes first, as ISO 8601 has it; undefined of another text, and of a day that no calendar has. */
export function isoOf(text: string): string | undefined {
  const [whole, day = '', , month = '', year = '', time] = DAY_FIRST.exec(text.trim()) ?? [];
  if (whole === undefined) return undefined;
  const date = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  // The calendar of the platform takes the 30th of February for a day of March.
  if (!isDate(date) || new Date(date).getUTCDate() !== Number(day)) return undefined;
  const iso = time === undefined ? date : `${date}T${time.padStart(time.split(':').length * 3 - 1, '0')}`;
  return isDate(iso) ? iso : undefined;
}

/** The type of texts that all are dates written alike; undefined where it is in doubt which number is the day. */
export function guessedDate(texts: readonly string[]): 'date' | 'dayFirst' | undefined {
  if (texts.length === 0) return undefined;
  if (texts.every(isDate)) return 'date';
  if (texts.some((text) => isoOf(text) === undefined)) return undefined;
  const read = texts.flatMap((text) => (text.trim().match(DAY_FIRST)?.slice(1, 3) ?? []).join(' '));
  const signs = new Set(read.map((one) => one.at(-1)));
  // Points stand between numbers whose first is the day; with another sign a number tells that is no month.
  const isTold = signs.has('.') || read.some((one) => Number.parseInt(one, 10) > 12);
  return signs.size === 1 && isTold ? 'dayFirst' : undefined;
}
