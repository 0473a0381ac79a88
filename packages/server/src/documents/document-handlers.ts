import { invalidArgument, PelorusError, truncated } from '@pelorus/contract';
import { withinOf } from '../auth/access.js';
import type { Answer, Call, Handlers, Services } from '../call.js';
import { withMembers } from '../http/body.js';
import { countHeaders } from './count-headers.js';
import { deletionMembers } from './deletion.js';

type DocumentOperation =
  | 'getDocument'
  | 'getDocuments'
  | 'getDocumentsBatch'
  | 'deleteDocuments'
  | 'deleteAllDocuments';

/** Documents: reading and deleting. The documents themselves stay bytes here. */
export function documentHandlers(services: Services): Pick<Handlers, DocumentOperation> {
  const { engine } = services;
  return {
    getDocument: async ({ params, query, principal }) => {
      const { indexName, documentId } = params;
      const within = withinOf({ principal });
      const body = await engine.getDocument(indexName, { documentId, exposeFacets: query.expose_facets, within });
      if (body !== null) return { body };
      throw new PelorusError(
        'document_not_found',
        `Document with ID ${truncated(documentId)} not found in index ${indexName}`,
      );
    },

    getDocuments: (call) => {
      if (call.body.length === 0) throw invalidArgument("Can't get empty collection of IDs!");
      return getMany(services, call, call.body);
    },

    getDocumentsBatch: (call) => getMany(services, call, call.body.documentIds),

    deleteAllDocuments: async ({ params }) => ({
      body: { documentCount: await engine.deleteAllDocuments(params.indexName) },
    }),

    deleteDocuments: async ({ params, body: ids, principal }) => {
      checkDeletion(ids, services.config.deletesPerRequestMax);
      const startedAt = new Date();
      const request = { documentIds: ids, within: withinOf({ principal }) };
      const { body } = await engine.deleteDocuments(params.indexName, request);
      return { body: withMembers(body, deletionMembers(params.indexName, startedAt, new Date())) };
    },
  };
}

async function getMany(
  { engine, config }: Services,
  { params, query, principal }: Call<'getDocuments' | 'getDocumentsBatch'>,
  ids: readonly string[],
): Promise<Answer> {
  if (ids.length > config.retrievableDocumentsMax) {
    throw new PelorusError(
      'illegal_requested_doc_count',
      `${ids.length} documents were requested, which is more than the allowed limit of [${config.retrievableDocumentsMax}], set by the environment variable \`MARQO_MAX_RETRIEVABLE_DOCS\``,
    );
  }
  const found = await engine.getDocuments(params.indexName, {
    documentIds: ids,
    exposeFacets: query.expose_facets,
    exposeTensors: false,
    within: withinOf({ principal }),
  });
  return { body: found.body, headers: countHeaders(found) };
}

function checkDeletion(ids: readonly string[], countMax: number): void {
  if (ids.length === 0) throw new PelorusError('invalid_document_id', "doc_ids can't be empty!");
  if (ids.length > countMax) {
    throw invalidArgument(
      `The number of documentIds to delete \`${ids.length}\` is greater than the limit \`${countMax}\` set by the env var \`MARQO_MAX_DELETE_DOCS_COUNT\`. `,
    );
  }
  if (ids.includes('')) throw new PelorusError('invalid_document_id', "Document ID can't be empty");
}
