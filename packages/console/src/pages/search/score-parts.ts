import type { types } from '@pelorus/client';

export type Explanation = types.Explanation;

/** A part of a score. */
export interface ScorePart {
  readonly label: string;
  readonly value: number;
  /** Its colour: that of the leg or of the field. */
  readonly colour: number;
}

const LEGS: readonly (readonly [sign: RegExp, colour: number])[] = [
  [/tensor leg/, 0],
  [/lexical leg/, 1],
];

/**
 * The parts that a score is the sum of: of a fusion its legs, of BM25 its fields, of anything else the score itself. A
 * modifier, which changes a sum later, is a factor and no part: the tree of the explanation has it.
 */
export function scorePartsOf(explanation: Explanation, names: ScoreNames): readonly ScorePart[] {
  const sum = innerSum(explanation);
  const details = (sum.details as unknown as readonly Explanation[]).filter(({ value }) => value !== null && value > 0);
  if (sum.operation !== 'sum' || details.length === 0) {
    return [{ label: nameOf(sum, names), value: sum.value ?? 0, colour: colourOf(sum) }];
  }
  const parts = new Map<string, ScorePart>();
  for (const detail of details) {
    const label = nameOf(detail, names);
    const before = parts.get(label)?.value ?? 0;
    const colour = parts.get(label)?.colour ?? (isLeg(detail) ? colourOf(detail) : 1 + parts.size);
    parts.set(label, { label, value: before + (detail.value ?? 0), colour: Math.min(colour, 5) });
  }
  return [...parts.values()];
}

/** Names of parts in the language of the page. */
export interface ScoreNames {
  readonly meaning: string;
  readonly words: string;
}

/** The sum that a bounded or multiplied score is made of, as far as there is one alone. */
function innerSum(explanation: Explanation): Explanation {
  if (explanation.operation === 'sum') return explanation;
  const sums = (explanation.details as unknown as readonly Explanation[]).filter(
    ({ operation }) => operation === 'sum',
  );
  const [only] = sums;
  const isWrapping = explanation.operation === 'product' || explanation.operation === 'bound';
  return isWrapping && only !== undefined ? innerSum(only) : explanation;
}

const isLeg = ({ description }: Explanation): boolean => LEGS.some(([sign]) => sign.test(description));

function nameOf({ operation, description, field }: Explanation, names: ScoreNames): string {
  if (/tensor leg/.test(description) || operation === 'closeness') return names.meaning;
  if (/lexical leg/.test(description)) return names.words;
  return field ?? description;
}

const colourOf = ({ description, operation }: Explanation): number =>
  LEGS.find(([sign]) => sign.test(description))?.[1] ?? (operation === 'closeness' ? 0 : 1);
