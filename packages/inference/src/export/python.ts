import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { unusableModel } from '../registry/model-error.js';
import type { Recipe } from '../registry/recipe.js';
import { schemaCheck } from '../schema-check.js';

const SCRIPT = fileURLToPath(new URL('../../python/export_model.py', import.meta.url));

const ANSWER = 'answer.json';

/** The files that a recipe made, and the original's vectors for some inputs. */
export interface Exported {
  /** Paths within the folder. */
  readonly files: readonly string[];
  /** Libraries and their versions, for people. */
  readonly madeWith: string;
  /** Files of the original's pipeline, where it has them. */
  readonly poolingConfig?: unknown;
  readonly modules?: unknown;
  /** Vectors by how they were made: by a `pipeline`, by a `tower`, or by the `mean` or `cls` of hidden states. */
  readonly texts: readonly { readonly text: string; readonly vectors: Readonly<Record<string, readonly number[]>> }[];
  readonly pictures: readonly { readonly png: string; readonly vector: readonly number[] }[];
  /** Inputs and outputs of a graph that gives no vectors: base64 of 32-bit floats. */
  readonly runs?: readonly GraphRun[];
}

export interface GraphRun {
  readonly input: string;
  readonly outputs: Readonly<Record<string, string>>;
}

type Answer = { readonly missing: readonly string[] } | { readonly error: string } | Exported;

const vector = { type: 'array', items: { type: 'number' } };
const object = (properties: Readonly<Record<string, object>>) => ({
  type: 'object',
  required: Object.keys(properties),
  properties,
});
const list = (items: object) => ({ type: 'array', items });
const text = { type: 'string' };
const always = object({
  files: list(text),
  madeWith: text,
  texts: list(object({ text, vectors: { type: 'object', additionalProperties: vector } })),
  pictures: list(object({ png: text, vector })),
});
const runs = list(object({ input: text, outputs: { type: 'object', additionalProperties: text } }));
const checkExported = schemaCheck<Exported>({ ...always, properties: { ...always.properties, runs } });

export interface PythonOptions {
  /** The interpreter, by its name on the path or its file. */
  readonly python: string;
  readonly signal?: AbortSignal | undefined;
  /** Told the output of the libraries. */
  readonly onOutput?: ((text: string) => void) | undefined;
}

/**
 * Runs a recipe, which fills `folder`. The process does not outlive this one.
 *
 * @throws PelorusError `bad_request` with the missing packages and how they are installed, or with the error
 * @throws the reason of `signal` once it is aborted; the process has ended by then
 */
export async function runRecipe(
  name: string,
  recipe: Recipe,
  folder: string,
  { python, signal, onOutput }: PythonOptions,
): Promise<Exported> {
  const answer = join(folder, ANSWER);
  const { needs } = recipe;
  const ended = await run(python, JSON.stringify({ ...recipe, folder, answer }), { signal, onOutput });
  signal?.throwIfAborted();
  if (ended === 'absent') {
    const all = needs.map((one) => one.package);
    throw unusableModel(
      `${name} is exported by Python with ${listed(all)}, and there is no program "${python}". Install Python 3.9 or ` +
        `newer with "pip install ${all.join(' ')}", or name one that has them with --python`,
    );
  }
  const given = await readAnswer(answer);
  if (given === null) throw unusableModel(`The export of ${name} ended without an answer: ${ended}`);
  if ('missing' in given) {
    throw unusableModel(
      `${name} is exported by Python with ${listed(needs.map((one) => one.package))}; ${python} has no ` +
        `${listed(given.missing)}. To install what is missing, run "${python} -m pip install ${given.missing.join(' ')}"`,
    );
  }
  if ('error' in given) throw unusableModel(`The export of ${name} failed: ${given.error}`);
  const checked = checkExported(given);
  if ('value' in checked) return checked.value;
  throw unusableModel(`The export of ${name} gave an odd answer: ${[...checked.path, checked.problem].join(' ')}`);
}

/** Runs the script to its end and says how it ended. */
async function run(
  python: string,
  job: string,
  { signal, onOutput }: Omit<PythonOptions, 'python'>,
): Promise<'absent' | string> {
  const { promise, resolve } = Promise.withResolvers<'absent' | string>();
  const child = spawn(python, ['-B', '-X', 'utf8', SCRIPT], { stdio: 'pipe', windowsHide: true });
  const kill = () => child.kill('SIGKILL');
  if (signal?.aborted) kill();
  signal?.addEventListener('abort', kill);
  child.on('error', (error: NodeJS.ErrnoException) => {
    // A child that was started has a number; a later failure shows when it ends.
    if (child.pid === undefined) resolve(error.code === 'ENOENT' ? 'absent' : error.message);
  });
  child.on('close', (code, by) => resolve(by === null ? `exit code ${code}` : `ended by ${by}`));
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (printed: string) => onOutput?.(printed));
  }
  // The input stays open: its end tells the script that nobody waits any more.
  child.stdin.on('error', () => undefined);
  child.stdin.write(`${job}\n`);
  const ended = await promise;
  signal?.removeEventListener('abort', kill);
  return ended;
}

async function readAnswer(path: string): Promise<Answer | null> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as Answer;
  } catch {
    return null;
  }
}

function listed(names: readonly string[]): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}
