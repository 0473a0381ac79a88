import { readFile, stat } from 'node:fs/promises';
import { CALIBRATED_COSINE, calibrateModel, modelNames } from '@pelorus/inference';
import type { Config } from '@pelorus/server/config';
import { inferenceConfig } from '../inference-config.js';
import { ExitCode, StartFailure } from '../start-failure.js';
import { printJson } from '../terminal/json.js';
import { progressOn, requireName } from './pull-model.js';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

interface CalibrateFlags {
  /** File of texts, one a line. */
  readonly texts: string | undefined;
  readonly output: string | undefined;
}

/**
 * Calibrates a model for int8. The file goes to stdout, as JSON `{"model", "file", "texts", "cosine"}`; progress, and how
 * near its vectors are to those of f32, to stderr. A signal ends it, and nothing is left.
 * @throws StartFailure for a name that stands for no model, and for texts that cannot be read
 */
export async function calibrateByName(
  name: string,
  { texts: textsFile, output }: CalibrateFlags,
  config: Config,
  json = false,
  err = process.stderr,
): Promise<void> {
  const inference = inferenceConfig(config);
  requireName(name, modelNames(inference));
  const texts = textsFile === undefined ? undefined : await linesOf(textsFile);
  const stopped = new AbortController();
  const stop = () => stopped.abort();
  for (const signal of SIGNALS) process.once(signal, stop);
  try {
    const { signal } = stopped;
    const onTexts = textsOn(err);
    const options = { texts, output, signal, onTexts, onProgress: progressOn(err) };
    const { file, place, textCount, cosine } = await calibrateModel(name, options, inference);
    const { least, mean } = cosine;
    err.write(`The cosine of int8 to f32 is ${mean.toFixed(5)} in the mean and ${least.toFixed(5)} at least.\n`);
    if (mean < CALIBRATED_COSINE) {
      err.write(
        `That is less than ${CALIBRATED_COSINE}: calibrate with texts of your own (--texts), or use bf16 or f32.\n`,
      );
    }
    if (file !== place) err.write(`A server looks for it in ${place}.\n`);
    if (json) printJson({ model: name, file, texts: textCount, cosine });
    else console.log(file);
  } catch (error) {
    if (!stopped.signal.aborted) throw error;
    throw new StartFailure(ExitCode.FAILED, `The calibration of ${name} was stopped. Nothing of it is left.`);
  } finally {
    for (const signal of SIGNALS) process.off(signal, stop);
  }
}

/** Most bytes of a file of texts: more of them make no better calibration. */
const TEXTS_BYTES_MAX = 16 * 1024 * 1024;

async function linesOf(file: string): Promise<string[]> {
  const unreadable = (error: Error) => {
    throw new StartFailure(ExitCode.BAD_CONFIGURATION, `The texts in ${file} cannot be read: ${error.message}`);
  };
  const { size } = await stat(file).catch(unreadable);
  if (size > TEXTS_BYTES_MAX) {
    throw new StartFailure(
      ExitCode.BAD_CONFIGURATION,
      `The file ${file} has ${size} bytes of texts, expected at most ${TEXTS_BYTES_MAX}: a few hundred texts are enough`,
    );
  }
  const lines = (await readFile(file, 'utf8').catch(unreadable)).split(/\r?\n/).filter((line) => line.trim() !== '');
  if (lines.length > 0) return lines;
  throw new StartFailure(ExitCode.BAD_CONFIGURATION, `There are no texts in ${file}, expected one a line`);
}

/** Says how many texts are done: redrawn on a terminal, elsewhere at every fifth of them. */
function textsOn(out: NodeJS.WriteStream): (done: number, all: number) => void {
  let shown = -1;
  return (done, all) => {
    const fifth = Math.floor((5 * done) / all);
    if (!out.isTTY && fifth === shown) return;
    shown = fifth;
    out.write(out.isTTY ? `\r${done} of ${all} texts${done === all ? '\n' : ''}` : `${done} of ${all} texts\n`);
  };
}
