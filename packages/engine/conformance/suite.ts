import { describe } from 'vitest';
import type { StorageEngine } from '../src/index.js';
import { documentPromises } from './documents.js';
import { faultPromises } from './faults.js';
import { indexPromises } from './indexes.js';
import { randomOperationPromises } from './random-operations.js';
import { rankedSearchPromises } from './ranked-searches.js';
import { restartPromises } from './restarts.js';
import { searchPromises } from './searches.js';
import { suggestionPromises } from './suggestions.js';

/** The source of an implementation's engines for the suite. */
export interface EngineSource {
  /** An engine without indexes. */
  open(): Promise<StorageEngine>;
  /** Opens anew the content of an engine of `open` that is closed by now. Left out where engines keep nothing. */
  reopen?(closed: StorageEngine): Promise<StorageEngine>;
  /** Closes an engine, which may be closed already, and removes its content, which may be gone already. */
  remove(engine: StorageEngine): Promise<void>;
}

/**
 * Every promise of {@link StorageEngine}, run against the engines of one implementation: searches are compared with
 * brute force over the same documents. An implementation tests itself for anything that it promises beyond the
 * interface.
 */
export function storageEngineSuite(name: string, source: EngineSource): void {
  describe(`${name}: indexes`, () => indexPromises(source));
  describe(`${name}: documents`, () => documentPromises(source));
  describe(`${name}: searches`, () => searchPromises(source));
  describe(`${name}: ranked searches`, () => rankedSearchPromises(source));
  describe(`${name}: suggestions`, () => suggestionPromises(source));
  describe(`${name}: faults`, () => faultPromises(source));
  describe(`${name}: random operations`, () => randomOperationPromises(source));
  if (source.reopen !== undefined) describe(`${name}: restarts`, () => restartPromises(source));
}
