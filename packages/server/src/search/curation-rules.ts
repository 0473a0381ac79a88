import {
  COMPARED_LENGTH_MAX,
  isRedirect,
  normalizedQuery,
  type Problem,
  REDIRECT_LENGTH_MAX,
  type schemas,
} from '@pelorus/contract';
import { isMoment } from '../validation/moments.js';
import { broken } from '../validation/problems.js';
import { pinnedProblems } from './pinning.js';
import { defaultsProblems } from './search-defaults.js';

const ID_LENGTH_MAX = 128;
const TERM_LENGTH_MAX = 256;

type Place = readonly (string | number)[];

/** The problems of rules, synonyms and search defaults that their shape does not say. */
export function* curationProblems({ rules, synonyms, searchDefaults }: schemas.CurationRequest): Generator<Problem> {
  const ids = new Set<string>();
  for (const [at, { id, condition, consequence }] of rules.entries()) {
    const place = ['body', 'rules', at];
    yield* textProblems(id, ID_LENGTH_MAX, [...place, 'id']);
    if (ids.has(id)) yield broken([...place, 'id'], 'Each rule has an id of its own');
    ids.add(id);
    yield* conditionProblems(condition, [...place, 'condition']);
    yield* consequenceProblems(consequence, [...place, 'consequence']);
  }
  for (const [at, { terms, from }] of synonyms.entries()) {
    const place = ['body', 'synonyms', at];
    for (const [which, term] of terms.entries()) yield* textProblems(term, TERM_LENGTH_MAX, [...place, 'terms', which]);
    if (from != null) yield* textProblems(from, TERM_LENGTH_MAX, [...place, 'from']);
  }
  yield* defaultsProblems(searchDefaults);
}

function* conditionProblems(condition: schemas.SearchRule['condition'], place: Place): Generator<Problem> {
  const { query, match, from, until } = condition;
  if (query != null) yield* textProblems(query, COMPARED_LENGTH_MAX, [...place, 'query']);
  if (query == null && match != null) yield broken([...place, 'match'], 'match is for a condition with a query');
  for (const [name, moment] of Object.entries({ from, until })) {
    if (moment == null || isMoment(moment)) continue;
    yield broken([...place, name], 'expected a moment such as 2027-01-31T12:00:00Z');
  }
  if (from != null && until != null && Date.parse(from) >= Date.parse(until)) {
    yield broken([...place, 'until'], 'until must be later than from');
  }
}

function* consequenceProblems(consequence: schemas.SearchRule['consequence'], place: Place): Generator<Problem> {
  const { query, redirect, pinned } = consequence;
  if (Object.values(consequence).every((value) => value == null || (Array.isArray(value) && value.length === 0))) {
    yield broken(place, 'A rule has at least one consequence');
  }
  if (query != null) yield* textProblems(query, COMPARED_LENGTH_MAX, [...place, 'query']);
  if (redirect != null && !isRedirect(redirect)) {
    yield broken(
      [...place, 'redirect'],
      `expected an http or https URL, or a path with one / in front, of at most ${REDIRECT_LENGTH_MAX} characters`,
    );
  }
  yield* pinnedProblems(pinned, [...place, 'pinned']);
}

function* textProblems(text: string, lengthMax: number, place: Place): Generator<Problem> {
  if (normalizedQuery(text) !== '' && text.length <= lengthMax) return;
  yield broken(place, `expected a text of 1 to ${lengthMax} characters`);
}
