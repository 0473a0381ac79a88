import { readdirSync, readFileSync } from 'node:fs';

/** Ticks of a second in which Linux counts processor time. */
const TICKS = 100;

interface Entry {
  parent: number;
  /** Seconds of it and of its children that have ended. */
  cpuSeconds: number;
}

/** The figures of a process and all that it started; null where the system does not tell. */
export interface TreeUse {
  cpuSeconds: number;
  residentBytes: number;
}

export function useOf(pid: number): TreeUse | null {
  if (process.platform !== 'linux') return null;
  const entries = new Map<number, Entry>();
  for (const name of readdirSync('/proc')) {
    const entry = /^\d+$/.test(name) ? entryOf(name) : null;
    if (entry !== null) entries.set(Number(name), entry);
  }
  const use = { cpuSeconds: 0, residentBytes: 0 };
  for (const [id, { cpuSeconds }] of entries) {
    if (!isBelow(id, pid, entries)) continue;
    use.cpuSeconds += cpuSeconds;
    use.residentBytes += proportionalBytes(id);
  }
  return use;
}

function isBelow(id: number, root: number, entries: ReadonlyMap<number, Entry>): boolean {
  for (let at: number | undefined = id; at !== undefined && at > 1; at = entries.get(at)?.parent) {
    if (at === root) return true;
  }
  return false;
}

/** Null for one that has ended meanwhile. */
function entryOf(pid: string): Entry | null {
  try {
    return parseStat(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return null;
  }
}

/** The line of a process; its name may hold blanks and brackets. */
export function parseStat(line: string): Entry {
  const fields = line
    .slice(line.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
  // Behind the state: the parent first, and user and system time of itself and of ended children from the eleventh on.
  const ticks = fields.slice(11, 15).reduce((sum, each) => sum + each, 0);
  return { parent: fields[1] ?? 0, cpuSeconds: ticks / TICKS };
}

/** Bytes in memory; what several processes share counts once among them. */
function proportionalBytes(pid: number): number {
  try {
    const [, kilobytes] = /^Pss: +(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')) ?? [];
    return Number(kilobytes ?? 0) * 1024;
  } catch {
    return 0;
  }
}
