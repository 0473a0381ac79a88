import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from 'fastify';
import { expect } from 'vitest';

/** A request and its expected answer. */
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
  /** A pattern that the answer must match besides. */
  readonly answer?: unknown;
}

export async function send(
  app: FastifyInstance,
  { request, body, headers = {} }: Pick<Exchange, 'request' | 'body' | 'headers'>,
): Promise<LightMyRequestResponse> {
  const [method, url] = request.split(' ') as [NonNullable<InjectOptions['method']>, string];
  const payload = typeof body === 'string' || body === undefined ? body : JSON.stringify(body);
  return app.inject({ method, url, headers, ...(payload !== undefined && { payload }) });
}

/** Checks the outcome of an exchange. */
export function expectMatch(
  response: LightMyRequestResponse,
  { title, status, code, message, answer }: Exchange,
): void {
  expect(response.statusCode, `${title}: ${response.body}`).toBe(status);
  if (status < 400 && answer === undefined) return;
  const body = response.json();
  if (status >= 400) expect(body, title).toMatchObject({ code: expect.any(String), type: expect.any(String) });
  if (code !== undefined) expect(body, title).toMatchObject({ code });
  if (message !== undefined) expect(body.message, title).toContain(message);
  if (answer !== undefined) expect(body, title).toMatchObject(answer as object);
}
