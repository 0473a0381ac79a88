import type { Pelorus, types } from '@pelorus/client';
import { loadMeaning } from '../documents/meaning.js';
import { titleField } from '../documents/title.js';
import { clientOfVersion } from '../server/session.js';
import type { Curator, Found, FoundHit, RuleVersion } from './curator.js';
import { type Curation, changedCuration, choicesOf, type IndexChoices } from './index-rules.js';

const HITS = 20;
const SOUGHT = 10;

/** The choices about the searches of an index by its name: its rules and synonyms. */
export function indexCurator(name: string): Curator {
  const path = `/indexes/${encodeURIComponent(name)}/curation`;
  return {
    key: `index ${name}`,
    places: 'any',
    isBrowsed: false,
    hasRules: true,
    load: async (client, signal) => choicesOf(await client.call<Curation>('GET', path, undefined, { signal })),
    change: async (before, change) => {
      const next = changedCuration(before as IndexChoices, change);
      return choicesOf(await clientOfVersion(before.version).call<Curation>('PUT', path, next));
    },
    versions: {
      load: async (client, signal) => {
        const answer = await client.call<{ versions: readonly RuleVersion[] }>('GET', `${path}/versions`, undefined, {
          signal,
        });
        return answer.versions;
      },
      rollBack: async (before, version) =>
        choicesOf(await clientOfVersion(before.version).call<Curation>('POST', `${path}/roll-back`, { version })),
    },
    find: async (client, query, signal) => {
      const searchMethod = (await loadMeaning(client, name, signal)) ? 'HYBRID' : 'LEXICAL';
      const search = { q: query, limit: HITS, searchMethod, trackTotalHits: true } as const;
      const { hits, totalHits } = await client.index(name).search(search, { signal });
      // Words find documents or do not; by meaning all are near, more or less.
      return { hits: hits.map(foundHit), total: searchMethod === 'LEXICAL' ? totalHits : undefined } satisfies Found;
    },
    seek: async (client, text, signal) => {
      const search = { q: text, limit: SOUGHT, searchMethod: 'LEXICAL', prefix: 'last', rules: false } as const;
      const [named, { hits }] = await Promise.all([
        documentsOf(client, name, [text], signal),
        client.index(name).search(search, { signal }),
      ]);
      const ids = new Set(named.map(({ _id }) => _id));
      return [...named, ...hits.filter(({ _id }) => !ids.has(_id))].map(foundHit);
    },
    titlesOf: async (client, ids, signal) => {
      const documents = await documentsOf(client, name, ids, signal);
      return new Map(documents.map((document) => [document._id, foundHit(document).title]));
    },
  };
}

type Document = Readonly<Record<string, unknown>> & { readonly _id: string };

/** Those documents of some ids that are there. */
async function documentsOf(
  client: Pelorus,
  name: string,
  documentIds: readonly string[],
  signal: AbortSignal,
): Promise<readonly Document[]> {
  const path = `/indexes/${encodeURIComponent(name)}/documents/get-batch`;
  const answer = await client.call<types.GetDocumentsResponse>('POST', path, { documentIds }, { signal });
  return answer.results.filter(({ _found }) => _found === true);
}

function foundHit(hit: Document): FoundHit {
  const field = titleField(hit);
  return { id: hit._id, hiddenBy: hit._id, title: field === undefined ? hit._id : String(hit[field]), details: '' };
}
