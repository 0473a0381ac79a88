import type { schemas } from '@pelorus/contract';
import type { StorageHealth } from '@pelorus/engine';
import type { Usage } from '../services/monitor.js';

type Status = schemas.Health['status'];

/** Share of the disk, in percent, from which the service counts as under strain. */
const STRAIN_PERCENT = 97;

/** Faults of a part of a service, for people. */
export type Problems = readonly { readonly status: 'yellow' | 'red'; readonly reason: string }[];

/** The problems of what is no index. */
export interface OtherProblems {
  readonly events?: Problems;
  /** Faults of keys, which are refused since their files cannot be used. */
  readonly keys?: Problems;
  /** Faults of files of the whole data directory. */
  readonly files?: Problems;
  /** Faults of devices, in whose place the CPU computes. */
  readonly inference?: Problems;
  /** Faults of event loops. */
  readonly http?: Problems;
  /** Faults of backups that are made by themselves. */
  readonly backups?: Problems;
}

/** The health record. `engine` is the store's word on all its indexes, or on the one asked about. */
export function healthOf(usage: Usage, engine: StorageHealth, others: OtherProblems = {}): schemas.Health {
  const { memoryHasRoom, storagePercent, storageHasRoom } = usage;
  const hasRoom = memoryHasRoom && storageHasRoom;
  const strained = !hasRoom || storagePercent === null || storagePercent >= STRAIN_PERCENT;
  const status: Status = engine.status === 'green' && strained ? 'yellow' : engine.status;
  const indexes = engine.indexes.map(({ name, ...of }) => ({ indexName: name, ...of }));
  const [events, keys, files] = [partOf(others.events), partOf(others.keys), partOf(others.files)];
  const [inference, http] = [partOf(others.inference), partOf(others.http)];
  const backups = partOf(others.backups);
  const all = [status, ...[events, keys, files, inference, http, backups].map((part) => part?.status)];
  return {
    status: all.includes('red') ? 'red' : all.includes('yellow') ? 'yellow' : 'green',
    inference: inference ?? { status: 'green' },
    backend: {
      status,
      memoryIsAvailable: memoryHasRoom,
      storageIsAvailable: storageHasRoom ?? false,
      ...(engine.reasons !== undefined && { reasons: [...engine.reasons] }),
      ...(indexes.length > 0 && { indexes }),
    },
    ...(events !== undefined && { events }),
    ...(keys !== undefined && { keys }),
    ...(files !== undefined && { files }),
    ...(http !== undefined && { http }),
    ...(backups !== undefined && { backups }),
  };
}

function partOf(problems: Problems = []): schemas.Health['events'] {
  if (problems.length === 0) return undefined;
  const isRed = problems.some(({ status }) => status === 'red');
  return { status: isRed ? 'red' : 'yellow', reasons: problems.map(({ reason }) => reason) };
}

/** The part of the engine's health that is about one index. */
export function healthOfIndex(engine: StorageHealth, name: string): StorageHealth {
  const indexes = engine.indexes.filter((index) => index.name === name);
  // A fault of the whole is one of each index.
  const whole = engine.reasons === undefined ? 'green' : engine.status;
  return { ...engine, status: indexes[0]?.status ?? whole, indexes };
}
