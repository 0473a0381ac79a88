import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * The headers of the trace that a request of the gateway is part of, for the calls that it makes of indexes on its way:
 * shops and records know nothing of traces.
 */
export const callTrace = new AsyncLocalStorage<Readonly<Record<string, string>>>();
