// npm run docs: builds the site of the documentation from the pages of the repository into target/docs, as files that any
// server, or a browser without one, can open. With --pictures FOLDER the page of the console has those of that folder, which
// its end-to-end tests write where PELORUS_CONSOLE_PICTURES names it.
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { ensureDependencies } from './dependencies.mjs';
import { runOrExplain } from './failure.mjs';
import { fromRoot } from './paths.mjs';

await runOrExplain(async () => {
  const { pictures } = parseArgs({ options: { pictures: { type: 'string' } } }).values;
  await ensureDependencies();
  const { buildSite } = await import('./docs/site.mjs');
  const folder = fromRoot('target', 'docs');
  console.log(
    `${buildSite(folder, pictures === undefined ? {} : { pictures: resolve(pictures) })} pages: ${pathToFileURL(`${folder}/index.html`)}`,
  );
  return 0;
});
