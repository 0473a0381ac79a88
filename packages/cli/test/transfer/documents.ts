import { Random } from '../../src/demo/random.js';

const TEXTS = [
  '',
  ' ',
  'Red. Green.',
  'a "b" \\ c',
  'é\r\n\u2028 ,;',
  '1',
  'true',
  '[1]',
  '{"a":1}',
  '\uFEFFx',
  'x\u0000y',
];
const INTEGERS = ['0', '-1', '9007199254740993', '9223372036854775807', '-9223372036854775808'];
const FLOATS = ['0.1', '-0.0', '1.0', '1e300', '5e-324', '123456789.0', '1.7976931348623157e308'];

/** The JSON of documents of every type, spelt as a scan spells them: some members in each. */
export function someDocuments(seed: number, count: number): string[] {
  const random = new Random(seed);
  const one = (from: readonly string[]): string => from[random.int(0, from.length - 1)] ?? '';
  const text = (): string => JSON.stringify(one(TEXTS));
  const makers: Record<string, () => string> = {
    text,
    integer: () => one(INTEGERS),
    float: () => one(FLOATS),
    truth: () => one(['true', 'false']),
    list: () => `[${Array.from({ length: random.int(0, 3) }, text).join(',')}]`,
    map: () => `{"a b":${one(FLOATS)},"c":${one(INTEGERS)}}`,
    'map.k.l': () => one(FLOATS),
    anything: () => one([text(), one(INTEGERS), one(FLOATS), 'true']),
    huge: () => one(['1', '18446744073709551616']),
  };
  return Array.from({ length: count }, (_, at) => {
    const members = Object.entries(makers).filter(() => random.int(0, 2) > 0);
    const rest = members.map(([name, make]) => `,${JSON.stringify(name)}:${make()}`).join('');
    return `{"_id":"d${at}"${rest}}`;
  });
}
