/** The items of a source, which gives many at once. */
export async function* oneByOne<T>(parts: AsyncIterable<readonly T[]>): AsyncGenerator<T> {
  for await (const part of parts) yield* part;
}
