import { callServer, jsonObject, type Method, NoAnswer, unreachable } from '../server-call.js';

/** An answer that says the request was refused, with the server's own words. */
export class ApiError extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** A minimal client: the sample is loaded over HTTP, exactly as a user's documents are. */
export type Call = (method: Method, path: string, body?: unknown) => Promise<unknown>;

/** @param address as `serverUrl` gives it */
export function callerOf(address: string, apiKey?: string): Call {
  const server = { url: address, apiKey };
  return async (method, path, body) => {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const answer = await callServer(server, method, path, text).catch((error: unknown) => {
      throw error instanceof NoAnswer ? unreachable(address, error.message) : error;
    });
    const said = jsonObject<{ code?: string; message?: string }>(answer, address);
    if (answer.status >= 300) throw new ApiError(said.code ?? 'unknown', said.message ?? JSON.stringify(said));
    return said;
  };
}
