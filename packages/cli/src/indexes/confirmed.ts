import { createInterface } from 'node:readline/promises';
import { ExitCode, StartFailure } from '../start-failure.js';
import { inOneLine } from '../terminal/width.js';

/**
 * Resolves once whoever sits at the terminal says yes to a question.
 * @throws StartFailure for another answer, and where nobody sits at a terminal
 */
export async function confirmed(question: string): Promise<void> {
  const { stdin: input, stderr: output } = process;
  if (!input.isTTY) throw new StartFailure(ExitCode.BAD_CONFIGURATION, `${question} Say so with --yes`);
  const terminal = createInterface({ input, output });
  const answer = await terminal.question(`${inOneLine(question)} [y/N] `).finally(() => terminal.close());
  if (!/^y(es)?$/i.test(answer.trim())) throw new StartFailure(ExitCode.FAILED, 'Nothing was changed');
}
