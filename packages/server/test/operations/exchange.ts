import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from 'fastify';
import { expect } from 'vitest';

/** A request and what must come of it. */
export interface Exchange {
  readonly title: string;
  /** Method and target in one, `POST /indexes/a/search`. */
  readonly request: string;
  /** Sent as JSON; text is sent as it is. */
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
  readonly status: number;
  readonly code?: string;
  /** Part of the answer's message. */
  readonly message?: string;
  /** What the answer must match besides. */
  readonly answer?: unknown;
}

/**
 * A refusal must come, however the request was malformed. It takes under 50 ms on a machine of its own; only what hangs
 * fails here, as a busy one has no clock to judge by.
 */
const refusalMs = 2_000;

export async function send(
  app: FastifyInstance,
  { request, body, headers = {} }: Pick<Exchange, 'request' | 'body' | 'headers'>,
): Promise<LightMyRequestResponse> {
  const [method, url] = request.split(' ') as [NonNullable<InjectOptions['method']>, string];
  const payload = typeof body === 'string' || body === undefined ? body : JSON.stringify(body);
  return app.inject({ method, url, headers, ...(payload !== undefined && { payload }) });
}

/** Sends the request and checks the answer; a refusal is sent again until the clock was not disturbed. */
export async function expectAnswer(app: FastifyInstance, exchange: Exchange): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    const start = performance.now();
    const response = await send(app, exchange);
    const elapsedMs = performance.now() - start;
    expectMatch(response, exchange);
    if (exchange.status < 400 || elapsedMs < refusalMs) return;
    expect(attempt, `${exchange.title} took ${elapsedMs} ms`).toBeLessThan(5);
  }
}

function expectMatch(response: LightMyRequestResponse, { title, status, code, message, answer }: Exchange): void {
  expect(response.statusCode, `${title}: ${response.body}`).toBe(status);
  if (status < 400 && answer === undefined) return;
  const body = response.json();
  if (status >= 400) expect(body, title).toMatchObject({ code: expect.any(String), type: expect.any(String) });
  if (code !== undefined) expect(body, title).toMatchObject({ code });
  if (message !== undefined) expect(body.message, title).toContain(message);
  if (answer !== undefined) expect(body, title).toMatchObject(answer as object);
}
