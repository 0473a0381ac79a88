import { isDeepStrictEqual } from 'node:util';
import { PelorusError, type schemas, truncated, UnprocessableError, versionNotKept } from '@pelorus/contract';
import { checkDocumentFilter, isEngineError, type SearchPlan, type StoredDefinition } from '@pelorus/engine';
import type { Handlers, JsonAnswer, Services } from '../call.js';
import { curationProblems } from '../search/curation-rules.js';
import { planOf } from '../search/plan.js';
import { namedWordFields, saidDefaults, wordsSearchWith } from '../search/search-defaults.js';
import { checkValues } from '../search/values.js';
import { expectedVersion } from '../validation/if-match.js';
import { PROBLEMS_MAX } from '../validation/problems.js';

type CurationOperation = 'getCuration' | 'putCuration' | 'listCurationVersions' | 'rollBackCuration';
type Curation = schemas.Curation;
/** A curation without its version. */
type Content = Pick<Curation, 'rules' | 'synonyms' | 'searchDefaults'>;

/** Most versions that are kept, the current one among them: as many as of the settings of a shop. */
const VERSIONS_MAX = 20;
/** Characters of JSON that the earlier ones have together at most: of the largest that a body can bring there is room for two. */
const EARLIER_LENGTH_MAX = 512 * 1024;

/** The curation of an index that has none. */
const NONE: Curation = { version: 0, updatedAt: null, rules: [], synonyms: [] };

/** The rules, synonyms and defaults that searches of an index follow: a part of its definition, as earlier versions are. */
export function curationHandlers(services: Services): Pick<Handlers, CurationOperation> {
  const { engine, definitions, indexChanges } = services;

  /** Replaces those of an index. Filters and defaults are tried with all documents, and not in the turn of changes. */
  async function replace(name: string, asked: schemas.CurationRequest, expected: number | null): Promise<JsonAnswer> {
    const content = contentOf(asked);
    await checkFilters(services, name, content.rules);
    await checkDefaults(services, name, content.searchDefaults);
    return indexChanges.run(async () => {
      const { settings, resolved, curation = NONE, earlierCurations = [] } = await definitions.get(name);
      if (expected !== null && expected !== curation.version) {
        throw new PelorusError(
          'version_conflict',
          `The rules of ${truncated(name)} are of version ${curation.version}, not ${expected}`,
        );
      }
      if (isDeepStrictEqual(content, contentOf(curation))) return answer(curation);
      const next = { version: curation.version + 1, updatedAt: new Date().toISOString(), ...content };
      const earlier = keptOf([curation, ...earlierCurations]);
      await engine.redefineIndex(name, { settings, resolved, curation: next, earlierCurations: earlier });
      return answer(next);
    });
  }

  return {
    getCuration: async ({ params: { indexName } }) => answer((await definitions.get(indexName)).curation ?? NONE),

    putCuration: async ({ params: { indexName }, headers, body }) => {
      const expected = expectedVersion(headers['if-match']);
      checkCuration(body);
      await definitions.get(indexName);
      return replace(indexName, body, expected);
    },

    listCurationVersions: async ({ params: { indexName } }) => ({
      body: { versions: [...versionsOf(await definitions.get(indexName))] },
    }),

    rollBackCuration: async ({ params: { indexName }, headers, body: { version } }) => {
      const expected = expectedVersion(headers['if-match']);
      const versions = versionsOf(await definitions.get(indexName));
      const earlier = versions.find((one) => one.version === version);
      if (earlier === undefined) throw versionNotKept(version, versions);
      return replace(indexName, earlier, expected);
    },
  };
}

/** Without defaults that say nothing, and without the member where all do. */
function contentOf({ rules, synonyms, searchDefaults }: schemas.CurationRequest): Content {
  const said = saidDefaults(searchDefaults);
  return { rules, synonyms, ...(said !== undefined && { searchDefaults: said }) };
}

/** All versions that are kept, newest first. */
function versionsOf({ curation = NONE, earlierCurations = [] }: StoredDefinition): readonly Curation[] {
  return [curation, ...earlierCurations];
}

/** The earlier versions that are kept on, newest first. */
function keptOf(earlier: readonly Curation[]): readonly Curation[] {
  const kept: Curation[] = [];
  let length = 0;
  for (const curation of earlier.slice(0, VERSIONS_MAX - 1)) {
    length += JSON.stringify(curation).length;
    if (length > EARLIER_LENGTH_MAX) break;
    kept.push(curation);
  }
  return kept;
}

function checkCuration(body: schemas.CurationRequest): void {
  const problems = [];
  for (const problem of curationProblems(body)) if (problems.push(problem) === PROBLEMS_MAX) break;
  if (problems.length > 0) throw new UnprocessableError(problems);
}

/** Refuses filters with which no search could be answered. */
async function checkFilters({ engine }: Services, name: string, rules: Curation['rules']): Promise<void> {
  const filters = rules.flatMap(({ consequence: { filter } }, at) => (filter == null ? [] : [[at, filter] as const]));
  for (const [at, filter] of filters) {
    try {
      checkDocumentFilter(filter);
      const request = { filter, within: null, attributesToRetrieve: [], exposeFacets: false, exposeTensors: false };
      (await engine.scanDocuments(name, request)).close();
    } catch (error) {
      throw told(error, `rules[${at}].consequence.filter`);
    }
  }
}

/** Refuses defaults with which a search by words would be refused. */
async function checkDefaults(
  { engine, definitions, config }: Services,
  name: string,
  defaults: Content['searchDefaults'],
): Promise<void> {
  const request = wordsSearchWith(defaults ?? {});
  if (request === undefined) return;
  const source = { bytes: Buffer.from('{}'), vectors: null };
  try {
    checkValues(request, config);
    const { plan } = planOf(request, source, await definitions.get(name), config.efSearchDefault, null, null);
    await engine.search(name, withFields(plan, namedWordFields(request)), new Float32Array(0));
  } catch (error) {
    throw told(error, 'searchDefaults');
  }
}

/** The plan that searches these fields, so that each of them is one that can be searched; where none is named, all. */
function withFields(plan: SearchPlan, fields: readonly string[]): SearchPlan {
  if (plan.lexical === null || fields.length === 0) return plan;
  return { ...plan, lexical: { ...plan.lexical, fields } };
}

/** An error of what is at `place` as the answer tells it. */
function told(error: unknown, place: string): unknown {
  if (!isEngineError(error) && !(error instanceof PelorusError)) return error;
  if (error.code !== 'invalid_argument' && error.code !== 'invalid_field_name') return error;
  return new PelorusError(error.code, `${place}: ${error.message}`);
}

function answer(curation: Curation): JsonAnswer {
  return { body: { ...curation }, headers: { etag: `"${curation.version}"` } };
}
