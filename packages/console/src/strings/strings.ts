import { en } from './en.js';

/** The words of the console in one language: every catalogue has the members of the English one. */
export type Strings = typeof en;

/** Catalogues by language tag. A language is added by a file beside `en.ts` and a line here. */
const catalogues: Readonly<Record<string, Strings>> = { en };

/** The language of the page. */
export const language =
  navigator.languages.map((tag) => tag.split('-', 1)[0] ?? '').find((tag) => tag in catalogues) ?? 'en';

export const t: Strings = catalogues[language] ?? en;

const number = new Intl.NumberFormat(language);
const precise = new Intl.NumberFormat(language, { maximumSignificantDigits: 4 });
const figure = new Intl.NumberFormat(language, { minimumFractionDigits: 3, maximumFractionDigits: 3 });
const part = new Intl.NumberFormat(language, { style: 'percent' });

export const formatNumber = (value: number): string => number.format(value);

/** A measure or score, to four digits. */
export const formatPrecise = (value: number): string => precise.format(value);

/** A figure from 0 to 1, to three places. */
export const formatFigure = (value: number): string => figure.format(value);

export const formatPart = (value: number): string => part.format(value);

// Sweden writes dates as ISO 8601 does: no country reads 2026-11-04 as the eleventh of April.
const moment = new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeStyle: 'medium' });
const day = new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeZone: 'UTC' });

/** A moment of the interface, in ISO 8601, as `2026-11-04 13:05:09` by the clock of whoever reads it. */
export function formatMoment(value: string): string {
  const time = Date.parse(value);
  return Number.isNaN(time) ? value : moment.format(time);
}

/** The day of a moment of the interface, which counts days in UTC, as `2026-11-04`. */
export function formatDay(value: string): string {
  const time = Date.parse(value);
  return Number.isNaN(time) ? value : day.format(time);
}

const share = new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: 1 });

/** A share from 0 to 1. */
export const formatShare = (value: number): string => share.format(value);

/** An amount of a currency, which is a code of three letters. */
export const formatMoney = (amount: number, currency: string): string =>
  new Intl.NumberFormat(language, { style: 'currency', currency }).format(amount);

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];

export function formatBytes(bytes: number): string {
  const power = bytes < 1 ? 0 : Math.min(Math.floor(Math.log2(bytes) / 10), UNITS.length - 1);
  const value = bytes / 1024 ** power;
  return `${number.format(power === 0 ? value : Number(value.toPrecision(3)))} ${UNITS[power]}`;
}

export const formatMs = (milliseconds: number): string =>
  milliseconds >= 10_000 ? `${precise.format(milliseconds / 1000)} s` : `${precise.format(milliseconds)} ms`;
