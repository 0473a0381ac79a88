import { Argument, Command } from 'commander';
import { addExamples } from '../help-text.js';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

/** `pelorus completion`: a script by which a shell completes the command. */
export function completionCommand(): Command {
  const command = new Command('completion').addArgument(new Argument('<shell>').choices(SHELLS));
  addExamples(command, [
    ['completion bash >> ~/.bashrc', 'for every new bash'],
    ['completion zsh > ~/.zfunc/_pelorus', 'for zsh, with ~/.zfunc in its fpath'],
    ['completion fish > ~/.config/fish/completions/pelorus.fish', 'for fish'],
  ]);
  return command.action(async (shell: Shell) => {
    const { completionScript } = await import('./scripts.js');
    process.stdout.write(await completionScript(shell));
  });
}
