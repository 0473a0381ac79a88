import { createInterface } from 'node:readline';
import { ExitCode, StartFailure } from '../start-failure.js';
import type { Output } from '../terminal/style.js';
import { inOneLine } from '../terminal/width.js';

interface Terminal {
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly stderr: Output;
}

/**
 * Resolves once whoever sits at the terminal says yes to a question.
 * @throws StartFailure for another answer, for none (Ctrl-C, Ctrl-D), and where nobody sits at a terminal
 */
export async function confirmed(question: string, { stdin, stderr }: Terminal = process): Promise<void> {
  if (!stdin.isTTY) throw new StartFailure(ExitCode.BAD_CONFIGURATION, `${question} Say so with --yes`);
  const asked = createInterface({ input: stdin, output: stderr });
  const answer = await new Promise<string | null>((resolve) => {
    asked.once('close', () => resolve(null));
    asked.question(`${inOneLine(question)} [y/N] `, resolve);
  });
  asked.close();
  // The question has no line break behind it, and the failure is a line of its own.
  if (answer === null) stderr.write('\n');
  if (!/^y(es)?$/i.test((answer ?? '').trim())) throw new StartFailure(ExitCode.FAILED, 'Nothing was changed');
}
