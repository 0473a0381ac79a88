import { snakeCase } from './problems.js';

/** The spellings of members, by their declared names, of objects that spelt any otherwise. */
const spellings = new WeakMap<object, Map<string, string>>();

const camelCase = (name: string) => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** Gives the members of an object that are spelt in the other of snake_case and camelCase the names of `declared`. */
export function spellerOf(declared: readonly string[]): (value: Record<string, unknown>) => void {
  const pairs = declared.flatMap((name) => [snakeCase(name), camelCase(name)].map((other) => [other, name] as const));
  const others = pairs.filter(([other, name]) => other !== name);
  return (value) => {
    for (const [other, name] of others) {
      // Both at once is one too many, which the check of unknown members tells.
      if (!Object.hasOwn(value, other) || Object.hasOwn(value, name)) continue;
      value[name] = value[other];
      delete value[other];
      const spelt = spellings.get(value) ?? new Map<string, string>();
      spellings.set(value, spelt.set(name, other));
    }
  };
}

/** The name of a member of a checked object as its sender spelt it. */
export function speltName(value: object, name: string): string {
  return spellings.get(value)?.get(name) ?? name;
}
