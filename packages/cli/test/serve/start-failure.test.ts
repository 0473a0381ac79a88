import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { asStartFailure } from '../../src/known-failures.js';
import { requireFreePort } from '../../src/serve/free-port.js';
import { ExitCode, StartFailure } from '../../src/start-failure.js';

const coded = (code: string): Error => Object.assign(new Error(`it is ${code}`), { code });

test.each([
  ['data_directory_in_use', ExitCode.DATA_DIRECTORY_IN_USE],
  ['data_directory_unreadable', ExitCode.DATA_DIRECTORY_UNREADABLE],
  ['newer_format', ExitCode.DATA_DIRECTORY_NEWER],
  ['EADDRINUSE', ExitCode.PORT_IN_USE],
])('an error coded %s ends with exit code %d and its own message', (code, exitCode) => {
  expect(asStartFailure(coded(code))).toMatchObject({ exitCode, message: `it is ${code}` });
});

test('an error that nobody foresaw stays what it is', () => {
  const error = coded('something_else');
  expect(asStartFailure(error)).toBe(error);
  expect(asStartFailure('words')).toBe('words');
});

test('every exit code is distinct', () => {
  expect(new Set(Object.values(ExitCode)).size).toBe(Object.values(ExitCode).length);
});

test('a taken port is refused by number, a free one is left free', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as { port: number };
  const refusal = await requireFreePort('127.0.0.1', port).catch((error) => error);
  expect(refusal).toBeInstanceOf(StartFailure);
  expect(refusal).toMatchObject({ exitCode: ExitCode.PORT_IN_USE, message: expect.stringContaining(String(port)) });

  other.close();
  await once(other, 'close');
  await requireFreePort('127.0.0.1', port);
  await requireFreePort('127.0.0.1', port);
});

test('an address that is not ours is a bad configuration', async () => {
  await expect(requireFreePort('203.0.113.7', 0)).rejects.toMatchObject({ exitCode: ExitCode.BAD_CONFIGURATION });
});
