import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BENCH } from '../paths.ts';

/** Versions of services that come from registries without a list of their own in `peers/`. */
interface Versions {
  /** A program of Go. */
  weaviate: { module: string; version: string };
}

const VERSIONS = JSON.parse(readFileSync(join(BENCH, 'peers', 'services.json'), 'utf8')) as Versions;

export const pinned = <Name extends keyof Versions>(name: Name): Versions[Name] => VERSIONS[name];
