/** A number as it is spelt: what JavaScript reads of it need not be it. */
interface RawNumber {
  readonly rawJSON: string;
}

type Reviver = (this: unknown, key: string, value: unknown, context: { source?: string }) => unknown;

/** Functions that Node has and its types lack: they read and write numbers as text. */
const json = JSON as unknown as {
  parse(text: string, reviver: Reviver): unknown;
  rawJSON(text: string): RawNumber;
  isRawJSON(value: unknown): value is RawNumber;
};

/** Reads JSON whose numbers are spelt again as they were. */
export function parseExactly(text: string): unknown {
  return json.parse(text, (_key, value, { source }) => (typeof value === 'number' ? rawNumber(source ?? '') : value));
}

/** Reads JSON to be shown: numbers are numbers, but integers that JavaScript would round are spelt again as they were. */
export function parseShown(text: string): unknown {
  return json.parse(text, (_key, value, { source }) => {
    const isRounded = typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value);
    return isRounded ? rawNumber(source ?? '') : value;
  });
}

/** A value that is spelt as `source`, a JSON number. */
export function rawNumber(source: string): unknown {
  return json.rawJSON(source);
}

/** The spelling of a number; undefined for another value. */
export function sourceOf(value: unknown): string | undefined {
  return json.isRawJSON(value) ? value.rawJSON : undefined;
}

/** A float spelt so that it stays one. */
export function spellFloat(value: number): string {
  if (Object.is(value, -0)) return '-0.0';
  return Number.isInteger(value) && Math.abs(value) < 1e21 ? `${value}.0` : String(value);
}
