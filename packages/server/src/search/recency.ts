import type { engine, Problem, schemas } from '@pelorus/contract';
import { truncated } from '@pelorus/contract';
import { broken, snakeCase } from '../validation/problems.js';
import { speltName } from '../validation/spelling.js';
import { computedNameText, isComputedName } from './distance-name.js';

export type RecencyParameters = schemas.RecencyParameters;

const path = ['body', 'recencyParameters'] as const;
const scaleDefault = '7d';
const offsetDefault = '0d';
const decayToDefault = 0.5;
const unitSeconds = { d: 86_400, h: 3_600 } as const;

/** Rules on the members of recencyParameters by themselves. */
export function* recencyProblems(recency: RecencyParameters): Generator<Problem> {
  const placeOf = (name: keyof RecencyParameters) => [...path, speltName(recency, name)];
  if (recency.recencyField.trim() === '') yield broken(placeOf('recencyField'), 'recency_field cannot be empty');
  if (isComputedName(recency.recencyField)) {
    yield broken(placeOf('recencyField'), computedNameText(recency.recencyField));
  }
  for (const name of ['scale', 'offset', 'growScale', 'growOffset'] as const) {
    const text = recency[name];
    if (text == null) continue;
    const seconds = secondsOf(text);
    if (seconds === undefined) {
      yield broken(
        placeOf(name),
        `Invalid ${snakeCase(name)} format: Invalid duration format: '${truncated(text)}'. Expected format: {number}{unit} where unit is 'd' (days) or 'h' (hours). Examples: '1d', '6h', '0.5d'`,
      );
    } else if (seconds === 0 && (name === 'scale' || name === 'growScale')) {
      yield broken(placeOf(name), `${snakeCase(name)} must be greater than 0`);
    }
  }
  const grow = ['growFrom', 'growFunction', 'growScale', 'growOffset'] as const;
  const provided = grow.filter((name) => recency[name] != null);
  if (provided.length > 0 && provided.length < grow.length) {
    const missing = grow.filter((name) => recency[name] == null);
    yield broken(
      [...path, '__root__'],
      `Grow parameters must be either all provided or all omitted. Provided: [${listed(provided)}]. Missing: [${listed(missing)}].`,
    );
  }
}

const listed = (names: readonly string[]) => names.map((name) => `'${snakeCase(name)}'`).join(', ');

/** A duration in days or hours, such as `0.5d`; undefined for anything else. */
function secondsOf(text: string): number | undefined {
  const [, count, unit] = /^(\d+(?:\.\d+)?)([dh])$/.exec(text) ?? [];
  const seconds = Number(count) * (unit === 'd' ? unitSeconds.d : unitSeconds.h);
  return Number.isFinite(seconds) ? seconds : undefined;
}

/** Tells whether recency changes the scores that the legs end in. */
export function isGlobal({ applyInRankingPhase }: Pick<RecencyParameters, 'applyInRankingPhase'>): boolean {
  return applyInRankingPhase !== 'exclude-global';
}

/** Recency of checked parameters as the engine takes it, defaults in. */
export function plannedRecency(recency: RecencyParameters | null | undefined, nowMs: number): engine.Recency | null {
  if (recency == null) return null;
  const { applyToSubqueries, center, decayFunction, decayTo, growFunction, growFrom } = recency;
  const inLegs = recency.applyInRankingPhase !== 'only-global';
  const slope = (falloff: engine.Falloff, scale: string, offset: string, floor: number) => ({
    falloff,
    scaleSeconds: secondsOf(scale) ?? 0,
    offsetSeconds: secondsOf(offset) ?? 0,
    floor,
  });
  return {
    field: recency.recencyField.trim(),
    centerSeconds: center || nowMs / 1000,
    decay: slope(
      decayFunction ?? 'exponential',
      recency.scale ?? scaleDefault,
      recency.offset ?? offsetDefault,
      decayTo ?? decayToDefault,
    ),
    growth:
      growFunction == null || growFrom == null
        ? null
        : slope(growFunction, recency.growScale ?? scaleDefault, recency.growOffset ?? offsetDefault, growFrom),
    addToScoreWeight: recency.addToScoreWeight ?? null,
    tensor: inLegs && (applyToSubqueries?.includes('tensor') ?? true),
    lexical: inLegs && (applyToSubqueries?.includes('lexical') ?? true),
    fused: isGlobal(recency),
  };
}
