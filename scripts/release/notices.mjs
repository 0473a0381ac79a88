import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { licenceFiles } from './package-files.mjs';

const RULE = '-'.repeat(80);

/**
 * Writes out whose work a package holds and under which licences. A text that many have is printed once.
 *
 * @param {{ name: string, version: string, license: string, folder: string, texts?: string[] }[]} parts `texts` are their
 *   licences where they do not lie in the folder
 */
export function notices(parts) {
  if (parts.length === 0) return 'This package holds no work of others.\n';
  const namesByText = new Map();
  for (const part of parts) {
    for (const text of textsOf(part)) namesByText.set(text, [...(namesByText.get(text) ?? []), part.name]);
  }
  const list = parts.map((part) => {
    const isSilent = textsOf(part).length === 0;
    return `${part.name} ${part.version}: ${part.license}${isSilent ? ' (its publisher sends no text along)' : ''}`;
  });
  const texts = [...namesByText].map(([text, names]) => `${RULE}\nOf ${[...new Set(names)].join(', ')}:\n\n${text}\n`);
  return `This package holds work of others, under their licences.\n\n${[...new Set(list)].join('\n')}\n\n${texts.join('\n')}`;
}

function textsOf({ folder, texts }) {
  const found = texts ?? licenceFiles(folder).map((file) => readFileSync(join(folder, file), 'utf8'));
  return found.map((text) => text.replaceAll('\r\n', '\n').trim()).filter((text) => text !== '');
}
