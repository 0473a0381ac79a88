import { expect, test } from 'vitest';
import { partOf, threadCpu } from './thread-cpu.ts';

test('each thread of a server is of a part', () => {
  const names = ['MainThread', 'http-2', 'http-16', 'pelorus-call-0', 'V8Worker', 'DelayedTaskSche', 'pelorus-writer'];
  expect(names.map(partOf)).toEqual(['event loops', 'event loops', 'event loops', 'searches', 'V8', 'V8', 'others']);
});

test.runIf(process.platform === 'linux')('the processor time of this process is told by part', () => {
  const before = threadCpu(process.pid);
  const end = process.cpuUsage().user + 50_000;
  while (process.cpuUsage().user < end);
  const after = threadCpu(process.pid);
  const all = (parts: typeof after) => Object.values(parts ?? {}).reduce((sum, part) => sum + part, 0);
  expect(all(after) - all(before)).toBeGreaterThanOrEqual(0.04);
});
