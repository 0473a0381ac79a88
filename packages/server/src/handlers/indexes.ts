import { PelorusError } from '@pelorus/contract';
import type { StoredDefinition } from '@pelorus/engine';
import type { Call, Handlers } from '../call.js';
import { healthOf, healthOfIndex } from '../host/health.js';
import { withoutUrlSecretsIn } from '../http/url-secrets.js';
import { checkIndexName } from '../indexes/names.js';
import { settingsOf } from '../indexes/settings.js';
import type { Services } from '../services.js';
import { invalidArgument } from '../validation/faults.js';

/** Longest vector an index may hold. */
const DIMENSIONS_MAX = 4_096;

type IndexOperation =
  | 'createIndex'
  | 'deleteIndex'
  | 'listIndexes'
  | 'getIndexSettings'
  | 'getIndexStats'
  | 'getIndexHealth';

/** Indexes: creation, deletion and what is known of them. */
export function indexHandlers(services: Services): Pick<Handlers, IndexOperation> {
  const { engine, definitions, indexChanges, host } = services;
  return {
    createIndex: async (call) => {
      const { indexName } = call.params;
      const definition = definitionOf(services, call);
      await indexChanges.run(async () => {
        await checkRoom(services, indexName);
        await engine.createIndex(indexName, definition);
      });
      return { body: { acknowledged: true, index: indexName } };
    },

    deleteIndex: async ({ params }) => {
      await indexChanges.run(() => engine.dropIndex(params.indexName));
      return { body: { acknowledged: true } };
    },

    listIndexes: async () => {
      const names = await engine.listIndexes();
      return { body: { results: names.map((name) => ({ indexName: name, index_name: name })) } };
    },

    getIndexSettings: async ({ params }) => {
      const { settings } = await definitions.get(params.indexName);
      return { body: withoutUrlSecretsIn(settings) };
    },

    getIndexStats: async ({ params }) => {
      const { numberOfDocuments, numberOfVectors, memoryBytes, memory } = await engine.stats(params.indexName);
      const { memoryPercent, storagePercent } = host.usage();
      const used = { memoryUsedPercentage: memoryPercent, storageUsedPercentage: storagePercent };
      const backend = { ...used, memoryBytes, memory };
      return { body: { numberOfDocuments, numberOfVectors, backend } };
    },

    getIndexHealth: async ({ params: { indexName } }) => {
      if (!(await engine.listIndexes()).includes(indexName)) {
        throw new PelorusError('index_not_found', `Index ${indexName} not found`);
      }
      return { body: healthOf(host.usage(), healthOfIndex(await engine.health(), indexName)) };
    },
  };
}

/** The rules in the order their breaches are reported: settings, name, model. */
function definitionOf({ inference }: Services, { params, body }: Call<'createIndex'>): StoredDefinition {
  const settings = settingsOf(body);
  checkIndexName(params.indexName);
  const model = inference.resolve(settings.model, propertiesOf(body));
  if (model.dimensions > DIMENSIONS_MAX) {
    throw invalidArgument(`The model has ${model.dimensions} dimensions, more than the limit of ${DIMENSIONS_MAX}`);
  }
  if (settings.annParameters.spaceType === 'geodegrees' && model.dimensions !== 2) {
    throw invalidArgument(
      `spaceType geodegrees needs a model of 2 dimensions, but ${settings.model} has ${model.dimensions}`,
    );
  }
  return {
    settings: { ...settings, ...(model.properties !== null && { modelProperties: model.properties }) },
    resolved: {
      dimensions: model.dimensions,
      textQueryPrefix: body.textQueryPrefix ?? model.textQueryPrefix ?? '',
      textChunkPrefix: body.textChunkPrefix ?? model.textChunkPrefix ?? '',
      embeds: model.embeds,
      createdAt: new Date().toISOString(),
      modelKey: model.key,
    },
  };
}

/** An empty object says as little as none. */
function propertiesOf({ modelProperties }: Call<'createIndex'>['body']): object | undefined {
  return modelProperties != null && Object.keys(modelProperties).length > 0 ? modelProperties : undefined;
}

async function checkRoom({ engine, config }: Services, name: string): Promise<void> {
  const names = await engine.listIndexes();
  if (names.includes(name)) throw new PelorusError('index_already_exists', `Index ${name} already exists`);
  if (names.length >= config.indexesMax) {
    throw new PelorusError(
      'bad_request',
      `This service has ${names.length} indexes, which is its limit (PELORUS_MAX_INDEXES)`,
    );
  }
}
