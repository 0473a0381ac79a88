import { execFileSync } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const FOLDER = fileURLToPath(new URL('../../../../target/python', import.meta.url));

/** The release of the official client that is put to the test. */
export const officialClient = ['marqo==3.18.2'];

/** The generator of requests from the contract, and the two packages that choose their contents. */
export const schemathesis = ['schemathesis==4.32.5', 'hypothesis==6.170.15', 'jsonschema-rs==0.60.3'];

/** The packages of an independent pipeline of joint models. */
export const jointModels = [
  ...['pillow==12.3.0', 'numpy==2.4.6', 'onnx==1.23.2', 'onnxruntime==1.32.0'],
  ...['tokenizers==0.23.3', 'ftfy==6.3.1'],
];

/** The server of Chroma is one file of its package: it needs none of what the package asks for. */
export const chroma = ['--no-deps', 'chromadb==1.5.9'];

/**
 * A virtual environment with `packages` and their dependencies, made once and kept beside the build. Returns its
 * interpreter. Test files that run at once may each make one; the last that is complete is kept.
 */
export function pythonWith(packages: readonly string[]): string {
  return environment(packages.join('-').replaceAll('==', '-'), packages);
}

/** As `pythonWith`, with the packages that a file lists, and no others. They are compiled as they are imported. */
export function pythonOf(requirements: string): string {
  const hash = createHash('sha256').update(readFileSync(requirements)).digest('hex').slice(0, 16);
  const as = ['--no-deps', '--no-compile', '--only-binary', ':all:'];
  return environment(`${basename(requirements, '.txt')}-${hash}`, [...as, '--requirement', requirements]);
}

function environment(name: string, packages: readonly string[]): string {
  const folder = join(FOLDER, name);
  const windows = process.platform === 'win32';
  const interpreterOf = (environment: string) =>
    join(folder, environment, ...(windows ? ['Scripts', 'python.exe'] : ['bin', 'python']));
  const complete = join(folder, 'complete');
  if (existsSync(complete)) return interpreterOf(readFileSync(complete, 'utf8'));

  const environment = randomUUID();
  const python = interpreterOf(environment);
  mkdirSync(folder, { recursive: true });
  execFileSync(windows ? 'python' : 'python3', ['-m', 'venv', join(folder, environment)], { stdio: 'inherit' });
  execFileSync(python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...packages], {
    stdio: 'inherit',
  });
  const draft = `${complete}.${environment}`;
  writeFileSync(draft, environment);
  renameSync(draft, complete);
  return python;
}
