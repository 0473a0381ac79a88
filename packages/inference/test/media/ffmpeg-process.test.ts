import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { findConfinement, findProgram } from '../../src/media/ffmpeg-confinement.js';
import { type ConfinedProgram, outputOf } from '../../src/media/ffmpeg-process.js';
import { temporaryDirectory } from '../temporary-directory.js';

/** Far longer than any of these programs takes, so that none of them ends by itself. */
const LONG_SECONDS = 1000;

async function shell(script: string, options: Partial<ConfinedProgram> = {}): Promise<ConfinedProgram> {
  const folder = await temporaryDirectory();
  return { command: ['/bin/sh', '-c', script], folder, timeMs: 60_000, outputBytesMax: 1_000_000, ...options };
}

async function text(output: AsyncIterable<Buffer>): Promise<string> {
  let all = '';
  for await (const chunk of output) all += chunk.toString();
  return all;
}

const PATH = 'PATH=/usr/bin:/bin';

/** A script that leaves a child behind, with its number in `child`, and writes a line. */
const WITH_CHILD = `${PATH}; sleep ${LONG_SECONDS} & echo $! > child; echo started; wait`;

/** Tells whether the child of {@link WITH_CHILD} is gone, as it is soon after it was killed. */
async function childEnds({ folder }: ConfinedProgram): Promise<boolean> {
  const pid = Number(await readFile(join(folder, 'child'), 'utf8'));
  for (let tries = 0; tries < 1000; tries += 1) {
    try {
      process.kill(pid, 0);
    } catch {
      return true;
    }
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null);
    if (stat?.includes(') Z ') === true) return true;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return false;
}

describe.skipIf(process.platform === 'win32')('a confined program', () => {
  test('has no environment and no input', async () => {
    // Variables that a shell sets by itself are not ours.
    const own = /^(PWD|SHLVL|_|OLDPWD)=/;
    const lines = (await text(outputOf(await shell('/usr/bin/env; cat')))).split('\n');
    expect(lines.filter((line) => line !== '' && !own.test(line))).toEqual([]);
  });

  test('fails with its last complaint', async () => {
    const program = await shell('echo first >&2; echo "it is no film" >&2; exit 3');
    await expect(text(outputOf(program))).rejects.toThrow(/^ffmpeg cannot read it: it is no film$/);
  });

  test('fails with what its complaint means, where that is known', async () => {
    const explain = (complaint: string) => (complaint.includes('first') ? 'it has no frames' : null);
    const program = await shell('echo first >&2; echo last >&2; exit 3', { explain });
    await expect(text(outputOf(program))).rejects.toThrow(/^it has no frames$/);
  });

  test('is ended with its children when its time is over', async () => {
    const program = await shell(WITH_CHILD, { timeMs: 500 });
    await expect(text(outputOf(program))).rejects.toThrow('it cannot be decoded within 0.5 seconds');
    expect(await childEnds(program)).toBe(true);
  });

  test('is ended with its children when the signal is aborted', async () => {
    const program = await shell(WITH_CHILD);
    const controller = new AbortController();
    const reading = (async () => {
      for await (const _ of outputOf(program, controller.signal)) controller.abort(new Error('nobody waits'));
    })();
    await expect(reading).rejects.toThrow('nobody waits');
    expect(await childEnds(program)).toBe(true);
  });

  test('is ended with its children when its reader stops', async () => {
    const program = await shell(WITH_CHILD);
    for await (const _ of outputOf(program)) break;
    expect(await childEnds(program)).toBe(true);
  });

  test('is ended when it writes too much', async () => {
    const program = await shell(`${PATH}; yes`);
    await expect(text(outputOf(program))).rejects.toThrow('it is too large when it is decoded');
  });

  test('loses no time while its reader does something else', async () => {
    const program = await shell('echo one; echo two', { timeMs: 200 });
    const seen: string[] = [];
    for await (const chunk of outputOf(program)) {
      seen.push(chunk.toString());
      await new Promise((resolve) => setTimeout(resolve, 400));
    }
    expect(seen.join('')).toBe('one\ntwo\n');
  });

  test('fails where its program is missing', async () => {
    const program = await shell('', { command: ['/nonexistent/ffmpeg'] });
    await expect(text(outputOf(program))).rejects.toThrow('ffmpeg cannot be started on this server');
  });
});

describe.runIf(process.platform === 'linux')('confinement on Linux', () => {
  test('bounds memory, time and files where the system can', async () => {
    const confine = await findConfinement();
    const command = [...confine(7.2), '/bin/sh', '-c', 'ulimit -v; ulimit -t; ulimit -f; ulimit -n; ulimit -c'];
    const limits = await text(outputOf(await shell('', { command })));
    if ((await findProgram('prlimit')) === null) expect(confine(1).join()).not.toContain('prlimit');
    else expect(limits).toBe(`${4 * 1024 * 1024}\n8\n0\n64\n0\n`);
  });

  test('leaves no network where the system can', async () => {
    const confine = await findConfinement();
    const command = [...confine(5), '/bin/cat', '/proc/net/dev'];
    const devices = (await text(outputOf(await shell('', { command })))).split('\n').slice(2, -1);
    const hasUnshare = confine(5).some((word) => word.endsWith('/unshare'));
    if (hasUnshare) expect(devices.map((line) => line.split(':')[0]?.trim())).toEqual(['lo']);
    else expect(devices.length).toBeGreaterThan(0);
  });
});

test('a program is found on the path, or where it is', async () => {
  const node = process.execPath;
  expect(await findProgram(node)).toBe(node);
  expect(await findProgram('no-such-program')).toBeNull();
  expect(await findProgram('sh', { PATH: '/nonexistent' })).toBeNull();
  expect(await findProgram(`${node}-not`)).toBeNull();
});
