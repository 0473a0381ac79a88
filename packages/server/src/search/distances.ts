import type { engine, Problem, schemas } from '@pelorus/contract';
import { truncated } from '@pelorus/contract';
import { broken, brokenTogether } from '../validation/problems.js';
import { speltName } from '../validation/spelling.js';
import { distanceName } from './distance-name.js';
import { sortNameProblem } from './ordering.js';

export type DistanceParameters = schemas.DistanceParameters;
type GeoPoint = schemas.GeoPoint;

const path = ['body', 'distanceParameters'] as const;
const scaleDefault = '10km';
const offsetDefault = '0km';
const decayToDefault = 0.5;
const unitMetres = { km: 1_000, m: 1, mi: 1_609.344 } as const;

/** The problems of the distances that hits are to tell. */
export function* distancesProblems(
  distances: readonly { readonly fieldName: string; readonly from: GeoPoint }[],
): Generator<Problem> {
  for (const [i, { fieldName }] of distances.entries()) {
    yield* fieldProblems(fieldName, ['body', 'distances', i, 'fieldName']);
  }
  if (new Set(distances.map(({ fieldName }) => fieldName)).size < distances.length) {
    yield broken(['body', 'distances'], 'Each field has one distance at most');
  }
}

function* fieldProblems(name: string, place: readonly (string | number)[]): Generator<Problem> {
  const problem = name.includes('.') ? 'An entry of a map is no geo point' : sortNameProblem(name);
  if (problem !== undefined) yield broken(place, `Invalid field name '${truncated(name)}'. ${problem}`);
}

/** Rules on the members of distanceParameters by themselves. */
export function* distanceProblems(parameters: DistanceParameters): Generator<Problem> {
  const placeOf = (name: keyof DistanceParameters) => [...path, speltName(parameters, name)];
  yield* fieldProblems(parameters.distanceField, placeOf('distanceField'));
  for (const name of ['scale', 'offset'] as const) {
    const text = parameters[name];
    if (text == null) continue;
    const metres = metresOf(text);
    if (metres === undefined) {
      yield broken(
        placeOf(name),
        `Invalid ${name} format: '${truncated(text)}'. Expected a number and its unit, km, m or mi, such as 10km`,
      );
    } else if (metres === 0 && name === 'scale') {
      yield broken(placeOf(name), 'scale must be greater than 0');
    }
  }
}

/** Refuses two curves of one search, of which each would be the other's score. */
export function* curvesProblems(recency: unknown, distance: unknown): Generator<Problem> {
  if (recency == null || distance == null) return;
  yield brokenTogether("'distanceParameters' cannot be used with 'recencyParameters'");
}

/** A distance such as `0.5km`; undefined for anything else. */
function metresOf(text: string): number | undefined {
  const [, count, unit] = /^(\d+(?:\.\d+)?)(km|m|mi)$/.exec(text) ?? [];
  if (unit !== 'km' && unit !== 'm' && unit !== 'mi') return undefined;
  const metres = Number(count) * unitMetres[unit];
  return Number.isFinite(metres) ? metres : undefined;
}

/**
 * Nearness by checked parameters as the engine takes it: a recency whose centre is no distance, behind which it falls.
 */
export function plannedDistance(parameters: DistanceParameters | null | undefined): engine.Recency | null {
  if (parameters == null) return null;
  const { applyInRankingPhase, applyToSubqueries, decayFunction } = parameters;
  const inLegs = applyInRankingPhase !== 'only-global';
  const slope: engine.RecencySlope = {
    falloff: decayFunction ?? 'exponential',
    scaleSeconds: metresOf(parameters.scale ?? scaleDefault) ?? 0,
    offsetSeconds: metresOf(parameters.offset ?? offsetDefault) ?? 0,
    floor: parameters.decayTo ?? decayToDefault,
  };
  return {
    field: distanceName(parameters.distanceField, parameters.from),
    centerSeconds: 0,
    decay: slope,
    growth: slope,
    addToScoreWeight: parameters.addToScoreWeight ?? null,
    tensor: inLegs && (applyToSubqueries?.includes('tensor') ?? true),
    lexical: inLegs && (applyToSubqueries?.includes('lexical') ?? true),
    fused: applyInRankingPhase !== 'exclude-global',
  };
}
