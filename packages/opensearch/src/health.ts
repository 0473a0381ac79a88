import type { EngineError, StorageHealth } from '@pelorus/engine';
import { causeKind } from './errors.js';

/** Time for what health asks, in milliseconds: whoever asks it wants to know that a cluster hangs. */
export const HEALTH_MS = 3_000;

/** An index, physical or another's, and whether its copies are there. */
export interface IndexRow {
  readonly index?: string;
  readonly health?: string;
}

/** Settings by which indexes take no writes, by the physical name, such as `index.blocks.write`: `true`. */
export type BlockedIndexes = Readonly<Record<string, { readonly settings?: Readonly<Record<string, unknown>> }>>;

type IndexHealth = StorageHealth['indexes'][number];

/** The block that a node sets whose disk is above its flood stage, and takes away again. */
const FLOOD_BLOCK = 'index.blocks.read_only_allow_delete';

/** The problems of indexes in our words. `nameOf` gives our name of a physical index; undefined for those of others. */
export function healthOf(
  rows: readonly IndexRow[],
  blocked: BlockedIndexes,
  nameOf: (physical: string) => string | undefined,
): StorageHealth {
  const indexes = rows.flatMap(({ index = '', health = 'red' }) => {
    const name = nameOf(index);
    if (name === undefined) return [];
    const of = ofCopies(name, health) ?? ofBlocks(name, blocked[index]?.settings ?? {});
    return of === undefined ? [] : [of];
  });
  const status = indexes.some((one) => one.status === 'red') ? 'red' : indexes.length > 0 ? 'yellow' : 'green';
  return { status, indexes };
}

function ofCopies(name: string, health: string): IndexHealth | undefined {
  const code = 'service_unavailable';
  switch (health) {
    case 'green':
      return undefined;
    case 'yellow': {
      const reason = `Copies of index ${name} are missing: the loss of one more node may end it. Start the nodes that are away`;
      return { name, status: 'yellow', code, reason };
    }
    default: {
      const reason = `Parts of index ${name} are on no node: start the nodes that have them`;
      return { name, status: 'red', code, reason };
    }
  }
}

function ofBlocks(name: string, settings: Readonly<Record<string, unknown>>): IndexHealth | undefined {
  const set = Object.keys(settings).filter((key) => String(settings[key]) === 'true');
  if (set.includes(FLOOD_BLOCK)) {
    const reason = `A disk of the cluster is full, so that index ${name} takes no documents: make room on it, or add a node`;
    return { name, status: 'yellow', code: 'insufficient_storage', reason };
  }
  const [block] = set;
  if (block === undefined) return undefined;
  const reason = `Index ${name} is closed to some calls by the setting ${block} of the cluster: an operator has set it`;
  return { name, status: 'yellow', code: 'service_unavailable', reason };
}

/** Kinds of errors of a cluster without a manager. */
const NO_MANAGER: ReadonlySet<unknown> = new Set([
  'cluster_manager_not_discovered_exception',
  'master_not_discovered_exception',
]);

/** Tells why a cluster does not answer, for people. */
export function reasonAway(error: EngineError): string {
  return NO_MANAGER.has(causeKind(error)) || error.message.includes('no cluster-manager')
    ? 'The cluster has no manager, as most of its nodes that may be one are away or out of reach: start them'
    : `${error.message}. Calls fail until it answers`;
}
