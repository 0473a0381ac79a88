import { type ExportOptions, exportModel } from '@pelorus/inference';
import type { Config } from '@pelorus/server/config';
import { inferenceConfig } from '../inference-config.js';
import { ExitCode, StartFailure } from '../start-failure.js';
import { printJson } from '../terminal/json.js';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Exports a model with the operator's Python. The folder goes to stdout, as JSON `{"model", "folder", "cosine", "inputs"}`;
 * what the libraries print and how near the export is to stderr. A signal ends it, and nothing is left.
 */
export async function exportByName(
  name: string,
  options: Omit<ExportOptions, 'signal' | 'onOutput'>,
  config: Config,
  json = false,
  err: { write(text: string): unknown } = process.stderr,
): Promise<void> {
  const stopped = new AbortController();
  const stop = () => stopped.abort();
  for (const signal of SIGNALS) process.once(signal, stop);
  try {
    const { signal } = stopped;
    const onOutput = (text: string) => err.write(text);
    const { folder, isInPlace, cosine, inputCount } = await exportModel(
      name,
      { ...options, signal, onOutput },
      inferenceConfig(config),
    );
    err.write(`The cosine to the original's vectors is ${cosine.toFixed(7)} or more, of ${inputCount} inputs.\n`);
    if (!isInPlace) err.write(`For the file given with --models: ${JSON.stringify(name)}: ${lineOf(folder)}\n`);
    if (json) printJson({ model: name, folder, cosine, inputs: inputCount });
    else console.log(folder);
  } catch (error) {
    if (!stopped.signal.aborted) throw error;
    throw new StartFailure(ExitCode.FAILED, `The export of ${name} was stopped. Nothing of it is left.`);
  } finally {
    for (const signal of SIGNALS) process.off(signal, stop);
  }
}

const lineOf = (folder: string) => JSON.stringify({ folder });
