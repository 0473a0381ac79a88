import { createWriteStream } from 'node:fs';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { RecordingFile } from './ffmpeg.js';
import type { Body } from './media-memory.js';
import { type Claim, Semaphore } from './semaphore.js';

/** A film or sound on the disk, until it is released. */
export interface StoredRecording {
  readonly file: RecordingFile;
  /** Deletes it. */
  release(): Promise<void>;
}

/** Bytes of all films and sounds that lie on the disk at once. */
const BYTES_MAX = 4 * 1024 * 1024 * 1024;
const NAME = 'recording';
const PREFIX = 'pelorus-recording-';
/** Older files belong to no request any more: their server was killed. */
const LEFT_BEHIND_MS = 24 * 3600 * 1000;

/** Films and sounds that were fetched, as temporary files: each in a folder that only this user can look into. */
export class RecordingFiles {
  readonly #bytes = new Semaphore(BYTES_MAX);
  #swept: Promise<void> | null = null;

  /**
   * Receives a film or sound, for which its sender has to wait where there is no room.
   * @param bytesMax what a body of unknown length is given room for
   * @throws what its chunks throw, and the reason of the claim's signal once it is aborted
   */
  async store({ length, chunks, untimed }: Body, bytesMax: number, claim: Claim): Promise<StoredRecording> {
    const permit = await untimed(() => this.#bytes.acquire(length ?? bytesMax, claim));
    let folder: string | null = null;
    const release = async () => {
      if (folder !== null) await rm(folder, { recursive: true, force: true });
      permit.release();
    };
    try {
      this.#swept ??= sweep(tmpdir());
      await this.#swept;
      folder = await mkdtemp(join(tmpdir(), PREFIX));
      await pipeline(chunks, createWriteStream(join(folder, NAME), { mode: 0o600 }));
      return { file: { folder, name: NAME }, release };
    } catch (error) {
      await release();
      throw error;
    }
  }
}

/** Deletes what servers that were killed left behind. */
async function sweep(parent: string): Promise<void> {
  const names = await readdir(parent).catch(() => []);
  for (const name of names.filter((name) => name.startsWith(PREFIX))) {
    const folder = join(parent, name);
    try {
      const { mtimeMs } = await stat(folder);
      if (Date.now() - mtimeMs > LEFT_BEHIND_MS) await rm(folder, { recursive: true, force: true });
    } catch {
      // It is another user's, or another server was faster.
    }
  }
}
