/** A name without a path: what may lie in a model folder. */
export function isPlainFileName(name: string): boolean {
  return /^[\w-][\w.-]{0,254}$/.test(name);
}
