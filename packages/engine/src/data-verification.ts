import type { engine } from '@pelorus/contract';
import { type DataVerifier, openDataVerifier } from '@pelorus/node';

export type IndexVerification = engine.IndexVerification;

/**
 * A data directory of an embedded engine that nobody uses, held until this process ends, checked, and not changed. Reads files on
 * the thread that calls.
 */
export class DataVerification {
  readonly #verifier: DataVerifier;

  /** @throws EngineError `data_directory_in_use`, `data_directory_unreadable`, `newer_format` */
  constructor(path: string) {
    this.#verifier = openDataVerifier(path);
  }

  get indexCount(): number {
    return this.#verifier.indexCount;
  }

  /** Checks the index with a number, from 0; `progress` is told how many documents of how many were read. */
  verify(number: number, progress: (done: number, total: number) => void): IndexVerification {
    const found = this.#verifier.verify(number, progress);
    if (found === null) throw new RangeError(`there is no index ${number}`);
    return JSON.parse(found) as IndexVerification;
  }
}
