import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
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

/**
 * A virtual environment with `packages` and their dependencies, made once and kept beside the build. Returns its
 * interpreter.
 */
export function pythonWith(packages: readonly string[]): string {
  const folder = join(FOLDER, packages.join('-').replaceAll('==', '-'));
  const windows = process.platform === 'win32';
  const python = join(folder, ...(windows ? ['Scripts', 'python.exe'] : ['bin', 'python']));
  const complete = join(folder, 'complete');
  if (existsSync(complete)) return python;

  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  execFileSync(windows ? 'python' : 'python3', ['-m', 'venv', folder], { stdio: 'inherit' });
  execFileSync(python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...packages], {
    stdio: 'inherit',
  });
  writeFileSync(complete, '');
  return python;
}
