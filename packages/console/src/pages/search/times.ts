import type { types } from '@pelorus/client';

/** Milliseconds of the stages of a search. */
export interface SearchTimes {
  readonly plan: number;
  readonly embed: number;
  readonly search: number;
  /** The rest of the time that the server took: it was read, and the answer was written. */
  readonly rest: number;
  readonly whole: number;
}

/** The time of each stage, by the telemetry of an answer; undefined where it tells none. */
export function timesOf({ timesMs }: types.Telemetry = {}): SearchTimes | undefined {
  const entries = Object.entries(timesMs ?? {});
  const sumOf = (end: RegExp): number =>
    entries
      .filter(([name]) => end.test(name))
      .flatMap(([, time]) => time)
      .reduce((sum, time) => sum + time, 0);
  const whole = sumOf(/^POST /);
  if (whole === 0) return undefined;
  const [plan, embed, search] = [
    sumOf(/\.processing_before_vespa$/),
    sumOf(/vector_inference_full_pipeline$/),
    sumOf(/\.store$/),
  ];
  return { plan, embed, search, rest: Math.max(whole - plan - embed - search, 0), whole };
}
