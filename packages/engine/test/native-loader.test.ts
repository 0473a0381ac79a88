import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
// The loader is plain JavaScript of the package, not part of its interface.
import { load, platformPackage } from '../../../bindings/node/load.js';
import { temporaryDirectory } from './support.js';

describe('the loader of the native engine', () => {
  it('names the prebuilt package of each platform', () => {
    expect(platformPackage({ platform: 'linux', arch: 'x64' }, true)).toBe('@pelorus/node-linux-x64-gnu');
    expect(platformPackage({ platform: 'linux', arch: 'arm64' }, false)).toBe('@pelorus/node-linux-arm64-musl');
    expect(platformPackage({ platform: 'darwin', arch: 'arm64' }, false)).toBe('@pelorus/node-darwin-arm64');
    expect(platformPackage({ platform: 'win32', arch: 'x64' }, false)).toBe('@pelorus/node-win32-x64-msvc');
  });

  it('says what is missing and every way to get it', async () => {
    const localBuild = join(await temporaryDirectory(), 'pelorus.node');
    const refused = failure(() => load({}, localBuild));
    expect(refused.code).toBe('native_addon_missing');
    for (const way of [localBuild, '@pelorus/node-', 'npm start', 'PELORUS_NATIVE_PATH']) {
      expect(refused.message).toContain(way);
    }
  });

  it('says on a platform without a package for which there are some', async () => {
    const localBuild = join(await temporaryDirectory(), 'pelorus.node');
    const message = (platform: string) => failure(() => load({}, localBuild, `@pelorus/node-${platform}`)).message;
    expect(message('aix-ppc64')).toContain('Packages are there for linux-x64-gnu, ');
    expect(message('aix-ppc64')).not.toContain('Install');
    expect(message('darwin-x64')).toContain('the package @pelorus/node-darwin-x64 is there. Install that package');
  });

  it('takes the file the environment names, and no other', async () => {
    const named = join(await temporaryDirectory(), 'named.node');
    const absent = failure(() => load({ PELORUS_NATIVE_PATH: named }));
    expect(absent.code).toBe('native_addon_missing');
    expect(absent.message).toContain(named);
    await writeFile(named, 'not a library');
    const unusable = failure(() => load({ PELORUS_NATIVE_PATH: named }));
    expect(unusable.code).toBe('native_addon_unusable');
    expect(unusable.message).toContain(named);
  });
});

function failure(call: () => unknown): Error & { code?: string } {
  try {
    call();
  } catch (error) {
    return error as Error & { code?: string };
  }
  throw new Error('nothing was thrown');
}
