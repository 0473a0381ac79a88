import { type LogRecord, setLogger } from '@pelorus/engine';
import type { FastifyBaseLogger } from 'fastify';
import { expect, test, vi } from 'vitest';
import { logEngine } from '../src/engine-log.js';

vi.mock('@pelorus/engine', () => ({ setLogger: vi.fn(() => handOver) }));

const handOver = vi.hoisted(() => vi.fn());

test('a record of the engine is a line at its level, without the secrets of URLs', () => {
  const log = { error: vi.fn(), warn: vi.fn(), info: vi.fn() };
  expect(logEngine(log as unknown as FastifyBaseLogger)).toBe(handOver);
  const listener = vi.mocked(setLogger).mock.calls[0]?.[0] as (record: LogRecord) => void;
  listener({ level: 'error', target: 'pelorus_engine', message: 'no http://user:secret@host' });
  listener({ level: 'info', target: 'pelorus_engine', message: 'whole again' });
  expect(log.error.mock.calls).toEqual([[{ target: 'pelorus_engine' }, 'no http://host/']]);
  expect(log.info.mock.calls).toEqual([[{ target: 'pelorus_engine' }, 'whole again']]);
  expect(log.warn).not.toHaveBeenCalled();
});
