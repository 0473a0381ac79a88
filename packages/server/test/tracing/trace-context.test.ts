import { expect, test } from 'vitest';
import { traceContextOf, traceHeaders } from '../../src/tracing/trace-context.js';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const SPAN = 'b7ad6b7169203331';
const of = (traceparent: string, tracestate?: string) =>
  traceContextOf({ traceparent, ...(tracestate !== undefined && { tracestate }) });

test.each([
  [`00-${TRACE}-${SPAN}-01`, 1],
  [`00-${TRACE}-${SPAN}-00`, 0],
  [`00-${TRACE}-${SPAN}-03`, 3],
  [`cc-${TRACE}-${SPAN}-01-what-comes-later`, 1],
])('%s is read', (header, flags) => {
  expect(of(header)).toEqual({ traceId: TRACE, spanId: SPAN, flags, state: null });
});

test.each([
  '',
  'x',
  `ff-${TRACE}-${SPAN}-01`,
  `00-${TRACE}-${SPAN}-01-more`,
  `00-${'0'.repeat(32)}-${SPAN}-01`,
  `00-${TRACE}-${'0'.repeat(16)}-01`,
  `00-${TRACE.toUpperCase()}-${SPAN}-01`,
  `00-${TRACE}-${SPAN}`,
  `00-${TRACE}-${SPAN}-1`,
  ` 00-${TRACE}-${SPAN}-01`,
])('%s is no context', (header) => {
  expect(of(header)).toBeUndefined();
});

test('a context is handed on with its state, and without one that no header can have', () => {
  const context = of(`00-${TRACE}-${SPAN}-01`, 'shop=1,other=2');
  expect(context && traceHeaders(context)).toEqual({
    traceparent: `00-${TRACE}-${SPAN}-01`,
    tracestate: 'shop=1,other=2',
  });
  for (const state of ['', 'a=ü', 'x'.repeat(513)]) expect(of(`00-${TRACE}-${SPAN}-01`, state)?.state).toBeNull();
});
