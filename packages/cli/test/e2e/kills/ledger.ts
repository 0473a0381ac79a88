import { expect } from 'vitest';
import type { ServerProcess } from '../server-process.js';

/**
 * One part of a server's state as a careful client knows it after talking to a server that may die at any moment: what
 * was acknowledged is there, and the writes without an answer happened wholly or not at all.
 */
export interface Ledger {
  readonly name: string;
  /** Writes whose success was answered. */
  readonly acknowledged: number;
  /** Sends one write and waits for its answer; false when the connection broke before it. */
  write(server: ServerProcess): Promise<boolean>;
  /** Holds the state of a server to what was acknowledged, and settles which of the writes without an answer happened. */
  verify(server: ServerProcess): Promise<void>;
}

/** A client that reads while others write. */
export interface Reader {
  readonly name: string;
  /** Answers that were compared with what may be shown. */
  readonly answers: number;
  /** Reads something; false when the connection broke before the answer. */
  read(server: ServerProcess): Promise<boolean>;
  /** Goes on, of a server that was started anew, with what was under way at the one before. */
  resume?(server: ServerProcess): Promise<void>;
}

/** The status of a request that took too long to arrive: of a client, on a machine with other work, that stood still. */
const LATE = 408;

/** The body of an answer of status 200; null when the connection broke. Anything else is a fault. */
export async function answered(call: Promise<{ status: number; body: any }>): Promise<any> {
  try {
    const { status, body } = await call;
    if (status === LATE) return null;
    expect(status, JSON.stringify(body)).toBe(200);
    return body;
  } catch (error) {
    if (!isBroken(error)) throw error;
    return null;
  }
}

/** Tells whether a call failed because its connection broke, which `fetch` reports as a TypeError, or it came too late. */
export function isBroken(error: unknown): boolean {
  return error instanceof TypeError || (error as { status?: unknown }).status === LATE;
}
