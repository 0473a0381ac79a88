import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import type { LoadableModel } from '../resolved-model.js';

/** Models that are published as npm packages, by their repository on the hub. */
const PACKAGES: Readonly<Record<string, string>> = {
  'sentence-transformers/all-MiniLM-L6-v2': '@pelorus/model-all-minilm-l6-v2',
};

/** The package that brings a model to machines without a network, where there is one. */
export function modelPackage({ weights }: LoadableModel): string | null {
  return weights.kind === 'hub' ? (PACKAGES[weights.repo] ?? null) : null;
}

/** The folder of a package that is installed beside this one, or null. */
export function installedPackage(name: string): string | null {
  try {
    return dirname(createRequire(import.meta.url).resolve(`${name}/package.json`));
  } catch {
    return null;
  }
}
