import { ensureConsole } from './console.mjs';
import { ensureDependencies } from './dependencies.mjs';
import { ensureModel } from './model.mjs';
import { ensureNativeEngine } from './native-engine.mjs';
import { checkNativeFiles } from './native-files.mjs';
import { duration } from './progress.mjs';
import { requireNode } from './toolchain.mjs';
import { ensureTypeScript } from './typescript.mjs';

/**
 * Brings a clone to where it can serve: each step does only what is missing, and says so.
 *
 * @param {'release' | 'tests'} engine the build of the native engine that the rest runs on
 */
export function setUp(engine = 'release') {
  return timed(async () => {
    await ensureDependencies();
    checkNativeFiles();
    await ensureNativeEngine(engine);
    await ensureTypeScript();
    await ensureConsole();
    await ensureModel();
  });
}

/** Brings a clone to where its sources can be checked: nothing of them runs. */
export function setUpSources() {
  return timed(async () => {
    await ensureDependencies();
    await ensureTypeScript();
  });
}

async function timed(steps) {
  const started = performance.now();
  requireNode();
  console.log('Setting up Pelorus');
  await steps();
  console.log(`  ready in ${duration(performance.now() - started)}\n`);
}
