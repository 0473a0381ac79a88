import type { schemas } from '@pelorus/contract';
import { ask, indexPath } from '../api.js';
import { parseShown } from '../exact-json.js';
import { jsonObject } from '../server-call.js';
import { ExitCode, StartFailure } from '../start-failure.js';
import { guessTensorFields } from '../transfer/tensor-fields.js';
import { ANSWER_BYTES_MAX, bounded, bytesOf, noteOf } from './bounded.js';
import { READ_MS } from './search-tool.js';
import type { Tool, ToolCall } from './tool.js';

const IDS_MAX = 100;
const DOCUMENTS_MAX = 100;
const TENSOR_FIELDS_MAX = 100;
/** The first use of a model fetches it, and long texts take their time. */
const ADD_MS = 300_000;
/** Ids and failures that an answer tells. */
const TOLD_BYTES_MAX = 8 * 1024;

const NOTE = { type: 'string', description: 'Tells what the answer lacks, where it does' } as const;
const NAMES = { type: 'array', items: { type: 'string' } } as const;

type Document = Readonly<Record<string, unknown>>;

interface GetGiven {
  readonly ids: readonly string[];
  readonly attributesToRetrieve?: readonly string[];
}

export const getTool: Tool<GetGiven> = {
  name: 'get',
  title: 'Get documents by id',
  description:
    'Returns documents of an index by their ids, with more of their long texts than a search has room for: one ' +
    'document and one field at a time give most.',
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true },
  parameters: {
    ids: {
      ...{ type: 'array', minItems: 1, maxItems: IDS_MAX, items: { type: 'string' } },
      description: 'The _id of each document',
    },
    attributesToRetrieve: {
      ...{ type: 'array', maxItems: 100, items: { type: 'string' } },
      description: 'Fields of the documents to return, all when absent',
    },
  },
  required: ['ids'],
  hasIndex: true,
  output: {
    documents: {
      type: 'array',
      items: { type: 'object', properties: { _id: { type: 'string' } }, required: ['_id'] },
    },
    notFound: { ...NAMES, description: 'Ids that no document has' },
    note: NOTE,
  },
  outputRequired: ['documents', 'notFound'],
  answerMs: READ_MS,
  async run({ server, index, given, bounds }) {
    const { ids, attributesToRetrieve } = given;
    const answer = await ask(server, 'POST', `${indexPath(index)}/documents/get-batch`, { documentIds: ids }, bounds);
    jsonObject(answer, server.url);
    const { results } = parseShown(answer.body.toString()) as { results: (Document & { _id: string })[] };
    const found = results.filter(({ _found }) => _found === true);
    const unknown = results.filter(({ _found }) => _found !== true).map(({ _id }) => ({ _id }));
    const missing = bounded(unknown, TOLD_BYTES_MAX);
    const room = ANSWER_BYTES_MAX - bytesOf(missing.items);
    const fitting = bounded(
      found.map((document) => fieldsOf(document, attributesToRetrieve)),
      room,
    );
    const leftOut = fitting.leftOut + missing.leftOut;
    const note = noteOf({ ...fitting, leftOut }, 'ask for fewer documents, or name attributesToRetrieve');
    const notFound = missing.items.map(({ _id }) => _id);
    return { documents: fitting.items, notFound, ...(note !== undefined && { note }) };
  },
};

/** The document with its id and the fields that are asked for. */
function fieldsOf({ _found, ...document }: Document, names: readonly string[] | undefined): Document {
  if (names === undefined) return document;
  return Object.fromEntries(Object.entries(document).filter(([name]) => name === '_id' || names.includes(name)));
}

interface AddGiven {
  readonly documents: readonly Document[];
  readonly tensorFields?: readonly string[];
}

export const addTool: Tool<AddGiven> = {
  name: 'add',
  title: 'Add or replace documents',
  description:
    'Stores documents in an index that is there. One whose _id is already in the index replaces the whole document of ' +
    'that id. Searches find them when this returns.',
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false },
  parameters: {
    documents: {
      ...{ type: 'array', minItems: 1, maxItems: DOCUMENTS_MAX, items: { type: 'object' } },
      description:
        'Objects of fields: texts, numbers, booleans, lists of texts. _id is a text of your choice; one is made where ' +
        'it is absent',
    },
    tensorFields: {
      ...{ type: 'array', maxItems: TENSOR_FIELDS_MAX, items: { type: 'string' } },
      description:
        'Fields to find by meaning; when absent those of the longest texts. Words are found in every text field. Not ' +
        'for structured indexes, which declare them',
    },
  },
  required: ['documents'],
  hasIndex: true,
  output: {
    stored: { type: 'integer', description: 'Number of documents stored' },
    ids: { ...NAMES, description: 'Ids of the documents stored' },
    tensorFields: { ...NAMES, description: 'Fields that were embedded' },
    failures: {
      type: 'array',
      items: { type: 'object', properties: { _id: { type: 'string' }, message: { type: 'string' } } },
      description: 'Documents that were not stored, and why',
    },
    note: NOTE,
  },
  outputRequired: ['stored', 'ids', 'failures'],
  answerMs: ADD_MS,
  async run(call) {
    const { server, index, given, bounds } = call;
    const tensorFields = given.tensorFields ?? (await guessedFields(call));
    const body = { documents: given.documents, ...(tensorFields !== undefined && { tensorFields }) };
    const answer = await ask(server, 'POST', `${indexPath(index)}/documents`, body, bounds);
    const { items } = jsonObject<schemas.AddDocumentsResponse>(answer, server.url);
    const ids = items.filter(({ status }) => status < 300).map(({ _id }) => ({ _id }));
    const failures = items
      .filter(({ status }) => status >= 300)
      .map(({ _id, message, error, status }) => ({ _id, message: message ?? error ?? `status ${status}` }));
    const [first] = failures;
    if (ids.length === 0 && first !== undefined) {
      const which =
        failures.length === 1
          ? 'The document was not stored'
          : `None of ${failures.length} documents was stored, the first (${first._id}) for this reason`;
      throw new StartFailure(ExitCode.FAILED, `${which}: ${first.message}`);
    }
    const [told, refused] = [bounded(ids, TOLD_BYTES_MAX), bounded(failures, TOLD_BYTES_MAX)];
    const note = noteOf({ ...told, leftOut: told.leftOut + refused.leftOut }, 'the numbers count all');
    return {
      ...{ stored: ids.length, ids: told.items.map(({ _id }) => _id) },
      ...(tensorFields !== undefined && { tensorFields }),
      failures: refused.items,
      ...(note !== undefined && { note }),
    };
  },
};

/** The fields that an import would embed; undefined for an index that declares them, or that embeds none. */
async function guessedFields({ server, index, given, bounds }: ToolCall<AddGiven>): Promise<string[] | undefined> {
  const answer = await ask(server, 'GET', `${indexPath(index)}/settings`, undefined, bounds);
  const { type, model } = jsonObject<schemas.IndexSettingsResponse>(answer, server.url);
  return type === 'structured' || model === 'no_model' ? undefined : guessTensorFields(given.documents);
}
