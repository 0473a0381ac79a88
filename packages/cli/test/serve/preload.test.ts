import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInference } from '@pelorus/inference';
import { expect, onTestFinished, test } from 'vitest';
import { preload } from '../../src/serve/preload.js';

test('models are loaded ahead, one that cannot be had is told, and one without vectors is left out', async () => {
  const modelDir = await mkdtemp(join(tmpdir(), 'pelorus-preload-'));
  const inference = createInference({ modelDir, hubUrl: null, mavenCommand: null, threads: 1 });
  onTestFinished(async () => {
    await inference.close();
    await rm(modelDir, { recursive: true });
  });
  const said: string[] = [];
  const models = [
    { model: 'hf/e5-base-v2' },
    { model: 'no_model', modelProperties: { type: 'no_model', dimensions: 3 } },
    { model: 'unheard of' },
    { model: 'https://user:SECRET@models.example/m.zip?SECRET' },
    { model: 'random/small' },
  ];
  await preload(inference, models, (text) => said.push(text));
  expect(inference.loaded()).toEqual([{ model_name: 'random/small', model_device: 'cpu' }]);
  expect(said).toHaveLength(3);
  expect(said[0]).toMatch(/^Model hf\/e5-base-v2 is not loaded ahead: ./);
  expect(said[1]).toMatch(/^Model unheard of is not loaded ahead: ./);
  expect(said.join()).not.toContain('SECRET');
});
