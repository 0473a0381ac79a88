import { describe, test } from 'vitest';
import type { StorageEngine } from '../src/index.js';
import { aliasPromises } from './aliases.js';
import { documentPromises } from './documents.js';
import { faultPromises } from './faults.js';
import { indexPromises } from './indexes.js';
import { randomOperationPromises } from './random-operations.js';
import { rankedSearchPromises } from './ranked-searches.js';
import { restartPromises } from './restarts.js';
import { scanPromises } from './scans.js';
import { searchPromises } from './searches.js';
import { suggestionPromises } from './suggestions.js';
import { updatePromises } from './updates.js';

/** A part of the interface that an implementation may not serve yet. */
export type Part =
  | 'redefinitions'
  | 'aliases'
  | 'updates'
  | 'scans'
  | 'searches'
  | 'ranked searches'
  | 'suggestions'
  | 'memory';

/** The source of an implementation's engines for the suite. */
export interface EngineSource {
  /** An engine without indexes. */
  open(): Promise<StorageEngine>;
  /** Opens anew the content of an engine of `open` that is closed by now. Left out where engines keep nothing. */
  reopen?(closed: StorageEngine): Promise<StorageEngine>;
  /** Closes an engine, which may be closed already, and removes its content, which may be gone already. */
  remove(engine: StorageEngine): Promise<void>;
  /** Parts that are not served yet: tests that need one are left out. */
  readonly lacks?: readonly Part[];
  /** Random operations in all: fewer where each is a request to another machine. */
  readonly randomOperations?: number;
}

/** The `test` of promises that need a part of the interface. */
export function testOf(source: EngineSource, part: Part): typeof test.skip {
  return source.lacks?.includes(part) === true ? test.skip : test;
}

/**
 * Every promise of {@link StorageEngine}, run against the engines of one implementation: searches are compared with
 * brute force over the same documents. An implementation tests itself for anything that it promises beyond the
 * interface.
 */
export function storageEngineSuite(name: string, source: EngineSource): void {
  const part = (title: string, needs: readonly Part[], promises: (source: EngineSource) => void): void => {
    if (needs.some((one) => source.lacks?.includes(one))) return;
    describe(`${name}: ${title}`, () => promises(source));
  };
  part('indexes', [], indexPromises);
  part('aliases', ['aliases'], aliasPromises);
  part('documents', [], documentPromises);
  part('updates', ['updates'], updatePromises);
  part('scans', ['scans'], scanPromises);
  part('searches', ['searches'], searchPromises);
  part('ranked searches', ['searches', 'ranked searches'], rankedSearchPromises);
  part('suggestions', ['suggestions'], suggestionPromises);
  part('faults', [], faultPromises);
  part('random operations', ['searches', 'updates', 'scans'], randomOperationPromises);
  if (source.reopen !== undefined) part('restarts', ['searches', 'suggestions'], restartPromises);
}
