import { Agent, request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readConfig } from '../../src/config.js';
import { openTracing } from '../../src/tracing/tracing.js';
import { type Endpoint, index, openEndpoint } from '../hosted/endpoint.js';
import { Collector } from './collector.js';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const SPAN = 'b7ad6b7169203331';

let collector: Collector;
let endpoint: Endpoint;
/** The headers that the index was told. */
let told: IncomingHttpHeaders[] = [];

beforeEach(async () => {
  collector = await Collector.open();
  const config = readConfig({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_TRACES_SAMPLER_ARG: '0' });
  endpoint = await openEndpoint(null, await openTracing(config, { warn: () => undefined }));
  told = [];
  endpoint.answer = async (request, response) => {
    await buffer(request);
    told.push(request.headers);
    response.end('{}');
  };
});
afterEach(() => collector.close());

/** Calls of one connection, one after the other. */
async function searches(count: number, headers: Record<string, string>): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  for (let i = 0; i < count; i += 1) {
    await new Promise<void>((resolve, reject) => {
      const path = `/e/${index.id}/indexes/shoes/search`;
      const call = httpRequest({ agent, port: endpoint.port, method: 'POST', path, headers }, async (answer) => {
        await buffer(answer);
        resolve();
      });
      call.on('error', reject).end('{}');
    });
  }
  agent.destroy();
}

test('a trace goes on with the span of the gateway, by the framework and by the relay', async () => {
  await searches(3, { traceparent: `00-${TRACE}-${SPAN}-01`, tracestate: 'shop=1' });
  // The first call of a connection is the framework's, whose requests to the index name their connection.
  expect(told.map(({ connection }) => connection !== undefined)).toEqual([true, false, false]);
  await endpoint.close();
  expect(collector.spans).toHaveLength(3);
  for (const span of collector.spans) {
    expect(span).toMatchObject({ traceId: TRACE, parentId: SPAN, state: 'shop=1', kind: 2 });
    expect(span.name).toBe('POST /e/:endpointId/indexes/:indexName/search');
    expect(span.attributes).toMatchObject({ 'http.response.status_code': 200, 'pelorus.operation': 'search' });
  }
  const handed = told.map(({ traceparent, tracestate }) => [traceparent, tracestate]).sort();
  expect(handed).toEqual(collector.spans.map(({ spanId }) => [`00-${TRACE}-${spanId}-01`, 'shop=1']).sort());
});

test('the index is told not to record a call that the gateway does not record', async () => {
  await searches(2, {});
  await endpoint.close();
  for (const { traceparent } of told) expect(traceparent).toMatch(/^00-[\da-f]{32}-[\da-f]{16}-00$/);
  expect(new Set(told.map(({ traceparent }) => traceparent)).size).toBe(2);
  expect(collector.spans).toEqual([]);
});
