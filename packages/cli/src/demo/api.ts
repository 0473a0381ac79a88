/** An answer that says the request was refused, with the server's own words. */
export class ApiError extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** A minimal client: the sample is loaded over HTTP, exactly as a user's documents are. */
export type Call = (method: 'GET' | 'POST' | 'DELETE', path: string, body?: unknown) => Promise<unknown>;

export function callerOf(address: string, apiKey?: string): Call {
  return async (method, path, body) => {
    const response = await fetch(new URL(path, address), {
      method,
      headers: {
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(apiKey !== undefined && { 'x-api-key': apiKey }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const answer = (await response.json()) as { code?: string; message?: string };
    if (!response.ok) {
      throw new ApiError(answer.code ?? 'unknown', answer.message ?? JSON.stringify(answer));
    }
    return answer;
  };
}
