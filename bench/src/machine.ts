import { cpus, release, totalmem, type } from 'node:os';

/** The facts on which a figure depends besides the code. */
export interface Machine {
  cpu: string;
  cores: number;
  memoryGiB: number;
  system: string;
  node: string;
  date: string;
}

export function machine(): Machine {
  const processors = cpus();
  return {
    cpu: processors[0]?.model.trim() ?? 'unknown',
    cores: processors.length,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    system: `${type()} ${release()}`,
    node: process.version,
    date: new Date().toISOString().slice(0, 10),
  };
}
