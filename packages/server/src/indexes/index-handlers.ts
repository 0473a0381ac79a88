import { indexNotFound, type schemas, truncated } from '@pelorus/contract';
import { aliasesOf, requireNoneStandsFor } from '@pelorus/engine';
import { mayCall } from '../auth/access.js';
import type { Call, Handlers, Services } from '../call.js';
import { healthOf, healthOfIndex } from '../host/health.js';
import { INTERFACE_VERSION } from '../host/service-handlers.js';
import { refuseAlias } from '../services/called-index.js';
import type { IndexDefinition } from '../services/definition.js';
import { checkRoom, createIndex, definitionOf } from './creation.js';
import { asArguments, atItem, readSettings } from './requested-settings.js';
import { trySettings, updateSettings } from './settings-update.js';
import { shownSettings } from './shown-settings.js';

type IndexOperation =
  | 'createIndex'
  | 'createIndexes'
  | 'validateIndex'
  | 'deleteIndex'
  | 'deleteIndexes'
  | 'listIndexes'
  | 'getIndex'
  | 'getIndexSettings'
  | 'updateIndexSettings'
  | 'getIndexStatus'
  | 'getIndexStats'
  | 'getIndexHealth';

/** Indexes: creation, deletion and state. */
export function indexHandlers(services: Services): Pick<Handlers, IndexOperation> {
  const { engine, definitions, indexChanges, host } = services;
  return {
    createIndex: async ({ params: { indexName }, body }) => {
      await createIndex(services, indexName, body);
      return { body: { acknowledged: true, index: indexName } };
    },

    createIndexes: (call) => createIndexes(services, call),

    validateIndex: async ({ params: { indexName }, body }) => {
      asArguments(() => definitionOf(services, indexName, body));
      await checkRoom(services, [indexName]);
      return { body: { validated: true, index: indexName } };
    },

    deleteIndex: async ({ params }) => {
      refuseAlias(engine.aliases?.now(), params.indexName);
      await indexChanges.run(() => dropIndex(services, params.indexName));
      return { body: { acknowledged: true } };
    },

    deleteIndexes: async ({ body: names }) => {
      await indexChanges.run(async () => {
        for (const name of names) {
          refuseAlias(engine.aliases?.now(), name);
          await requireIndex(services, name);
          if (engine.aliases !== undefined) requireNoneStandsFor(engine.aliases.now(), name);
        }
        for (const name of new Set(names)) await dropIndex(services, name);
      });
      return { body: { acknowledged: true, index_names: names } };
    },

    listIndexes: async ({ principal }) => {
      const names = (await engine.listIndexes()).filter((name) => mayCall(principal, name));
      return { body: { results: names.map((name) => ({ indexName: name, index_name: name })) } };
    },

    getIndex: async ({ params: { indexName } }) => {
      const definition = await definitions.get(indexName);
      const { numberOfDocuments, numberOfVectors } = await engine.stats(indexName);
      return {
        body: {
          indexName,
          index_name: indexName,
          indexStatus: await statusOf(services, indexName),
          Created: definition.resolved.createdAt,
          marqoVersion: INTERFACE_VERSION,
          numberOfDocuments,
          numberOfVectors,
          settings: shownSettings(definition),
        },
      };
    },

    getIndexSettings: async ({ params }) => ({ body: shownSettings(await definitions.get(params.indexName)) }),

    updateIndexSettings: async ({ params: { indexName }, query, body }) => {
      const update = { modelProperties: body.modelProperties, isForced: query.force };
      if (query.dry_run) return { body: await trySettings(services, indexName, update) };
      await indexChanges.run(() => updateSettings(services, indexName, update));
      return { body: { message: 'Index settings update is successful.' } };
    },

    getIndexStatus: async ({ params: { indexName } }) => {
      await requireIndex(services, indexName);
      return { body: { indexStatus: await statusOf(services, indexName) } };
    },

    getIndexStats: async ({ params, principal, aliases }) => {
      const { numberOfDocuments, numberOfVectors, memoryBytes, memory } = await engine.stats(params.indexName);
      const { memoryPercent, storagePercent } = host.usage();
      const used = { memoryUsedPercentage: memoryPercent, storageUsedPercentage: storagePercent };
      const precision = precisionOf(services, await definitions.get(params.indexName));
      const backend = { ...used, ...(precision !== undefined && { precision }), memoryBytes, memory };
      const names = aliases === undefined ? [] : aliasesOf(aliases, params.indexName);
      const seen = names.filter((name) => mayCall(principal, name));
      const counts = { numberOfDocuments, numberOfVectors, ...(seen.length > 0 && { aliases: seen }) };
      return { body: { ...counts, backend } };
    },

    getIndexHealth: async ({ params: { indexName } }) => {
      await requireIndex(services, indexName);
      return { body: healthOf(host.usage(), healthOfIndex(await engine.health(), indexName)) };
    },
  };
}

/** The numbers that the model of an index is computed in; undefined while it is not loaded, or cannot be had any more. */
function precisionOf({ inference }: Services, definition: IndexDefinition) {
  try {
    return inference.precisionOf(definition.model());
  } catch {
    return undefined;
  }
}

/** All of them, or none: those that were made before one failed are deleted again. */
async function createIndexes(services: Services, { body }: Call<'createIndexes'>) {
  const { engine, indexChanges } = services;
  const wanted = body.map(({ indexName, ...settings }, i) => ({
    name: indexName,
    definition: atItem(i, () => definitionOf(services, indexName, readSettings(settings))),
  }));
  const names = wanted.map(({ name }) => name);
  await indexChanges.run(async () => {
    await checkRoom(services, names);
    const created: string[] = [];
    try {
      for (const { name, definition } of wanted) {
        await engine.createIndex(name, definition);
        created.push(name);
      }
    } catch (error) {
      for (const name of created) await engine.dropIndex(name);
      throw error;
    }
  });
  return { body: { acknowledged: true, index_names: names } };
}

async function dropIndex({ engine, cursors }: Services, name: string): Promise<void> {
  if (engine.aliases !== undefined) requireNoneStandsFor(engine.aliases.now(), name);
  // Before, as the engine waits for who reads; and after, for who began meanwhile.
  cursors.endOf(name);
  await engine.dropIndex(name);
  cursors.endOf(name);
}

/** Fails where there is no such index; one that cannot be opened is there as well. */
async function requireIndex({ engine }: Services, name: string): Promise<void> {
  if ((await engine.listIndexes()).includes(name)) return;
  throw indexNotFound(truncated(name));
}

/** An index that takes no writes for a moment is ready: it is its health that tells. */
async function statusOf({ engine }: Services, name: string): Promise<schemas.IndexStatus> {
  return healthOfIndex(await engine.health(), name).status === 'red' ? 'FAILED' : 'READY';
}
