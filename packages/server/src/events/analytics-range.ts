import { invalidArgument, truncated } from '@pelorus/contract';
import { DAY_MS, HOUR_MS } from '@pelorus/events';

/** Longest range in days: ten years. */
const RANGE_DAYS_MAX = 3_660;

/** Hours that figures are asked of, in milliseconds since 1970; `end` is not part of them. */
export interface AnalyticsRange {
  readonly start: number;
  readonly end: number;
}

interface RangeParameters {
  readonly days?: number | undefined;
  readonly start?: string | undefined;
  readonly end?: string | undefined;
}

/**
 * The range that `days`, or `start` and `end`, stand for, cut down to the hour.
 * @throws PelorusError `invalid_argument`
 */
export function rangeOf({ days, start, end }: RangeParameters, now: number): AnalyticsRange {
  if (days !== undefined) {
    if (start !== undefined || end !== undefined)
      throw invalidArgument('Expected either days, or start and end, received both');
    // The hour that is not over is part of the figures that a shop wants to see a minute later.
    const last = hourOf(now) + HOUR_MS;
    return { start: last - days * DAY_MS, end: last };
  }
  if (start === undefined || end === undefined) throw invalidArgument('Expected days, or start and end');
  const range = { start: hourOf(timeOf('start', start)), end: hourOf(timeOf('end', end)) };
  if (range.end <= range.start) {
    throw invalidArgument(
      `end: expected an hour after start, received '${truncated(end)}' with start '${truncated(start)}'`,
    );
  }
  if (range.end - range.start > RANGE_DAYS_MAX * DAY_MS) {
    throw invalidArgument(`end: expected at most ${RANGE_DAYS_MAX} days after start, received '${truncated(end)}'`);
  }
  return range;
}

function hourOf(time: number): number {
  return Math.floor(time / HOUR_MS) * HOUR_MS;
}

const iso = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]00:?00)?)?$/;

/** A time without an offset is UTC here. */
function timeOf(name: string, given: string): number {
  const text = iso.test(given) ? given.replace(/[+-]00:?00$/, 'Z') : '';
  const time = Date.parse(text.includes('T') && !text.endsWith('Z') ? `${text}Z` : text);
  if (Number.isNaN(time))
    throw invalidArgument(`${name}: expected a time in ISO 8601 in UTC, received '${truncated(given)}'`);
  return time;
}
