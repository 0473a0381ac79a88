import { PassThrough } from 'node:stream';
import { describe, expect, test, vi } from 'vitest';
import { showProgress } from '../../src/progress.js';
import { printAnswer, printJson } from '../../src/terminal/json.js';
import { stylesFor } from '../../src/terminal/style.js';
import { pairsOf, tableOf } from '../../src/terminal/table.js';
import { bytesText, counted, countText } from '../../src/terminal/units.js';
import { cut, displayWidth, inOneLine } from '../../src/terminal/width.js';

// Whoever runs the tests may ask for colours.
vi.stubEnv('FORCE_COLOR', undefined);

const file = new PassThrough();
const terminal = (columns: number) => Object.assign(new PassThrough(), { isTTY: true, columns });

const columns = [{ title: 'n', isRight: true }, { title: 'name' }, { title: 'about' }];

describe('a table', () => {
  test('has columns as wide as their widest cells, numbers at the right', () => {
    expect(
      tableOf(
        columns,
        [
          ['7', 'a', 'first'],
          ['10', 'longer', 'second'],
        ],
        file,
      ),
    ).toBe(' n  name    about\n 7  a       first\n10  longer  second\n');
  });

  test('keeps its columns under wide characters and joined ones', () => {
    const rows = [
      ['1', '日本', 'x'],
      ['2', 'e\u0301a', 'y'],
      ['3', 'abcd', 'z'],
    ];
    expect(tableOf(columns, rows, file)).toBe('n  name  about\n1  日本  x\n2  e\u0301a    y\n3  abcd  z\n');
  });

  test('is cut at the edge of a terminal, and nowhere in a file', () => {
    const rows = [['1', 'a', 'x'.repeat(200)]];
    expect(tableOf(columns, rows, file)).toContain('x'.repeat(200));
    const lines = tableOf(columns, rows, terminal(60)).trimEnd().split('\n');
    expect(lines.at(-1)).toMatch(/^1 {2}a {5}x+…$/);
    expect(displayWidth(lines.at(-1) as string)).toBe(60);
  });

  test('has cells of several lines', () => {
    expect(tableOf(columns, [['1', 'a', ['first', 'second']]], file)).toBe(
      'n  name  about\n1  a     first\n         second\n',
    );
  });

  test('without rows has its titles', () => {
    expect(tableOf(columns, [], file)).toBe('n  name  about\n');
  });
});

test('pairs have their values below one another', () => {
  expect(
    pairsOf(
      [
        ['a', '1'],
        ['long', '2'],
      ],
      file,
    ),
  ).toBe('a     1\nlong  2\n');
});

test('a text of a document never moves the cursor, colours a line or turns its direction', () => {
  const hostile = 'a\u001b[31mb\u0007\r\nc\u202ed\u009be';
  expect(inOneLine(hostile)).toBe('a\ufffd[31mb\ufffd c\ufffdd\ufffde');
  expect(tableOf([{ title: 't' }], [[hostile]], file)).toBe('t\na\ufffd[31mb\ufffd c\ufffdd\ufffde\n');
});

describe('JSON', () => {
  const hostile = '{"a": "\u009b31m\u007f\u202e\u2066\u2028é日"}\r\n';
  const written = (out: PassThrough) => String(out.read());

  test('is printed byte for byte into a file, with a line break at its end', () => {
    const [out, other] = [new PassThrough(), new PassThrough()];
    printAnswer(Buffer.from(hostile), out);
    printAnswer(Buffer.from('{}'), other);
    expect([written(out), written(other)]).toEqual([hostile, '{}\n']);
  });

  test('on a terminal has escapes for what would change that, and means the same', () => {
    const [out, other] = [terminal(80), terminal(80)];
    const shown = '{"a": "\\u009b31m\\u007f\\u202e\\u2066\\u2028é日"}';
    printAnswer(Buffer.from(hostile.trim()), out);
    expect(written(out)).toBe(`${shown}\n`);
    expect(JSON.parse(shown)).toEqual(JSON.parse(hostile));
    printJson(JSON.parse(hostile), other);
    expect(written(other)).toBe(shown.replace(/^\{(.*)\}$/, '{\n  $1\n}\n'));
  });
});

test('a progress has a title that moves nothing', () => {
  const out = terminal(80);
  showProgress(out as unknown as NodeJS.WriteStream, 'Importing a\u001b[2J', { unit: 'documents' }).done();
  expect(String(out.read())).toMatch(/^\rImporting a\ufffd\[2J {2}0 documents\n0 documents in /);
});

test.each([
  ['plain', 'plain', 5],
  ['plain', 'pla…', 4],
  ['日本語', '日…', 4],
  ['日本語', '日本語', 6],
  ['👩‍👩‍👧 ab', '👩‍👩‍👧…', 3],
])('%s is cut to %s in its columns', (text, shown, width) => {
  expect(cut(text, width)).toBe(shown);
  expect(displayWidth(shown)).toBeLessThanOrEqual(width);
});

test('a file gets no colours', () => {
  const { bold, bad } = stylesFor(file);
  expect([bold('a'), bad('b')]).toEqual(['a', 'b']);
});

test.each([
  [0, '0 B'],
  [999, '999 B'],
  [1000, '1.0 kB'],
  [87_400_000, '87.4 MB'],
  [123_456_789_000, '123 GB'],
  [999_960, '1.0 MB'],
])('%d bytes are shown as %s', (bytes, shown) => {
  expect(bytesText(bytes)).toBe(shown);
});

test('counts have their separators and nouns', () => {
  expect([countText(1_234_567), counted(1, 'hit'), counted(0, 'hit'), counted(2, 'index', 'indexes')]).toEqual([
    '1,234,567',
    '1 hit',
    '0 hits',
    '2 indexes',
  ]);
});
