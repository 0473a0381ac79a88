import type { engine, Problem } from '@pelorus/contract';
import { brokenTogether } from '../validation/problems.js';
import type { SearchRequest } from './shape.js';

const lambdaDefault = 0.5;
const candidatesDefault = 100;

/** Rules between the diversity of hits and other members: each has an order of its own for them. */
export function* diversityProblems({ diversity, sortBy }: SearchRequest): Generator<Problem> {
  if (diversity == null || sortBy == null) return;
  yield brokenTogether("'diversity' cannot be used with 'sortBy': hits have the order of the fields then");
}

/** The diversity of the plan, null for none. */
export function plannedDiversity({ diversity }: SearchRequest): engine.Diversity | null {
  if (diversity == null) return null;
  const { lambda, candidates } = diversity;
  return { lambda: lambda ?? lambdaDefault, candidates: candidates ?? candidatesDefault };
}
