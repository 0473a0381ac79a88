import { isDeepStrictEqual } from 'node:util';
import { PelorusError, type schemas, truncated, UnprocessableError } from '@pelorus/contract';
import { checkDocumentFilter, isEngineError } from '@pelorus/engine';
import type { Handlers, JsonAnswer, Services } from '../call.js';
import { curationProblems } from '../search/curation-rules.js';
import { expectedVersion } from '../validation/if-match.js';
import { PROBLEMS_MAX } from '../validation/problems.js';

type CurationOperation = 'getCuration' | 'putCuration';

/** The rules and synonyms of an index that has none. */
const NONE: schemas.Curation = { version: 0, updatedAt: null, rules: [], synonyms: [] };

/** The rules that searches of an index follow, and its synonyms: a part of its definition. */
export function curationHandlers(services: Services): Pick<Handlers, CurationOperation> {
  const { engine, definitions, indexChanges } = services;
  return {
    getCuration: async ({ params: { indexName } }) => answer((await definitions.get(indexName)).curation ?? NONE),

    putCuration: async ({ params: { indexName }, headers, body }) => {
      const expected = expectedVersion(headers['if-match']);
      checkCuration(body);
      // Not in the turn of changes: a filter is looked at with all documents.
      await definitions.get(indexName);
      await checkFilters(services, indexName, body);
      return indexChanges.run(async () => {
        const { settings, resolved, curation = NONE } = await definitions.get(indexName);
        if (expected !== null && expected !== curation.version) {
          throw new PelorusError(
            'version_conflict',
            `The rules of ${truncated(indexName)} are of version ${curation.version}, not ${expected}`,
          );
        }
        const { rules, synonyms } = body;
        if (isDeepStrictEqual({ rules, synonyms }, { rules: curation.rules, synonyms: curation.synonyms })) {
          return answer(curation);
        }
        const next = { version: curation.version + 1, updatedAt: new Date().toISOString(), rules, synonyms };
        await engine.redefineIndex(indexName, { settings, resolved, curation: next });
        return answer(next);
      });
    },
  };
}

function checkCuration(body: schemas.CurationRequest): void {
  const problems = [];
  for (const problem of curationProblems(body)) if (problems.push(problem) === PROBLEMS_MAX) break;
  if (problems.length > 0) throw new UnprocessableError(problems);
}

/** Refuses filters with which no search could be answered. */
async function checkFilters({ engine }: Services, name: string, { rules }: schemas.CurationRequest): Promise<void> {
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

function answer(curation: schemas.Curation): JsonAnswer {
  return { body: { ...curation }, headers: { etag: `"${curation.version}"` } };
}
