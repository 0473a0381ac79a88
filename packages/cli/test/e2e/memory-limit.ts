import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A memory limit of the operating system for one process and its children. */
export interface MemoryLimit {
  /** Put in front of a command, it runs that command under the limit. */
  readonly inside: readonly string[];
  /** To be called when the process has ended. */
  remove(): void;
}

/** A limit of so many bytes, swap included where the system can; null where none can be had. */
export function memoryLimit(bytes: number): MemoryLimit | null {
  if (process.platform !== 'linux') return null;
  return (
    controlGroup('/sys/fs/cgroup/memory', { 'memory.limit_in_bytes': bytes, 'memory.memsw.limit_in_bytes': bytes }) ??
    controlGroup('/sys/fs/cgroup', { 'memory.max': bytes, 'memory.swap.max': 0 }) ??
    systemdScope(bytes)
  );
}

/** A control group of our own below `parent`. Its first limit must hold, the others may be unknown. */
function controlGroup(parent: string, limits: Readonly<Record<string, number>>): MemoryLimit | null {
  const group = join(parent, `pelorus-test-${process.pid}`);
  const remove = () => rmdirSync(group);
  try {
    mkdirSync(group);
  } catch {
    return null;
  }
  try {
    const [required = ''] = Object.keys(limits);
    for (const [file, value] of Object.entries(limits)) {
      if (existsSync(join(group, file))) writeFileSync(join(group, file), String(value));
    }
    if (Number(readFileSync(join(group, required), 'utf8')) !== limits[required]) throw new Error('no such limit');
    const joinAndRun = `echo $$ > ${group}/cgroup.procs && exec "$@"`;
    const inside = ['sh', '-c', joinAndRun, 'sh'];
    if (spawnSync('sh', ['-c', joinAndRun, 'sh', 'true']).status !== 0) throw new Error('nobody may join');
    return { inside, remove };
  } catch {
    remove();
    return null;
  }
}

function systemdScope(bytes: number): MemoryLimit | null {
  const inside = ['systemd-run', '--scope', '--quiet', '-p', `MemoryMax=${bytes}`, '-p', 'MemorySwapMax=0'];
  const works = spawnSync('systemd-run', [...inside.slice(1), 'true']).status === 0;
  return works ? { inside, remove: () => undefined } : null;
}
