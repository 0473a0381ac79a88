import { readdirSync, readFileSync } from 'node:fs';

/** The parts of a server by their threads: event loops, those that search, the helpers of JavaScript, all others. */
export type Part = 'event loops' | 'searches' | 'V8' | 'others';

export type PartSeconds = Readonly<Record<Part, number>>;

/** Processor seconds that each part of a process has used; null where the system does not tell. */
export function threadCpu(pid: number): PartSeconds | null {
  if (process.platform !== 'linux') return null;
  const parts = { 'event loops': 0, searches: 0, V8: 0, others: 0 };
  const tasks = `/proc/${pid}/task`;
  for (const thread of readdirSync(tasks)) {
    try {
      const [name, spent] = ['comm', 'schedstat'].map((file) => readFileSync(`${tasks}/${thread}/${file}`, 'utf8'));
      parts[partOf(name?.trim() ?? '')] += Number(spent?.split(' ')[0]) / 1e9;
    } catch {
      // It ended meanwhile.
    }
  }
  return parts;
}

/** The part of a thread, by its name as the system has it, in at most fifteen characters. */
export function partOf(name: string): Part {
  if (name === 'MainThread' || /^http-\d+$/.test(name)) return 'event loops';
  if (name.startsWith('pelorus-call-')) return 'searches';
  return name === 'V8Worker' || name.startsWith('DelayedTask') ? 'V8' : 'others';
}
