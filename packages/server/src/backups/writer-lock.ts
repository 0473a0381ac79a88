import { randomUUID } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
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
  /** Tells the process numbers of one system from those of another; null where nothing does. */
  readonly system: string | null;
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
  /** Locks that this writer took for nobody's, and removed. */
  readonly #taken: readonly string[];
  readonly #timer: NodeJS.Timeout;
  #renewing: Promise<void> = Promise.resolve();

  private constructor(destination: Destination, name: string, taken: readonly string[]) {
    this.#destination = destination;
    this.#name = name;
    this.#taken = taken;
    // One that cannot be renewed is found out as it is checked.
    this.#timer = setInterval(() => void this.renew().catch(() => undefined), RENEWED_MS).unref();
  }

  /** @throws PelorusError `backup_conflict` where another has it */
  static async acquire(destination: Destination): Promise<WriterLock> {
    const name = `${FOLDER}${randomUUID()}.json`;
    const taken: string[] = [];
    held.add(name);
    try {
      await write(destination, name);
      for await (const { name: other } of destination.list(FOLDER)) {
        if (other !== name && (await isStale(destination, other))) taken.push(other);
      }
      await destination.remove(taken);
    } catch (error) {
      held.delete(name);
      await destination.remove([name]).catch(() => undefined);
      throw error;
    }
    return new WriterLock(destination, name, taken);
  }

  /** Renews it, as it does by itself. A lock that another removed stays removed: by now the other is at work. */
  renew(): Promise<void> {
    this.#renewing = this.#renewing.catch(() => undefined).then(() => this.#renew());
    return this.#renewing;
  }

  async #renew(): Promise<void> {
    if ((await this.#destination.read(this.#name)) !== null) await write(this.#destination, this.#name);
  }

  /**
   * Makes sure that no other is at work.
   * @throws PelorusError `backup_conflict` where another took it for nobody's, or renewed one that was taken for nobody's
   */
  async check(): Promise<void> {
    if ((await this.#destination.read(this.#name)) === null) {
      throw new PelorusError(
        'backup_conflict',
        'This work on backups stood still for so long that other work began: begin it again',
      );
    }
    for (const other of this.#taken) {
      if ((await this.#destination.read(other)) !== null) await isStale(this.#destination, other);
    }
  }

  async release(): Promise<void> {
    clearInterval(this.#timer);
    // One that is under way would put it back.
    await this.#renewing.catch(() => undefined);
    held.delete(this.#name);
    await this.#destination.remove([this.#name]);
  }
}

async function write(destination: Destination, name: string): Promise<void> {
  const renewedAt = new Date().toISOString();
  const holder: Holder = { host: hostname(), pid: process.pid, system: thisSystem(), renewedAt };
  await destination.write(name, Buffer.from(JSON.stringify(holder)));
}

/**
 * Tells whether the writer of a lock is gone.
 * @throws PelorusError `backup_conflict` where it is at work
 */
async function isStale(destination: Destination, name: string): Promise<boolean> {
  const bytes = await destination.read(name);
  if (bytes === null) return false;
  const holder = holderOf(bytes);
  if (holder === null || isGone(holder, name) || Date.now() - Date.parse(holder.renewedAt) > STALE_MS) return true;
  throw new PelorusError(
    'backup_conflict',
    `Other work on the backups of ${destination.text} is under way, of process ${holder.pid} on ${holder.host}: try again later`,
    { headers: { 'retry-after': String(STALE_MS / 1000) } },
  );
}

function holderOf(bytes: Buffer): Holder | null {
  try {
    const { host, pid, system = null, renewedAt = '' } = JSON.parse(bytes.toString()) as Partial<Holder>;
    const isOne = typeof host === 'string' && typeof pid === 'number' && Number.isFinite(Date.parse(renewedAt));
    return isOne ? { host, pid, system, renewedAt } : null;
  } catch {
    return null;
  }
}

/** Containers may have one host name, and the same process numbers, on machines far apart. */
function isGone({ host, pid, system }: Holder, name: string): boolean {
  if (host !== hostname() || system !== thisSystem()) return false;
  if (pid === process.pid) return !held.has(name);
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}

/** The boot of this system, and the space of process numbers that this process is in; null but on Linux. */
function thisSystem(): string | null {
  if (process.platform !== 'linux') return null;
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim();
    return `${boot} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return null;
  }
}
