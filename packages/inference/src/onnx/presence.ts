import { existsSync, readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { dirname, join } from 'node:path';
import { hasPlatformPackage, platformName } from '@pelorus/node/platform';

const RUNTIME = 'onnxruntime-node';
/** Start of the names of the packages that have it for one platform each, where Pelorus is installed and no clone. */
const PREFIX = '@pelorus/onnxruntime';

/** The package to install where ONNX Runtime is missing. */
export const runtimePackage = () => `${PREFIX}-${platformName()}`;

/** Tells whether ONNX Runtime is installed for this platform. Loads nothing. */
export function hasOnnxRuntime(): boolean {
  const manifest = findPackageJSON(RUNTIME, import.meta.url);
  if (manifest === undefined) return false;
  const { name } = JSON.parse(readFileSync(manifest, 'utf8')) as { name: string };
  // A clone has the library itself; what is installed has a package in its place that looks for that of the platform.
  if (name !== RUNTIME) return hasPlatformPackage(PREFIX);
  return existsSync(join(dirname(manifest), 'bin', 'napi-v6', process.platform, process.arch));
}
