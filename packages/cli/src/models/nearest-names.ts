/** Names that share less with the one that was typed are no help. */
const SHARE_MIN = 0.2;

/**
 * The names most like one that is not among them, most alike first: by the triples of characters that they share, whose
 * order and case do not count.
 */
export function nearestNames(typed: string, names: readonly string[], countMax = 3): string[] {
  const wanted = triplesOf(typed);
  const alike = names.map((name) => ({ name, share: shareOf(wanted, triplesOf(name)) }));
  return alike
    .filter(({ share }) => share >= SHARE_MIN)
    .sort((one, other) => other.share - one.share || one.name.localeCompare(other.name))
    .slice(0, countMax)
    .map(({ name }) => name);
}

/** Dice's coefficient, 0 to 1: twice the common ones by all. */
function shareOf(some: ReadonlySet<string>, others: ReadonlySet<string>): number {
  const common = [...some].filter((triple) => others.has(triple)).length;
  return (2 * common) / (some.size + others.size);
}

/** Triples of each part of a name, which begins and ends with a blank. */
function triplesOf(name: string): Set<string> {
  const parts = name.toLowerCase().split(/[^\p{L}\p{N}]+/u);
  const triples = parts.flatMap((part) => {
    const padded = ` ${part} `;
    return Array.from({ length: Math.max(padded.length - 2, 0) }, (_, at) => padded.slice(at, at + 3));
  });
  return new Set(triples);
}
