import { indexNotFound, invalidArgument, truncated } from '@pelorus/contract';
import type { HostedIndex } from '@pelorus/hosted';
import { mayCall } from '../auth/access.js';
import type { Call, Handlers, JsonAnswer } from '../call.js';
import { definitionOf } from '../indexes/creation.js';
import { readSettings } from '../indexes/requested-settings.js';
import type { ChangeQuota } from './change-quota.js';
import type { HostedServices } from './hosted-services.js';
import type { ReadRecord } from './read-record.js';
import {
  changedResources,
  checkDocumentsFit,
  checkModelFits,
  newResources,
  splitResources,
} from './requested-resources.js';

type ControlOperation =
  | 'listHostedIndexes'
  | 'getHostedIndex'
  | 'createHostedIndex'
  | 'modifyHostedIndex'
  | 'deleteHostedIndex'
  | 'getHostedIndexStatus'
  | 'getHostedIndexSettings'
  | 'getHostedIndexStats';

/** Longest name of a hosted index, in characters. */
const NAME_LENGTH_MAX = 32;

/** Hosted indexes: creation, resources, deletion and state. */
export function controlHandlers(
  services: HostedServices,
  record: ReadRecord,
  changes: ChangeQuota,
): Pick<Handlers<'hosted'>, ControlOperation> {
  const { hosting, inference } = services;

  const find = ({ params: { indexName }, principal }: Pick<Call<'getHostedIndex'>, 'params' | 'principal'>) => {
    const index = mayCall(principal, indexName) ? hosting.get(indexName) : undefined;
    if (index === undefined) throw indexNotFound(truncated(indexName));
    return index;
  };

  const definition = (name: string, settings: HostedIndex['settings']) =>
    definitionOf({ inference }, name, readSettings(structuredClone(settings)));

  /** Hands on the answer of the index itself. */
  const ask = async (
    call: Call<'getHostedIndexStats' | 'getHostedIndexSettings'>,
    operation: 'getIndexStats' | 'getIndexSettings',
  ): Promise<JsonAnswer> => {
    const { name } = find(call);
    const { status, body } = await hosting.call(name, { operation });
    return { status, body };
  };

  return {
    listHostedIndexes: async ({ principal, base }) => {
      const indexes = hosting.list().filter(({ name }) => mayCall(principal, name));
      const results = await Promise.all(indexes.map((index) => record(index, base())));
      return { body: { results } };
    },

    getHostedIndex: async (call) => {
      const index = find(call);
      if (index.state === 'DELETED') throw indexNotFound(index.name);
      return { body: await record(index, call.base()) };
    },

    createHostedIndex: async ({ params: { indexName }, body, principal }) => {
      changes.take(principal);
      const { requested, settings } = splitResources(body);
      checkNameLength(indexName);
      const resources = newResources(requested, inference);
      checkModelFits(definition(indexName, settings), resources, services);
      await hosting.create(indexName, { settings, resources });
      return { body: { acknowledged: true, shards_acknowledged: true, index: indexName } };
    },

    modifyHostedIndex: async (call) => {
      changes.take(call.principal);
      const index = find(call);
      const resources = changedResources(index.resources, call.body, inference);
      checkModelFits(definition(index.name, index.settings), resources, services);
      checkDocumentsFit(await hosting.counts(index), resources);
      await hosting.modify(index.name, resources);
      return { body: { acknowledged: true } };
    },

    deleteHostedIndex: async ({ params: { indexName }, principal }) => {
      changes.take(principal);
      // Not found first: one whose record cannot be read is deleted too.
      if (!mayCall(principal, indexName)) throw indexNotFound(truncated(indexName));
      await hosting.delete(indexName);
      return { body: { acknowledged: true } };
    },

    getHostedIndexStatus: async (call) => ({ body: { indexStatus: find(call).state } }),
    getHostedIndexSettings: (call) => ask(call, 'getIndexSettings'),
    getHostedIndexStats: (call) => ask(call, 'getIndexStats'),
  };
}

/** @throws PelorusError for a name that is too long for a hosted index */
export function checkNameLength(name: string): void {
  if (name.length <= NAME_LENGTH_MAX) return;
  throw invalidArgument(
    `Index name must not be longer than ${NAME_LENGTH_MAX} characters, but '${truncated(name)}' has ${name.length}`,
  );
}
