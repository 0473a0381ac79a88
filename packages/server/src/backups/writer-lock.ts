import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { PelorusError } from '@pelorus/contract';
import type { Destination } from './destination.js';

const FOLDER = 'locks/';
/** Interval at which a lock is renewed, and the time after which one that was not is nobody's. */
const RENEWED_MS = 10_000;
const STALE_MS = 60_000;

interface Holder {
  readonly host: string;
  readonly pid: number;
  readonly renewedAt: string;
}

/** Locks that this process holds. */
const held = new Set<string>();

/**
 * Lets one writer at a time change a destination, on whatever machine: a backup counts on pieces that it found, and a
 * removal would take them away. Each writes its word first and looks for others then, so that of two at once at least one
 * sees the other. A lock is nobody's at once where its process is known to be gone, and else after a minute.
 */
export class WriterLock {
  readonly #destination: Destination;
  readonly #name: string;
  readonly #timer: NodeJS.Timeout;

  private constructor(destination: Destination, name: string) {
    this.#destination = destination;
    this.#name = name;
    // One that cannot be renewed is found out as it is checked.
    this.#timer = setInterval(() => void write(destination, name).catch(() => undefined), RENEWED_MS).unref();
  }

  /** @throws PelorusError `backup_conflict` where another has it */
  static async acquire(destination: Destination): Promise<WriterLock> {
    const name = `${FOLDER}${randomUUID()}.json`;
    held.add(name);
    try {
      await write(destination, name);
      for await (const other of destination.list(FOLDER)) {
        if (other.name !== name) await requireStale(destination, other.name);
      }
    } catch (error) {
      held.delete(name);
      await destination.remove(name).catch(() => undefined);
      throw error;
    }
    return new WriterLock(destination, name);
  }

  /** @throws PelorusError `backup_conflict` where another took it for nobody's */
  async check(): Promise<void> {
    if ((await this.#destination.read(this.#name)) !== null) return;
    throw new PelorusError(
      'backup_conflict',
      'This work on backups stood still for so long that other work began: begin it again',
    );
  }

  async release(): Promise<void> {
    clearInterval(this.#timer);
    held.delete(this.#name);
    await this.#destination.remove(this.#name);
  }
}

async function write(destination: Destination, name: string): Promise<void> {
  const holder: Holder = { host: hostname(), pid: process.pid, renewedAt: new Date().toISOString() };
  await destination.write(name, Buffer.from(JSON.stringify(holder)));
}

/** Removes the lock of a writer that is gone. */
async function requireStale(destination: Destination, name: string): Promise<void> {
  const bytes = await destination.read(name);
  if (bytes === null) return;
  const holder = holderOf(bytes);
  const isStale = holder === null || isGone(holder, name) || Date.now() - Date.parse(holder.renewedAt) > STALE_MS;
  if (!isStale) {
    throw new PelorusError(
      'backup_conflict',
      `Other work on the backups of ${destination.text} is under way, of process ${holder.pid} on ${holder.host}: try again later`,
      { headers: { 'retry-after': String(STALE_MS / 1000) } },
    );
  }
  await destination.remove(name);
}

function holderOf(bytes: Buffer): Holder | null {
  try {
    const { host, pid, renewedAt } = JSON.parse(bytes.toString()) as Partial<Holder>;
    const isOne = typeof host === 'string' && typeof pid === 'number' && Number.isFinite(Date.parse(renewedAt ?? ''));
    return isOne ? { host, pid, renewedAt: renewedAt ?? '' } : null;
  } catch {
    return null;
  }
}

function isGone({ host, pid }: Holder, name: string): boolean {
  if (host !== hostname()) return false;
  if (pid === process.pid) return !held.has(name);
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}
