import { type McpServer, ResourceNotFoundError, ResourceTemplate } from '@modelcontextprotocol/server';
import type { schemas } from '@pelorus/contract';
import { indexNames, type Listed, recordAndStats, recordsOf } from '../indexes/records.js';
import type { AnswerBounds } from '../server-call.js';
import { bounded, noteOf } from './bounded.js';
import { READ_MS } from './search-tool.js';
import { failureText, type Surroundings, type Tool } from './tool.js';

/** Names that one answer has: each costs a call. */
const INDEXES_MAX = 200;
const JSON_TYPE = 'application/json';
const BOUNDS: AnswerBounds = { bytesMax: 16 * 1024 * 1024, headersMs: READ_MS, stallMs: 30_000 };

/** The tool that tells which indexes there are, or about the one that agents see. */
export function listTool(pinned: string | undefined): Tool<object> {
  return {
    name: 'list',
    title: pinned === undefined ? 'List the indexes' : 'Describe the index',
    description:
      pinned === undefined
        ? 'Lists the indexes with their numbers of documents and models. Begin here: the other tools ask for a name.'
        : `Tells the number of documents and the model of the index ${pinned}, which the other tools search.`,
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true },
    parameters: {},
    required: [],
    hasIndex: false,
    output: {
      indexes: {
        type: 'array',
        items: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
      },
      note: { type: 'string', description: 'Tells what the answer lacks, where it does' },
    },
    outputRequired: ['indexes'],
    answerMs: READ_MS,
    async run({ server, bounds }) {
      const names = pinned === undefined ? await indexNames(server, bounds) : [pinned];
      const records = await recordsOf(server, names.slice(0, INDEXES_MAX), bounds);
      const fitting = bounded(records.map(described));
      const leftOut = fitting.leftOut + Math.max(0, names.length - INDEXES_MAX);
      const note = noteOf({ ...fitting, leftOut }, 'a search by name works all the same');
      return { indexes: fitting.items, ...(note !== undefined && { note }) };
    },
  };
}

/** The part of a record that tells an agent how to search. */
function described(index: Listed): object {
  if ('error' in index) return { name: index.indexName, error: index.error.message };
  const { indexName, numberOfDocuments, numberOfVectors, indexStatus, settings } = index;
  const { type, model, allFields, tensorFields } = settings as schemas.IndexSettingsResponse;
  return {
    ...{ name: indexName, documents: numberOfDocuments, vectors: numberOfVectors, status: indexStatus, type, model },
    ...(allFields !== undefined && { fields: allFields.map(({ name, type: kind }) => ({ name, type: kind })) }),
    ...(tensorFields !== undefined && { tensorFields }),
  };
}

/** Adds the settings and counts of each index as a resource. */
export function addIndexResources(mcp: McpServer, around: Surroundings): void {
  const { server, index } = around;
  const template = new ResourceTemplate('pelorus://indexes/{name}', {
    list: async () => {
      const names = index === undefined ? await told(indexNames(server, BOUNDS), around) : [index];
      const resources = names
        .slice(0, INDEXES_MAX)
        .map((name) => ({ name, uri: `pelorus://indexes/${encodeURIComponent(name)}` }));
      return { resources: resources.map((one) => ({ ...one, mimeType: JSON_TYPE })) };
    },
  });
  const about = { title: 'An index', description: 'The settings of an index, and its counts', mimeType: JSON_TYPE };
  mcp.registerResource('index', template, about, async (uri, { name: encoded }) => {
    const name = decodeURIComponent(String(encoded));
    if (index !== undefined && index !== name) throw new ResourceNotFoundError(uri.href);
    const record = await told(recordAndStats(server, name, BOUNDS), around);
    return { contents: [{ uri: uri.href, mimeType: JSON_TYPE, text: JSON.stringify(record, null, 2) }] };
  });
}

/** The failure of a resource is an error of the protocol, in the words that a tool has for it. */
async function told<Value>(value: Promise<Value>, around: Surroundings): Promise<Value> {
  try {
    return await value;
  } catch (error) {
    throw new Error(failureText(error, around));
  }
}
