import { ensureModel, type ModelProgress } from '@pelorus/inference';
import type { Config } from '@pelorus/server/config';
import { inferenceConfig } from '../inference-config.js';

/** Fetches a model unless it is here. The folder goes to stdout, progress to stderr. */
export async function pullModel(name: string, config: Config, err = process.stderr): Promise<void> {
  const folder = await ensureModel(name, progressOn(err), inferenceConfig(config));
  console.log(folder ?? `${name} needs no files`);
}

/** Says how far a file has come: redrawn on a terminal, elsewhere at every tenth. */
export function progressOn(out: NodeJS.WriteStream): (progress: ModelProgress) => void {
  let shown = '';
  return ({ way, file, receivedBytes, totalBytes }) => {
    const percent = totalBytes === null || totalBytes === 0 ? null : Math.floor((100 * receivedBytes) / totalBytes);
    const step = out.isTTY || percent === null ? percent : percent - (percent % 10);
    const far = step === null ? `${megabytes(receivedBytes)} MB` : `${step} % of ${megabytes(totalBytes as number)} MB`;
    const line = `${file} from ${way}: ${far}`;
    if (line === shown) return;
    shown = line;
    out.write(out.isTTY ? `\r${line}${percent === 100 ? '\n' : ''}` : `${line}\n`);
  };
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(1);
}
