import type { TestContext } from 'vitest';

/** A part of a test that the machine cannot fetch: nothing is told about what it was to show. */
export class NotFetched extends Error {
  override readonly name = 'NotFetched';
}

/** @throws NotFetched where `fetching` fails */
export async function fetched<Result>(fetching: () => Result | Promise<Result>): Promise<Result> {
  try {
    return await fetching();
  } catch (cause) {
    throw new NotFetched((cause as Error).message.slice(0, 500), { cause });
  }
}

/** Skips a test, and says so, where the machine cannot fetch what it needs. */
export async function orSkip<Result>({ skip }: TestContext, work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof NotFetched)) throw error;
    console.warn(`SKIPPED: ${error.message}`);
    return skip();
  }
}
