import { isDeepStrictEqual } from 'node:util';
import { PelorusError, type schemas, truncated, UnprocessableError, versionNotKept } from '@pelorus/contract';
import { checkDocumentFilter, isEngineError, type StoredDefinition } from '@pelorus/engine';
import type { Handlers, JsonAnswer, Services } from '../call.js';
import { curationProblems } from '../search/curation-rules.js';
import { expectedVersion } from '../validation/if-match.js';
import { PROBLEMS_MAX } from '../validation/problems.js';

type CurationOperation = 'getCuration' | 'putCuration' | 'listCurationVersions' | 'rollBackCuration';
type Curation = schemas.Curation;

/** Most versions that are kept, the current one among them: as many as of the settings of a shop. */
const VERSIONS_MAX = 20;
/** Characters of JSON that the earlier ones have together at most: of the largest that a body can bring there is room for two. */
const EARLIER_LENGTH_MAX = 512 * 1024;

/** The rules and synonyms of an index that has none. */
const NONE: Curation = { version: 0, updatedAt: null, rules: [], synonyms: [] };

/** The rules that searches of an index follow, and its synonyms: a part of its definition, as their earlier versions are. */
export function curationHandlers(services: Services): Pick<Handlers, CurationOperation> {
  const { engine, definitions, indexChanges } = services;

  /** Replaces those of an index. Filters are looked at with all documents, and not in the turn of changes. */
  async function replace(
    name: string,
    { rules, synonyms }: Pick<Curation, 'rules' | 'synonyms'>,
    expected: number | null,
  ): Promise<JsonAnswer> {
    await checkFilters(services, name, rules);
    return indexChanges.run(async () => {
      const { settings, resolved, curation = NONE, earlierCurations = [] } = await definitions.get(name);
      if (expected !== null && expected !== curation.version) {
        throw new PelorusError(
          'version_conflict',
          `The rules of ${truncated(name)} are of version ${curation.version}, not ${expected}`,
        );
      }
      if (isDeepStrictEqual({ rules, synonyms }, { rules: curation.rules, synonyms: curation.synonyms })) {
        return answer(curation);
      }
      const next = { version: curation.version + 1, updatedAt: new Date().toISOString(), rules, synonyms };
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
      if (!isEngineError(error) || (error.code !== 'invalid_argument' && error.code !== 'invalid_field_name'))
        throw error;
      throw new PelorusError(error.code, `rules[${at}].consequence.filter: ${error.message}`);
    }
  }
}

function answer(curation: Curation): JsonAnswer {
  return { body: { ...curation }, headers: { etag: `"${curation.version}"` } };
}
