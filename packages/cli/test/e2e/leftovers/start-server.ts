import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ServerProcess } from '../server-process.js';

/** Starts a server in the folder that the test beside names, and leaves its address there. */
export async function startServer(): Promise<void> {
  const folder = process.env.LEFTOVERS_FOLDER as string;
  const { address } = await ServerProcess.start(['--data', join(folder, 'data')]);
  writeFileSync(join(folder, 'draft'), address);
  renameSync(join(folder, 'draft'), join(folder, 'address'));
}
