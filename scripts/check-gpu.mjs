// npm run check:gpu: checks the encoders and kernels on a GPU.
//
// `prepare FOLDER CAPABILITY...` builds the program and compiles the kernels, here, without a GPU; 90 is 9.0, and without
// any those of the last years are taken. The folder travels, and `FOLDER/run.sh` needs nothing there but the driver. Without
// `prepare` both happen on this machine, whose compiler does the rest.
import { chmodSync, copyFileSync, existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { mustRun, output, run } from './command.mjs';
import { runOrExplain, SetupFailure } from './failure.mjs';
import { fromRoot, NODE } from './paths.mjs';
import { requireRust } from './toolchain.mjs';

const MEGABYTES_MAX = 60;

/** The GPUs of data centres and desks of the last years: A100, the 30s, the 40s, H100 and H200, B200, the 50s. */
const CAPABILITIES = ['80', '86', '89', '90', '100', '120'];

/** The variable by which NVIDIA's libraries are found; the compiler is fetched where nobody names any. */
const LIBRARIES = 'PELORUS_CUDA_LIBRARY_PATH';

/** The variable that names a program built before, which the tests have. */
const PROGRAM = 'PELORUS_CHECK_GPU_PROGRAM';

await runOrExplain(async () => {
  const [first, ...rest] = process.argv.slice(2);
  if (process.platform !== 'linux') throw new SetupFailure('check:gpu runs on Linux.');
  if (first === 'prepare') {
    const [folder, ...capabilities] = rest;
    if (folder === undefined) throw new SetupFailure('expected: prepare FOLDER CAPABILITY...');
    await prepare(resolve(folder), capabilities.length > 0 ? capabilities : CAPABILITIES);
    return 0;
  }
  const folder = fromRoot('target', 'check-gpu');
  await prepare(folder, []);
  return run(join(folder, 'run.sh'), process.argv.slice(2));
});

/**
 * @param {string} folder which is made anew; one that holds anything else is left alone
 * @param {readonly string[]} capabilities those that kernels are compiled for
 */
async function prepare(folder, capabilities) {
  const program = join(folder, 'check_gpu');
  if (existsSync(folder) && readdirSync(folder).length > 0 && !existsSync(program)) {
    throw new SetupFailure(`${folder} holds something else: name a new folder.`);
  }
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  copyFileSync(process.env[PROGRAM] || (await built()), program);
  // A program with its names is several times as large, and runs alike.
  output('strip', [program]);
  for (const file of ['run.sh', 'peers.py']) copyFileSync(fromRoot('scripts', 'check-gpu', file), join(folder, file));
  chmodSync(join(folder, 'run.sh'), 0o755);
  const kernels = join(folder, 'kernels');
  mkdirSync(kernels);
  if (capabilities.length > 0) {
    await mustRun(program, ['precompile', kernels, ...capabilities], { env: { [LIBRARIES]: await libraries() } });
  }
  const megabytes = bytesOf(folder) / 1e6;
  if (megabytes > MEGABYTES_MAX) {
    throw new SetupFailure(`${folder} has ${megabytes.toFixed(1)} MB, and ${MEGABYTES_MAX} may travel.`);
  }
  console.log(`${folder} has ${megabytes.toFixed(1)} MB; on a machine with a GPU: sh ${join(folder, 'run.sh')}`);
}

async function built() {
  requireRust();
  await mustRun('cargo', ['build', '--release', '--locked', '-p', 'pelorus-encoder', '--example', 'check_gpu']);
  return join(process.env.CARGO_TARGET_DIR || fromRoot('target'), 'release', 'examples', 'check_gpu');
}

/** The folders with the compiler of kernels. */
async function libraries() {
  const named = process.env[LIBRARIES];
  if (named) return named;
  await mustRun(NODE, [fromRoot('scripts', 'nvrtc.mjs')]);
  return fromRoot('target', 'nvrtc');
}

function bytesOf(folder) {
  const entries = readdirSync(folder, { withFileTypes: true });
  return entries.reduce((sum, entry) => {
    const path = join(folder, entry.name);
    return sum + (entry.isDirectory() ? bytesOf(path) : statSync(path).size);
  }, 0);
}
