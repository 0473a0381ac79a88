const EM = 1000;
const ADVANCE = 500;
const ASCENT = 800;
const DESCENT = -200;
/** The corners of the box of each glyph, in order: a little smaller than its place, so that words show their letters. */
const BOX = [
  [50, 0],
  [50, 600],
  [450, 600],
  [450, 0],
] as const;
/** Latin letters, punctuation, arrows and signs of currencies and mathematics. */
const RANGES = [
  [0x20, 0x24f],
  [0x2000, 0x22ff],
] as const;
const BLANKS: ReadonlySet<number> = new Set([0x20, 0xa0, 0x2009, 0x200b, 0x202f]);

const u16 = (...values: readonly number[]) => Buffer.concat(values.map((value) => two(value & 0xffff)));
const u32 = (...values: readonly number[]) => Buffer.concat(values.map(four));

function two(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(value);
  return bytes;
}

function four(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

/** Numbers of 16 bits that are 0. */
const zeros = (count: number) => Buffer.alloc(2 * count);

/**
 * A TrueType font in which every letter is the same box and every blank as wide: texts take the same place on every
 * machine, whatever fonts it has and however it smooths them.
 */
export function boxFont(): Buffer {
  const tables = Object.entries({
    'OS/2': os2(),
    cmap: cmap(),
    glyf: Buffer.concat([glyph(), glyph()]),
    head: head(),
    hhea: Buffer.concat([u32(0x10000), u16(ASCENT, DESCENT, 0, ADVANCE, 50, 50, 450, 1), zeros(7), u16(3)]),
    hmtx: u16(ADVANCE, 50, ADVANCE, 50, ADVANCE, 0),
    loca: u16(0, glyph().length / 2, glyph().length, glyph().length),
    maxp: Buffer.concat([u32(0x10000), u16(3, 4, 1, 0, 0, 2), zeros(8)]),
    name: name('Boxes'),
    post: Buffer.concat([u32(0x30000, 0), u16(-100, 50), u32(1, 0, 0, 0, 0)]),
  });
  let offset = 12 + 16 * tables.length;
  const entries: Buffer[] = [];
  const bodies: Buffer[] = [];
  for (const [tag, body] of tables) {
    const padded = Buffer.concat([body, Buffer.alloc(-body.length & 3)]);
    entries.push(Buffer.from(tag.padEnd(4)), u32(sumOf(padded), offset, body.length));
    bodies.push(padded);
    offset += padded.length;
  }
  const power = Math.floor(Math.log2(tables.length));
  const search = 16 * 2 ** power;
  const start = [u32(0x10000), u16(tables.length, search, power, 16 * tables.length - search)];
  return Buffer.concat([...start, ...entries, ...bodies]);
}

function sumOf(table: Buffer): number {
  let sum = 0;
  for (let at = 0; at < table.length; at += 4) sum = (sum + table.readUInt32BE(at)) >>> 0;
  return sum;
}

/** One contour, whose points are told by the steps between them. */
function glyph(): Buffer {
  const steps = (axis: 0 | 1) => BOX.map((point, at) => point[axis] - (BOX[at - 1]?.[axis] ?? 0));
  const [[left, bottom], , [right, top]] = BOX;
  const outline = [u16(1, left, bottom, right, top, BOX.length - 1, 0), Buffer.alloc(BOX.length, 1)];
  const whole = Buffer.concat([...outline, u16(...steps(0)), u16(...steps(1))]);
  return Buffer.concat([whole, Buffer.alloc(-whole.length & 3)]);
}

/** The box for every character but blanks, which are the empty glyph. */
function cmap(): Buffer {
  const groups = RANGES.flatMap(([first, last]) =>
    Array.from({ length: last - first + 1 }, (_, at) => {
      const character = first + at;
      return u32(character, character, BLANKS.has(character) ? 2 : 1);
    }),
  );
  const length = 16 + 12 * groups.length;
  return Buffer.concat([u16(0, 1, 3, 10), u32(12), u16(12, 0), u32(length, 0, groups.length), ...groups]);
}

function head(): Buffer {
  const dates = Buffer.alloc(16);
  return Buffer.concat([
    u32(0x10000, 0x10000, 0, 0x5f0f3cf5),
    ...[u16(0, EM), dates, u16(50, 0, 450, 600), u16(0, 8, 2, 0, 0)],
  ]);
}

function os2(): Buffer {
  const scripts = u16(650, 600, 0, 75, 650, 600, 0, 350, 50, 250);
  return Buffer.concat([
    ...[u16(4, ADVANCE, 400, 5, 0), scripts, zeros(6), u32(1, 0, 0, 0), Buffer.from('TEST')],
    ...[u16(0x40, 0x20, 0x22ff, ASCENT, DESCENT, 0, ASCENT, -DESCENT), u32(1, 0), u16(600, 600, 0, 0x20, 1)],
  ]);
}

function name(family: string): Buffer {
  const text = u16(...[...family].map((letter) => letter.charCodeAt(0)));
  const ids = [1, 2, 4, 6];
  const records = ids.map((id) => u16(3, 1, 0x409, id, text.length, 0));
  return Buffer.concat([u16(0, ids.length, 6 + 12 * ids.length), ...records, text]);
}
