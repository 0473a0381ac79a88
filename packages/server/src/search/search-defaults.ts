import type { Problem, schemas } from '@pelorus/contract';
import { beginningProblem } from './cursor-rules.js';
import { memberProblems, type SearchRequest } from './shape.js';

type Defaults = schemas.SearchDefaults;
type FusionMember = keyof schemas.DefaultHybridParameters;

/** A word of the search that defaults are tried with: what it finds does not matter. */
const TRIED_QUERY = 'pelorus';

/** The defaults without members that say nothing; undefined where none is left. */
export function saidDefaults(defaults: Defaults | null | undefined): Defaults | undefined {
  const { hybridParameters, ...members } = defaults ?? {};
  const fusion = said(hybridParameters ?? {});
  const all = { ...said(members), ...(Object.keys(fusion).length > 0 && { hybridParameters: fusion }) };
  return Object.keys(all).length > 0 ? (all as Defaults) : undefined;
}

function said(members: object): object {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value != null));
}

/** A search with the members that it left out, and their names. */
export interface FilledSearch {
  readonly request: SearchRequest;
  readonly names: readonly string[];
}

/** Each member that a search leaves out and takes; one that it does not take beside its others stays out. */
export function withDefaults(given: SearchRequest, { hybridParameters, ...members }: Defaults): FilledSearch {
  let request = given;
  const names: string[] = [];
  const fill = (name: string, filled: SearchRequest) => {
    if (!takesAll(filled)) return;
    request = filled;
    names.push(name);
  };
  for (const [name, value] of Object.entries(members)) {
    if (value != null && given[name as keyof typeof members] == null) fill(name, { ...request, [name]: value });
  }
  for (const [name, value] of Object.entries(hybridParameters ?? {})) {
    if (value == null || given.hybridParameters?.[name as FusionMember] != null) continue;
    fill(`hybridParameters.${name}`, withFusion(request, { [name]: value }));
  }
  return { request, names };
}

/** Asks the rules of every search: what is wrong with one that has a default more is about that default. */
function takesAll(request: SearchRequest): boolean {
  return memberProblems(request).next().done === true && beginningProblem(request) === undefined;
}

function withFusion(request: SearchRequest, fusion: schemas.DefaultHybridParameters): SearchRequest {
  return { ...request, hybridParameters: { ...request.hybridParameters, ...fusion } } as SearchRequest;
}

/** The problems of defaults that their shape does not say: those of a search that takes each of them. */
export function* defaultsProblems(defaults: Defaults | null | undefined): Generator<Problem> {
  const { hybridParameters, ...members } = saidDefaults(defaults) ?? {};
  const bare = { ...triedWith({}), searchMethod: 'HYBRID' } as const;
  for (const [name, value] of Object.entries(hybridParameters ?? {})) {
    // Each by itself, as a search tells them at its parameters as a whole.
    for (const problem of memberProblems(withFusion(bare, { [name]: value }))) {
      yield { ...problem, loc: ['body', 'searchDefaults', 'hybridParameters', name] };
    }
  }
  for (const problem of memberProblems({ ...bare, ...members })) {
    yield { ...problem, loc: ['body', 'searchDefaults', ...problem.loc.slice(1)] };
  }
}

/** A search by words that has the defaults about these; undefined where there are none. */
export function wordsSearchWith({ hybridParameters, ...members }: Defaults): SearchRequest | undefined {
  return Object.keys(members).length > 0 ? triedWith(members) : undefined;
}

/** The fields that defaults name one by one, whatever they say of each. */
export function namedWordFields({ fieldWeights, prefix, typoTolerance }: Defaults): readonly string[] {
  const typos = typeof typoTolerance === 'object' ? typoTolerance?.fields : null;
  const completed = typeof prefix === 'object' ? prefix : null;
  return [...new Set([fieldWeights, completed, typos].flatMap((fields) => Object.keys(fields ?? {})))];
}

function triedWith(members: Omit<Defaults, 'hybridParameters'>): SearchRequest {
  const page = { limit: 1, offset: 0, showHighlights: false, attributesToRetrieve: [] };
  return { q: TRIED_QUERY, searchMethod: 'LEXICAL', ...page, ...members };
}
