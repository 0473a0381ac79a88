/** The members of an object, as JSON without its braces: `"k0":1,"k1":1`. */
export function members(count: number, value = '1'): string {
  return Array.from({ length: count }, (_, i) => `"k${i}":${value}`).join();
}
