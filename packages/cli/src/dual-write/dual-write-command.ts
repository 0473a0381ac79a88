import { Command } from 'commander';
import { addExamples } from '../help-text.js';
import { addServerFlags, type ServerFlags, serverOf } from '../server-flags.js';
import { addJsonFlag, type JsonFlag } from '../terminal/json.js';

/** `pelorus dual-write`: indexes of a server that writes to two engines. */
export function dualWriteCommand(): Command {
  const command = new Command('dual-write').argument('[index]', 'One index; all when absent');
  addExamples(command, [
    ['dual-write', 'all indexes, and whether both engines answer alike'],
    ['dual-write notes --repair', 'copies an index to the second engine anew'],
  ]);
  return addServerFlags(addJsonFlag(command))
    .option('--repair', 'Copy to the second engine anew, and compare searches from then on', false)
    .action(async (index: string | undefined, { json = false, repair, ...flags }: ServerFlags & JsonFlag & Repair) => {
      const { showDualWrite } = await import('./dual-write.js');
      await showDualWrite(serverOf(flags), { index, repair, json });
    });
}

interface Repair {
  readonly repair: boolean;
}
