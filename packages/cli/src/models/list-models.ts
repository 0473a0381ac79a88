import { localModels } from '@pelorus/inference';
import type { Config } from '@pelorus/server/config';
import { inferenceConfig } from '../inference-config.js';

/** One line for each name that can be used without fetching anything, with the folder it lies in. */
export async function listModels(config: Config): Promise<void> {
  const models = await localModels(inferenceConfig(config));
  const width = Math.max(0, ...models.map(({ name }) => name.length));
  for (const { name, folder } of models) console.log(`${name.padEnd(width)}  ${folder ?? 'needs no files'}`);
}
