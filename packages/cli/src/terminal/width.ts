/** Characters that take two columns: East Asian wide and full-width blocks, and pictures. */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6]|[\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u;
/** Characters that take none: they join the one before. */
const JOINED = /^[\p{Mn}\p{Me}\p{Cf}]+$/u;
const PLAIN = /^[\x20-\x7e]*$/;

let segmenter: Intl.Segmenter | undefined;

/** Splits a text into the characters that a reader sees. */
function graphemesOf(text: string): Iterable<{ readonly segment: string }> {
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  return segmenter.segment(text);
}

/** The columns that a text of one line takes on a terminal. */
export function displayWidth(text: string): number {
  if (PLAIN.test(text)) return text.length;
  let width = 0;
  for (const { segment } of graphemesOf(text)) width += graphemeWidth(segment);
  return width;
}

/** The beginning of a text that takes at most `width` columns, with an ellipsis where it is not all. */
export function cut(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  let [kept, columns] = ['', 0];
  for (const { segment } of graphemesOf(text)) {
    columns += graphemeWidth(segment);
    if (columns > width - 1) break;
    kept += segment;
  }
  return `${kept}…`;
}

/** Characters that move the cursor or change a terminal, line breaks and tabs aside; marks that turn the direction. */
const CONTROLS = /[^\P{Cc}\t\n]|[\u202a-\u202e\u2066-\u2069\u2028\u2029]/gu;

/** A text of lines that a terminal only shows: whoever wrote a document or an answer may have put controls in it. */
export function withoutControls(text: string): string {
  return text.replace(CONTROLS, '\ufffd');
}

/** The same as one line. */
export function inOneLine(text: string): string {
  return withoutControls(text.replace(/\s+/gu, ' '));
}

/** JSON that a terminal only shows, and that means the same: its controls are escapes. */
export function withEscapes(json: string): string {
  return json.replace(CONTROLS, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function graphemeWidth(grapheme: string): number {
  if (WIDE.test(grapheme)) return 2;
  return JOINED.test(grapheme) ? 0 : 1;
}
