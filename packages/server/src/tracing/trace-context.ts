import type { IncomingHttpHeaders } from 'node:http';

/** The headers of W3C Trace Context. */
export const TRACEPARENT = 'traceparent';
export const TRACESTATE = 'tracestate';

export type TraceHeaders = { readonly traceparent: string; readonly tracestate?: string };

/** The place of a caller in a trace, as its request tells it. */
export interface TraceContext {
  readonly traceId: string;
  readonly spanId: string;
  /** The lowest bit says that the caller records the trace. */
  readonly flags: number;
  /** Null where there is none that can be handed on. */
  readonly state: string | null;
}

const FORM = /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-.*)?$/;
const NO_TRACE = '0'.repeat(32);
const NO_SPAN = '0'.repeat(16);
/** As long as every program has to hand on. */
const STATE = /^[\x20-\x7e]{1,512}$/;

/**
 * The context of a request; undefined where it has none, or one that the standard has no meaning for. The members
 * of the first version count in later ones, too.
 */
export function traceContextOf(headers: IncomingHttpHeaders): TraceContext | undefined {
  const given = headers[TRACEPARENT];
  if (typeof given !== 'string') return undefined;
  const [, version, traceId = NO_TRACE, spanId = NO_SPAN, flags = '', more] = FORM.exec(given) ?? [];
  if (version === 'ff' || traceId === NO_TRACE || spanId === NO_SPAN) return undefined;
  if (version === '00' && more !== undefined) return undefined;
  const state = headers[TRACESTATE];
  const isKept = typeof state === 'string' && STATE.test(state);
  return { traceId, spanId, flags: Number.parseInt(flags, 16), state: isKept ? state : null };
}

/** The headers that hand a context on. */
export function traceHeaders({ traceId, spanId, flags, state }: TraceContext): TraceHeaders {
  // The bits that this version knows: sampled, and random.
  const traceparent = `00-${traceId}-${spanId}-0${(flags & 3).toString(16)}`;
  return state === null ? { traceparent } : { traceparent, tracestate: state };
}
