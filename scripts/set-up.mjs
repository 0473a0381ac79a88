import { ensureDependencies } from './dependencies.mjs';
import { ensureModel } from './model.mjs';
import { ensureNativeEngine } from './native-engine.mjs';
import { checkNativeFiles } from './native-files.mjs';
import { duration } from './progress.mjs';
import { requireNode } from './toolchain.mjs';
import { ensureTypeScript } from './typescript.mjs';

/** Brings a clone to where it can serve: each step does only what is missing, and says so. */
export async function setUp() {
  const started = performance.now();
  requireNode();
  console.log('Setting up Pelorus');
  await ensureDependencies();
  checkNativeFiles();
  await ensureNativeEngine();
  await ensureTypeScript();
  await ensureModel();
  console.log(`  ready in ${duration(performance.now() - started)}\n`);
}
