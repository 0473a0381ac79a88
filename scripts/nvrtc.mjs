// npm run nvrtc: fetches NVIDIA's compiler, 43 MB, with which the tests compile the GPU kernels. It needs no GPU.
//
// A wheel of PyPI, checked by the hash in `nvrtc.txt`; what is kept of it, 113 MB, lies in `target/nvrtc`. Nothing else
// fetches it but the run of CI: without it those tests are skipped and say so.
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { mustRun } from './command.mjs';
import { runOrExplain, SetupFailure } from './failure.mjs';
import { fromRoot } from './paths.mjs';

const REQUIREMENTS = fromRoot('scripts/nvrtc.txt');
const FOLDER = fromRoot('target/nvrtc');
const STAMP = join(FOLDER, 'nvrtc.txt');

/** The compiler and what it opens as it runs; the package brings a second build of both. */
const LIBRARY = /^libnvrtc(-builtins)?\.so\.[\d.]+$/;

await runOrExplain(async () => {
  const requirements = readFileSync(REQUIREMENTS, 'utf8');
  if (existsSync(STAMP) && readFileSync(STAMP, 'utf8') === requirements) return 0;
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    throw new SetupFailure('NVRTC is fetched for 64-bit Linux on x86 only; PELORUS_NVRTC names another for the tests.');
  }
  const draft = `${FOLDER}.${process.pid}`;
  rmSync(draft, { recursive: true, force: true });
  try {
    await mustRun('python3', ['-m', 'venv', draft]);
    const python = join(draft, 'bin', 'python');
    const install = [
      '-m',
      'pip',
      'install',
      '--quiet',
      '--disable-pip-version-check',
      '--no-deps',
      '--only-binary',
      ':all:',
    ];
    const to = join(draft, 'packages');
    await mustRun(python, [...install, '--require-hashes', '--target', to, '--requirement', REQUIREMENTS]);
    const libraries = join(to, 'nvidia', 'cuda_nvrtc', 'lib');
    const kept = join(draft, 'nvrtc');
    mkdirSync(kept);
    for (const file of readdirSync(libraries).filter((name) => LIBRARY.test(name))) {
      renameSync(join(libraries, file), join(kept, file));
    }
    writeFileSync(join(kept, 'nvrtc.txt'), requirements);
    rmSync(FOLDER, { recursive: true, force: true });
    renameSync(kept, FOLDER);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
  console.log(`NVRTC lies in ${FOLDER}`);
  return 0;
});
