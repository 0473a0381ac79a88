import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { javaHome } from '../opensearch/java.mjs';
import { closedTo, giveToUnprivileged, isRoot, NOBODY, unprivileged } from '../processes/nobody.mjs';

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'pelorus-processes-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

test.runIf(isRoot())('programs that refuse to run as root run as nobody, whose folder is theirs with all in it', () => {
  const path = folder();
  mkdirSync(join(path, 'a'));
  writeFileSync(join(path, 'a', 'b'), '');
  giveToUnprivileged(path);
  expect(unprivileged()).toEqual({ uid: NOBODY, gid: NOBODY });
  for (const each of ['.', 'a', 'a/b']) expect(statSync(join(path, each)).uid).toBe(NOBODY);
});

test.runIf(isRoot())('the outermost folder that lets nobody in is told', () => {
  const path = folder();
  mkdirSync(join(path, 'a', 'b'), { recursive: true });
  chmodSync(path, 0o755);
  expect(closedTo(join(path, 'a', 'b'))).toBeNull();
  chmodSync(join(path, 'a'), 0o750);
  expect(closedTo(join(path, 'a', 'b'))).toBe(join(path, 'a'));
});

test('there is no Java of a release to come', () => {
  expect(javaHome(1_000)).toBeNull();
});
