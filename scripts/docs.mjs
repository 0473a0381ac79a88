// npm run docs: builds the site of the documentation from the pages of the repository into target/docs, as files that any
// server, or a browser without one, can open.
import { pathToFileURL } from 'node:url';
import { ensureDependencies } from './dependencies.mjs';
import { runOrExplain } from './failure.mjs';
import { fromRoot } from './paths.mjs';

await runOrExplain(async () => {
  await ensureDependencies();
  const { buildSite } = await import('./docs/site.mjs');
  const folder = fromRoot('target', 'docs');
  console.log(`${buildSite(folder)} pages: ${pathToFileURL(`${folder}/index.html`)}`);
  return 0;
});
