import {
  invalidArgument,
  PelorusError,
  type Problem,
  type schemas,
  truncated,
  UnprocessableError,
} from '@pelorus/contract';
import type { Handlers, Services } from '../call.js';
import { broken, PROBLEMS_MAX } from '../validation/problems.js';
import { isSetName, type SetChange, type SetContent } from './judgement-sets.js';

type JudgementOperation = 'listJudgementSets' | 'getJudgementSet' | 'putJudgementSet' | 'deleteJudgementSet';

/** Most grades of one set. */
const JUDGEMENTS_MAX = 40_000;
const QUERY_LENGTH_MAX = 2048;
/** As of the `_id` of a document. */
const ID_LENGTH_MAX = 2048;
const NAME_LENGTH_MAX = 100;
const INDEX_LENGTH_MAX = 255;
/** Characters of one stored search, as JSON. */
const SEARCH_LENGTH_MAX = 16_384;
/** Members of a search that hold secrets, in whatever spelling: a set is read by everybody who manages indexes. */
const SECRETS = new Set(['modelauth', 'mediadownloadheaders', 'imagedownloadheaders']);
/** Members of a search that are its query and its page, which a comparison gives to each. */
const QUERY_AND_PAGE = new Set(['q', 'limit', 'offset', 'cursor', 'withCursor']);

/** Sets of judgements, by which searches are compared. */
export function judgementHandlers({ judgements }: Pick<Services, 'judgements'>): Pick<Handlers, JudgementOperation> {
  return {
    listJudgementSets: async () => ({ body: { results: await judgements.list() } }),

    getJudgementSet: async ({ params: { setName } }) => {
      const set = isSetName(setName) ? await judgements.get(setName) : undefined;
      if (set === undefined) throw setNotFound(setName);
      return { body: { setName, ...set } };
    },

    putJudgementSet: async ({ params: { setName }, body: { version, ...change } }) => {
      if (!isSetName(setName)) {
        throw invalidArgument(
          `The name of a set has 1 to 64 lower-case letters, digits, - and _, and begins with a letter or digit, but it is '${truncated(setName)}'`,
        );
      }
      checkSet(change);
      return { body: { ...(await judgements.put(setName, change, version)) } };
    },

    deleteJudgementSet: async ({ params: { setName } }) => {
      if (!isSetName(setName) || !(await judgements.delete(setName))) throw setNotFound(setName);
      return { body: { acknowledged: true } };
    },
  };
}

function setNotFound(setName: string): PelorusError {
  return new PelorusError('judgement_set_not_found', `There is no set of judgements ${truncated(setName)}`);
}

/** @throws UnprocessableError with what is wrong, and where */
function checkSet(change: SetChange): void {
  const problems: Problem[] = [];
  for (const problem of problemsOf(change)) if (problems.push(problem) === PROBLEMS_MAX) break;
  if (problems.length > 0) throw new UnprocessableError(problems);
}

function* problemsOf({ queries, configurations }: SetChange): Generator<Problem, void, void> {
  yield* queryProblems(queries);
  yield* configurationProblems(configurations ?? []);
}

function* configurationProblems(configurations: SetContent['configurations']): Generator<Problem, void, void> {
  const places = new Map<string, number>();
  for (const [place, { name, first, second }] of configurations.entries()) {
    const here = ['body', 'configurations', place];
    if (name.trim() === '' || name.length > NAME_LENGTH_MAX) {
      yield broken([...here, 'name'], `The name of a configuration has 1 to ${NAME_LENGTH_MAX} characters`);
    }
    const earlier = places.get(name);
    if (earlier !== undefined) yield broken([...here, 'name'], `The configuration at place ${earlier} has this name`);
    else places.set(name, place);
    for (const [way, { index, search }] of Object.entries({ first, second })) {
      if (index === '' || index.length > INDEX_LENGTH_MAX) {
        yield broken([...here, way, 'index'], `The name of an index has 1 to ${INDEX_LENGTH_MAX} characters`);
      }
      yield* searchProblems(search, [...here, way, 'search']);
    }
  }
}

type Loc = readonly (string | number)[];

function* searchProblems(search: object, here: Loc): Generator<Problem, void, void> {
  const { length } = JSON.stringify(search);
  if (length > SEARCH_LENGTH_MAX) {
    yield broken(here, `A stored search has at most ${SEARCH_LENGTH_MAX} characters, but this one has ${length}`);
  }
  for (const name of Object.keys(search)) {
    if (SECRETS.has(name.replaceAll('_', '').toLowerCase())) {
      yield broken([...here, name], 'A secret is not stored: leave this member out');
    }
    if (QUERY_AND_PAGE.has(name)) {
      yield broken([...here, name], 'Searches of a comparison have their own query and page: leave this member out');
    }
  }
  yield* numberProblems(search, here);
}

/** Numbers too large for 64 bits, such as 1e400: JSON has no infinite ones, and would store null in place of them. */
function* numberProblems(value: unknown, here: Loc): Generator<Problem, void, void> {
  if (typeof value === 'number' && !Number.isFinite(value)) yield broken(here, 'A number must be finite');
  if (typeof value !== 'object' || value === null) return;
  for (const [key, member] of Object.entries(value)) {
    yield* numberProblems(member, [...here, Array.isArray(value) ? Number(key) : truncated(key)]);
  }
}

function* queryProblems(queries: readonly schemas.JudgedQuery[]): Generator<Problem, void, void> {
  const places = new Map<string, number>();
  let count = 0;
  for (const [place, { q, judgements }] of queries.entries()) {
    const here = ['body', 'queries', place];
    if (q.trim() === '') yield broken([...here, 'q'], 'A query must not be blank');
    if (q.length > QUERY_LENGTH_MAX) {
      yield broken([...here, 'q'], `A query has at most ${QUERY_LENGTH_MAX} characters, but this one has ${q.length}`);
    }
    const earlier = places.get(q);
    if (earlier !== undefined) yield broken([...here, 'q'], `The query stands at place ${earlier} already`);
    else places.set(q, place);
    for (const id of Object.keys(judgements)) {
      count += 1;
      if (id === '' || id.length > ID_LENGTH_MAX) {
        yield broken(
          [...here, 'judgements', id],
          `The id of a document has 1 to ${ID_LENGTH_MAX} characters, but this one has ${id.length}`,
        );
      }
    }
  }
  if (count > JUDGEMENTS_MAX) {
    yield broken(['body', 'queries'], `A set has at most ${JUDGEMENTS_MAX} grades, but this one has ${count}`);
  }
}
