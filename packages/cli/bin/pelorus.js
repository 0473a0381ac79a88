#!/usr/bin/env node
// npm links a command whose file is there when it installs, and dist/ is built after that.
import { existsSync } from 'node:fs';

const main = new URL('../dist/main.js', import.meta.url);
if (existsSync(main)) {
  await import(main.href);
} else {
  console.error('pelorus is not built: run `npm run setup` first');
  process.exitCode = 1;
}
