import './require-node.js';
import { readFileSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import { indexProcessCommand } from './hosted/index-process-command.js';
import { keysCommand } from './keys/keys-command.js';
import { modelsCommand } from './models/models-command.js';
import { serveCommand } from './serve/serve-command.js';
import { shopCommand } from './shop/shop-command.js';
import { asStartFailure, ExitCode, StartFailure } from './start-failure.js';
import { exportCommand, importCommand } from './transfer/commands.js';

// Documents, vectors, models: every file and folder that Rust or Node makes in this process is its user's alone.
process.umask(0o077);

const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string };

const program = new Command('pelorus')
  .description('Vector, lexical and hybrid search in one process')
  .version(manifest.version, '-V, --version', 'print the version')
  .addCommand(serveCommand())
  .addCommand(indexProcessCommand(), { hidden: true })
  .addCommand(modelsCommand())
  .addCommand(keysCommand())
  .addCommand(shopCommand())
  .addCommand(exportCommand())
  .addCommand(importCommand());

for (const command of [program, ...program.commands, ...program.commands.flatMap((one) => one.commands)]) {
  command.exitOverride().configureOutput({ outputError: () => {} });
}

try {
  await program.parseAsync();
} catch (error) {
  process.exit(tell(asStartFailure(error)));
}

/** Reports an error in one line where one line tells it all. Returns the exit code. */
function tell(error: unknown): number {
  if (error instanceof StartFailure) {
    console.error(`pelorus: ${error.message.replaceAll('\n', ' ')}`);
    return error.exitCode;
  }
  if (error instanceof CommanderError) {
    // Help and version were asked for and have been printed.
    if (error.exitCode === 0 || error.code === 'commander.help') return error.exitCode;
    console.error(`pelorus: ${error.message.replace(/^error: /, '')}`);
    return ExitCode.BAD_CONFIGURATION;
  }
  console.error('pelorus:', error);
  return ExitCode.FAILED;
}
