import './require-node.js';
import { readFileSync } from 'node:fs';
import { inspect } from 'node:util';
import { CommanderError } from 'commander';
import { programOf } from './program.js';
import { ExitCode, StartFailure } from './start-failure.js';
import { say } from './terminal/lines.js';
import { withoutControls } from './terminal/width.js';

// Documents, vectors, models: every file and folder that Rust or Node makes in this process is its user's alone.
process.umask(0o077);

// A reader of the output, such as `head`, may have enough before all of it is written.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string };

try {
  const program = await programOf(process.argv.slice(2), manifest.version);
  await program.parseAsync();
} catch (error) {
  process.exit(await tell(error));
}

/** Reports an error in one line where one line tells it all. Returns the exit code. */
async function tell(error: unknown): Promise<number> {
  if (error instanceof CommanderError) {
    // Help and version were asked for and have been printed.
    if (error.exitCode === 0 || error.code === 'commander.help') return error.exitCode;
    say(`pelorus: ${error.message.replace(/^error: /, '')}`);
    return ExitCode.BAD_CONFIGURATION;
  }
  const { asStartFailure } = await import('./known-failures.js');
  const failure = asStartFailure(error);
  if (failure instanceof StartFailure) {
    say(`pelorus: ${failure.message}`);
    return failure.exitCode;
  }
  console.error(withoutControls(`pelorus: ${inspect(failure)}`));
  return ExitCode.FAILED;
}
