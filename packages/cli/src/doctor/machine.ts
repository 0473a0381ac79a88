import { readFile } from 'node:fs/promises';
import { availableParallelism, cpus, freemem, totalmem } from 'node:os';
import { type Config, loopCount } from '@pelorus/server/config';
import { bytesText, counted } from '../terminal/units.js';
import { advice, type Finding, fault, ok } from './finding.js';

/** Less than this a server with one small model does not have to itself. */
const FREE_BYTES_MIN = 2 ** 30;

/** Tells whether the native engine loads. */
export async function engineFinding(): Promise<Finding> {
  const platform = `${process.platform} ${process.arch}`;
  try {
    await import('@pelorus/engine');
    return ok('native engine', `loads on ${platform}`);
  } catch (error) {
    const remedy = 'install the package of this platform, or build it with `npm start` in a clone';
    return fault('native engine', (error as Error).message, remedy);
  }
}

/** Instructions that a table of kernels needs, by their names in /proc/cpuinfo; the fastest table first. */
const TABLES: readonly { readonly name: string; readonly needs: readonly string[] }[] = [
  { name: 'avx512', needs: ['avx512f', 'avx512bw', 'avx512vl', 'avx512_vnni'] },
  { name: 'avx2', needs: ['avx2', 'fma'] },
];

/**
 * The fastest kernels that a processor can run, by its flags; null where the system does not tell them.
 * @param cpuinfo text of /proc/cpuinfo
 */
export function kernelsOf(arch: string, cpuinfo: string | null): string | null {
  if (arch === 'arm64') return 'neon';
  if (cpuinfo === null) return null;
  const flags = new Set(/^flags\s*:(.*)$/m.exec(cpuinfo)?.[1]?.split(' ') ?? []);
  return TABLES.find(({ needs }) => needs.every((flag) => flags.has(flag)))?.name ?? 'scalar';
}

/** The kernels that compute distances. */
export async function kernelsFinding(): Promise<Finding> {
  const cpuinfo = await readFile('/proc/cpuinfo', 'utf8').catch(() => null);
  const kernels = kernelsOf(process.arch, cpuinfo);
  if (kernels === 'scalar') {
    return advice('kernels', 'scalar', 'searches are several times faster on a processor with AVX2 or AVX-512');
  }
  return ok('kernels', kernels ?? 'chosen at the start: this system does not list the instructions of its processor');
}

/** The program that runs models; a fault where it is one that is not installed. */
export async function encoderFinding({ encoder, encoderPrecision }: Pick<Config, 'encoder' | 'encoderPrecision'>) {
  try {
    const { encoderMachine, encoderText, runtimePackage } = await import('@pelorus/inference');
    const machine = encoderMachine();
    const found = encoderText(encoder, encoderPrecision, machine);
    if (machine.hasOnnxRuntime || encoder !== 'onnxruntime') return ok('encoder', found);
    return fault('encoder', found, `install ${runtimePackage()} in the version of pelorus, or set --encoder to auto`);
  } catch {
    return advice('encoder', 'unknown', 'let the native engine load first');
  }
}

/** The cores, and the threads that run models. */
export function processorFinding(
  config: Pick<Config, 'hosted' | 'httpThreads' | 'maxMemory' | 'inferenceThreads'>,
): Finding {
  const cores = availableParallelism();
  const model = cpus()[0]?.model.trim() || process.arch;
  const [http, models] = [loopCount(config), config.inferenceThreads ?? cores];
  const found = `${model}, ${counted(cores, 'core')}, ${counted(http, 'thread')} for HTTP, ${models} for models`;
  const beyond = models > cores ? '--inference-threads' : http > cores ? '--http-threads' : null;
  if (beyond === null) return ok('processor', found);
  return advice('processor', found, `${beyond} beyond ${cores} only take each other's time`);
}

/** The memory of the machine, or of the group of processes that limits it. */
export function memoryFinding(limit = process.constrainedMemory(), free = freemem(), total = totalmem()): Finding {
  const isLimited = limit > 0 && limit < total;
  const usable = isLimited ? Math.min(free, limit) : free;
  const found = `${bytesText(usable)} free of ${bytesText(isLimited ? limit : total)}`;
  if (usable >= FREE_BYTES_MIN) return ok('memory', found);
  return advice(
    'memory',
    found,
    `a model and its documents want ${bytesText(FREE_BYTES_MIN)} and more; --max-memory bounds them`,
  );
}
