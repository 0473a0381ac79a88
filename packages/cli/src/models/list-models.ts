import { type InferenceConfig, localModels } from '@pelorus/inference';

/** One line for each name that can be used without fetching anything, with the folder it lies in. */
export async function listModels(config: InferenceConfig): Promise<void> {
  const models = await localModels(config);
  const width = Math.max(0, ...models.map(({ name }) => name.length));
  for (const { name, folder } of models) console.log(`${name.padEnd(width)}  ${folder ?? 'needs no files'}`);
}
