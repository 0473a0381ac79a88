/** A set-up that cannot go on for a reason a person can remove; shown as its message, without a stack. */
export class SetupFailure extends Error {}

/** Runs `main`; a failure is told in its own words, on stderr, and becomes the exit code. */
export async function runOrExplain(main) {
  try {
    process.exitCode = await main();
  } catch (error) {
    if (!(error instanceof SetupFailure)) throw error;
    console.error(`\n${error.message}`);
    process.exitCode = 1;
  }
}
