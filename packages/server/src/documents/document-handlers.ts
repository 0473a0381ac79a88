import { invalidArgument, PelorusError, truncated } from '@pelorus/contract';
import type { Answer, Handlers, Services } from '../call.js';
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
    getDocument: async ({ params, query }) => {
      const { indexName, documentId } = params;
      const body = await engine.getDocument(indexName, { documentId, exposeFacets: query.expose_facets });
      if (body !== null) return { body };
      throw new PelorusError(
        'document_not_found',
        `Document with ID ${truncated(documentId)} not found in index ${indexName}`,
      );
    },

    getDocuments: ({ params, query, body }) => {
      if (body.length === 0) throw invalidArgument("Can't get empty collection of IDs!");
      return getMany(services, params.indexName, body, query.expose_facets);
    },

    getDocumentsBatch: ({ params, query, body }) =>
      getMany(services, params.indexName, body.documentIds, query.expose_facets),

    deleteAllDocuments: async ({ params }) => ({
      body: { documentCount: await engine.deleteAllDocuments(params.indexName) },
    }),

    deleteDocuments: async ({ params, body: ids }) => {
      checkDeletion(ids, services.config.deletesPerRequestMax);
      const startedAt = new Date();
      const { body } = await engine.deleteDocuments(params.indexName, { documentIds: ids });
      return { body: withMembers(body, deletionMembers(params.indexName, startedAt, new Date())) };
    },
  };
}

async function getMany(
  { engine, config }: Services,
  index: string,
  ids: readonly string[],
  exposeFacets: boolean,
): Promise<Answer> {
  if (ids.length > config.retrievableDocumentsMax) {
    throw new PelorusError(
      'illegal_requested_doc_count',
      `${ids.length} documents were requested, which is more than the allowed limit of [${config.retrievableDocumentsMax}], set by the environment variable \`MARQO_MAX_RETRIEVABLE_DOCS\``,
    );
  }
  const found = await engine.getDocuments(index, { documentIds: ids, exposeFacets, exposeTensors: false });
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
