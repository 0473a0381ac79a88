import { ensureModel, type InferenceConfig, type ModelProgress } from '@pelorus/inference';

/** Fetches a model unless it is here. The folder goes to stdout, progress to stderr. */
export async function pullModel(name: string, config: InferenceConfig, err = process.stderr): Promise<void> {
  const folder = await ensureModel(name, progressOn(err), config);
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
