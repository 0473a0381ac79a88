import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { openKeys } from '../../src/auth/open-keys.js';

const SECRET = 'a-secret-of-more-than-24-characters';
const folder = mkdtempSync(join(tmpdir(), 'pelorus-admin-key-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function fileOf(text: string): string {
  const file = join(folder, 'secret');
  writeFileSync(file, text);
  return file;
}

const opened = async (env: Record<string, string>) => openKeys({ dataDir: join(folder, 'data'), keysMax: 10 }, env);

describe('the admin key of the environment', () => {
  test.each([SECRET, `${SECRET}\n`, `  ${SECRET}\r\n`])('may stand in a file: %j', async (text) => {
    const keys = await opened({ PELORUS_ADMIN_KEY_FILE: fileOf(text) });
    expect(keys.find(SECRET)).toMatchObject({ key: { scope: 'admin' } });
    expect(keys.find(`${SECRET}x`)).toBeUndefined();
  });

  test('is none where both variables are empty', async () => {
    const keys = await opened({ PELORUS_ADMIN_KEY: '', PELORUS_ADMIN_KEY_FILE: '' });
    expect(keys.isRequired).toBe(false);
  });

  test.each<[string, Record<string, string>, RegExp]>([
    [
      'in both',
      { PELORUS_ADMIN_KEY: SECRET, PELORUS_ADMIN_KEY_FILE: fileOf(SECRET) },
      /are both set: give one of them$/,
    ],
    ['of a file that is not there', { PELORUS_ADMIN_KEY_FILE: join(folder, 'no') }, /cannot be read: ENOENT/],
    ['of a folder', { PELORUS_ADMIN_KEY_FILE: folder }, /cannot be read: EISDIR/],
  ])('%s is refused', async (_, env, message) => {
    await expect(opened(env)).rejects.toThrow(message);
  });

  test.each([
    ['', /has 0 characters, but must have 24 or more/],
    ['short', /has 5 characters, but must have 24 or more/],
    [`${SECRET} ${SECRET}`, /of ASCII and no blanks$/],
    ['x'.repeat(5000), /has more than 4096 bytes$/],
  ])('in a file that holds none is refused, and not shown: %j', async (text, message) => {
    const refusal = opened({ PELORUS_ADMIN_KEY_FILE: fileOf(text) });
    await expect(refusal).rejects.toThrow(message);
    const said = await refusal.catch((error: Error) => error.message);
    if (text !== '') expect(said).not.toContain(text);
  });
});
