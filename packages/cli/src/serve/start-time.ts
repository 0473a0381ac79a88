/** The time for which this process has been running, for people. */
export function secondsSinceStart(): string {
  return `${(performance.now() / 1000).toFixed(1)} s`;
}
