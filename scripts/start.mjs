// npm start: set up what is missing, then serve on the repository's own Node.
import { spawn } from 'node:child_process';
import { runOrExplain } from './failure.mjs';
import { fromRoot, NODE } from './paths.mjs';
import { setUp } from './set-up.mjs';

const ORPHAN_CHECK_MS = 200;

function serve(args) {
  const server = spawn(NODE, [fromRoot('packages', 'cli', 'dist', 'main.js'), 'serve', ...args], {
    stdio: 'inherit',
  });
  // Passed on, and survived here, so that the server's own orderly stop decides when we end.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => server.kill(signal));
  onceOrphaned(() => server.kill('SIGTERM'));
  return new Promise((resolve, reject) => {
    server.on('error', reject);
    server.on('close', (code) => resolve(code ?? 1));
  });
}

/** npm passes a SIGTERM to the shell between us, and that one dies without a word: its end is the signal. */
function onceOrphaned(act) {
  const parent = process.ppid;
  const check = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(check);
    act();
  }, ORPHAN_CHECK_MS);
  check.unref();
}

await runOrExplain(async () => {
  await setUp();
  return serve(process.argv.slice(2));
});
