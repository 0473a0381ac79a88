/** An error's reason in one line: what the system said rather than which library wrapped it. */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return [...new Set(error.errors.map(reasonOf))].join(', ');
  if (!(error instanceof Error)) return String(error);
  return error.message === '' && error.cause !== undefined ? reasonOf(error.cause) : error.message;
}
