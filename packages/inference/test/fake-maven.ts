import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Writes a command that stands in for Maven: it checks the arguments it is given and runs `script`, a body
 * of JavaScript with `jar`, the file name that is asked for, in scope.
 */
export async function fakeMaven(folder: string, script: string): Promise<string> {
  const program = join(folder, 'fake-maven.cjs');
  await writeFile(
    program,
    `#!/usr/bin/env node
const fs = require('node:fs');
const artifact = process.argv.find((arg) => arg.startsWith('-Dartifact='));
if (artifact === undefined || !process.argv.includes('-DoutputDirectory=.')) process.exit(64);
const jar = artifact.split(':').slice(1).join('-') + '.jar';
${script}
`,
  );
  await chmod(program, 0o755);
  if (process.platform !== 'win32') return program;
  const command = join(folder, 'fake-maven.cmd');
  await writeFile(command, `@"${process.execPath}" "${program}" %*\r\n`);
  return command;
}
