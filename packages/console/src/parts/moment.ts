import { language } from '../strings/strings.js';

const zoned = (seconds: boolean) =>
  new Intl.DateTimeFormat(language, {
    ...{ year: 'numeric', month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
    ...(seconds && { second: '2-digit' }),
    timeZoneName: 'short',
  });

/** A moment in ISO 8601 as people of this time zone tell it, with the zone; another text stays as it is. */
export function formatZoned(value: string): string {
  const time = Date.parse(value);
  return Number.isNaN(time) ? value : zoned(time % 60_000 !== 0).format(time);
}

/** The value of a `datetime-local` control for a moment in ISO 8601; empty where it is none. */
export function localOf(value: string): string {
  const time = new Date(value);
  if (Number.isNaN(time.getTime())) return '';
  const two = (number: number) => String(number).padStart(2, '0');
  const day = `${String(time.getFullYear()).padStart(4, '0')}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;
  const clock = `${two(time.getHours())}:${two(time.getMinutes())}`;
  const [seconds, milliseconds] = [time.getSeconds(), time.getMilliseconds()];
  if (seconds === 0 && milliseconds === 0) return `${day}T${clock}`;
  const rest = milliseconds === 0 ? '' : `.${String(milliseconds).padStart(3, '0')}`;
  return `${day}T${clock}:${two(seconds)}${rest}`;
}

/** The moment, in UTC, that a `datetime-local` control shows; undefined for an empty one. */
export function momentOf(local: string): string | undefined {
  const time = new Date(local);
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString().replace('.000Z', 'Z');
}

/** The time zone of the browser at a moment, such as “Europe/Berlin, GMT+01:00”. */
export function zoneAt(value: string | undefined): string {
  const given = value === undefined ? Number.NaN : Date.parse(value);
  const time = Number.isNaN(given) ? Date.now() : given;
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  const parts = new Intl.DateTimeFormat(language, { timeZoneName: 'longOffset' }).formatToParts(time);
  const offset = parts.find(({ type }) => type === 'timeZoneName')?.value;
  return [...new Set([timeZone, offset])].filter(Boolean).join(', ');
}
