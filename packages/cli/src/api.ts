import {
  type Answer,
  type AnswerBounds,
  callServer,
  jsonObject,
  type Method,
  NoAnswer,
  type Server,
  unreachable,
} from './server-call.js';
import { ExitCode, StartFailure } from './start-failure.js';

/** An answer that says the request was refused, with the server's own words. */
export class ApiError extends StartFailure {
  readonly code: string;

  constructor(code: string, message: string) {
    super(ExitCode.FAILED, `${message} (${code})`);
    this.code = code;
  }
}

/**
 * The answer to a request that must succeed.
 * @throws StartFailure in words for whoever typed the command
 */
export async function ask(
  server: Server,
  method: Method,
  path: string,
  body?: unknown,
  bounds?: AnswerBounds,
): Promise<Answer> {
  const text = body === undefined ? undefined : JSON.stringify(body);
  const answer = await callServer(server, method, path, text, bounds).catch((error: unknown) => {
    throw error instanceof NoAnswer ? unreachable(server.url, error) : error;
  });
  if (answer.status < 300) return answer;
  const { code = 'unknown', message, detail } = jsonObject<Refusal>(answer, server.url);
  throw new ApiError(code, wordsOf(code, message ?? JSON.stringify(detail ?? { status: answer.status })));
}

/** The remedies of refusals, by their codes, in terms of the command. */
const REMEDIES: Readonly<Record<string, string>> = {
  missing_api_key: 'give one with --api-key or in PELORUS_API_KEY',
  not_found: 'in the hosted form each index has an endpoint of its own, which --url takes',
  method_not_allowed: 'in the hosted form indexes are made and deleted at /api/v2/indexes of the server',
};

/** The words of a server, with the remedy where there is one. */
function wordsOf(code: string, message: string): string {
  const remedy = REMEDIES[code];
  return remedy === undefined ? message : `${message}: ${remedy}`;
}

interface Refusal {
  readonly code?: string;
  readonly message?: string;
  readonly detail?: unknown;
}

/** Calls of one server, whose answers are JSON objects. */
export type Call = (method: Method, path: string, body?: unknown) => Promise<unknown>;

/** @param address as `serverUrl` gives it */
export function callerOf(address: string, apiKey?: string, bounds?: AnswerBounds): Call {
  const server = { url: address, apiKey };
  return async (method, path, body) => jsonObject(await ask(server, method, path, body, bounds), address);
}

/**
 * The path of an index, which paths of its parts begin with.
 * @throws StartFailure for a name that would lead to another path: addresses take dots for folders, even encoded ones
 */
export function indexPath(name: string): string {
  if (/^\.{0,2}$/.test(name)) {
    throw new StartFailure(
      ExitCode.BAD_CONFIGURATION,
      `The index is ${JSON.stringify(name)}, but must have a name of letters, digits, - and _`,
    );
  }
  return `/indexes/${encodeURIComponent(name)}`;
}

/** The path of an alias. @throws StartFailure as {@link indexPath} */
export function aliasPath(name: string): string {
  return indexPath(name).replace('/indexes/', '/aliases/');
}
