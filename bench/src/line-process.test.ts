import { expect, it } from 'vitest';
import { LineProcess } from './line-process.ts';

const echo = "process.stdin.on('data', (line) => process.stdout.write(line))";

it('gives the answers in order and ends with its child', async () => {
  const child = new LineProcess(process.execPath, ['-e', echo]);
  expect(await child.ask({ op: 1 })).toEqual({ op: 1 });
  expect(await child.ask({ op: 2 })).toEqual({ op: 2 });
  await child.close();
  await child.close();
});

it('fails what is asked of a child that has ended, again and again', async () => {
  const child = new LineProcess(process.execPath, ['-e', 'process.exit(3)']);
  await expect(child.ask({})).rejects.toThrow('without an answer');
  await expect(child.ask({})).rejects.toThrow('without an answer');
  await child.close();
});

it('fails what is asked of a program that is not there', async () => {
  const child = new LineProcess('no-such-program-anywhere', []);
  await expect(child.ask({})).rejects.toThrow('without an answer');
  await child.close();
});
