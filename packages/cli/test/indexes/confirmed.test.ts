import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { confirmed } from '../../src/indexes/confirmed.js';
import { ExitCode, StartFailure } from '../../src/start-failure.js';

const terminal = () => Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => {} });

/** Asks at a terminal where `typed` comes in. */
async function answered(typed: string): Promise<void> {
  const [stdin, stderr] = [terminal(), terminal()];
  const asked = confirmed('Sure?', { stdin, stderr });
  stdin.write(typed);
  return asked;
}

test.each(['y\r', 'yes\r', ' Y \r'])('a question is answered with yes by %j', async (typed) => {
  await expect(answered(typed)).resolves.toBeUndefined();
});

describe('nothing is changed', () => {
  test.each(['n\r', '\r', 'yess\r', '\u0003', '\u0004', 'y\u0003'])('after %j', async (typed) => {
    await expect(answered(typed)).rejects.toEqual(new StartFailure(ExitCode.FAILED, 'Nothing was changed'));
  });

  test('at a terminal that is closed', async () => {
    const [stdin, stderr] = [terminal(), terminal()];
    const asked = confirmed('Sure?', { stdin, stderr });
    stdin.end();
    await expect(asked).rejects.toThrow('Nothing was changed');
  });

  test('where nobody can be asked', async () => {
    const asked = confirmed('Sure?', { stdin: new PassThrough(), stderr: new PassThrough() });
    await expect(asked).rejects.toEqual(new StartFailure(ExitCode.BAD_CONFIGURATION, 'Sure? Say so with --yes'));
  });
});
