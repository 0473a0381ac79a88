import { expect, test } from 'vitest';
import { deniedLines } from '../prose.mjs';

test.each<[extension: string, lines: string[], denied: number[]]>([
  ['.rs', ['/// Returns the best hits.', '/// What is far is left out.', 'fn best() {}'], [2]],
  ['.rs', ['//! A map. Of two', '//! values the first counts.', '', '// The last. That', '// counts.'], [1, 4]],
  ['.rs', ['/// Finds the hits that a filter', '/// Of Rust lets through.'], []],
  ['.rs', ['    /// Opens it.', '    ///', '    /// # Errors', '    /// What it ran into.'], [4]],
  ['.rs', ['    fn what_is_far_is_left_out() {', '    fn has_room(&self) -> bool {'], [1]],
  ['.ts', ['/** Whether it is open. */', '  /**', '   * Opens it.', '   * @param key Who asks', '   */'], [1, 4]],
  ['.ts', ["test('of two keys the first counts', () => {", "test('has two keys', () => {"], [1]],
  ['.ts', ['const url = "https://x"; // Had it a path?', 'call(); // Has no path.'], [2]],
  ['.py', ['# Whose key it is.', 'print("# of keys")'], [1]],
  ['.yaml', ['key: { type: string, description: Of a page }', 'sort: { description: "The order. What else?" }'], [1]],
  ['.yaml', ['description: >-', '  What a page holds.', 'title: Page'], [2]],
  [
    '.md',
    ['# What it is', '', '- Of two keys the first counts.', '', '| key | What is it? | That is it. |'],
    [1, 3, 5],
  ],
])('%s: %j is denied at %j', (extension, lines, denied) => {
  expect(deniedLines(lines.join('\n'), extension)).toEqual(denied);
});
