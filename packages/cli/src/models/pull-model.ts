import { ensureModel, type ModelProgress, modelNames } from '@pelorus/inference';
import type { Config } from '@pelorus/server/config';
import { inferenceConfig } from '../inference-config.js';
import { ExitCode, StartFailure } from '../start-failure.js';
import { printJson } from '../terminal/json.js';
import { inOneLine } from '../terminal/width.js';
import { nearestNames } from './nearest-names.js';

/**
 * Fetches a model unless it is here. The folder goes to stdout, as JSON `{"model", "folder"}`; progress goes to stderr.
 * @throws StartFailure for a name that stands for no model, with those most like it
 */
export async function pullModel(name: string, config: Config, json = false, err = process.stderr): Promise<void> {
  const inference = inferenceConfig(config);
  requireName(name, modelNames(inference));
  const folder = await ensureModel(name, progressOn(err), inference);
  if (json) printJson({ model: name, folder });
  else console.log(folder ?? `${name} needs no files`);
}

/** @throws StartFailure for a name that stands for no model, with those most like it */
export function requireName(name: string, names: readonly string[]): void {
  if (name === 'no_model' || names.includes(name)) return;
  const nearest = nearestNames(name, names);
  const like = nearest.length === 0 ? 'none is like it' : `the names most like it: ${nearest.join(', ')}`;
  const all = '`pelorus models list --all` lists every name, and a file given with --models may have more';
  throw new StartFailure(ExitCode.BAD_CONFIGURATION, `There is no model ${JSON.stringify(name)}; ${like}. ${all}`);
}

/** Says how far a file has come: redrawn on a terminal, elsewhere at every tenth. */
export function progressOn(out: NodeJS.WriteStream): (progress: ModelProgress) => void {
  let shown = '';
  return ({ way, file, receivedBytes, totalBytes }) => {
    const percent = totalBytes === null || totalBytes === 0 ? null : Math.floor((100 * receivedBytes) / totalBytes);
    const step = out.isTTY || percent === null ? percent : percent - (percent % 10);
    const far = step === null ? `${megabytes(receivedBytes)} MB` : `${step} % of ${megabytes(totalBytes as number)} MB`;
    const line = inOneLine(`${file} from ${way}: ${far}`);
    if (line === shown) return;
    shown = line;
    out.write(out.isTTY ? `\r${line}${percent === 100 ? '\n' : ''}` : `${line}\n`);
  };
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(1);
}
