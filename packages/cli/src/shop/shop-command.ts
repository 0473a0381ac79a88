import { Command, InvalidArgumentError } from 'commander';
import { addExamples } from '../help-text.js';
import { addServerFlags, type ServerFlags, serverOf } from '../server-flags.js';
import { addJsonFlag, type JsonFlag, printJson } from '../terminal/json.js';

interface DemoFlags extends ServerFlags, JsonFlag {
  readonly name: string;
  readonly page?: number;
}

/** `pelorus shop`: shops of the hosted form, over HTTP. */
export function shopCommand(): Command {
  const demo = new Command('demo')
    .description('Make a shop with the sample catalogue, on a server in the hosted form')
    .option('--name <index>', 'Name of its index', 'demo-shop')
    .option(
      '--page <port>',
      'Serve a page that searches it and tells what shoppers do, at this port of localhost',
      port,
    );
  addExamples(demo, [['shop demo --page 8080', 'a shop, and a page that searches it']]);
  return new Command('shop').addCommand(
    addServerFlags(addJsonFlag(demo)).action(async ({ name, page, json = false, ...flags }: DemoFlags) => {
      const { makeDemoShop } = await import('./demo-shop.js');
      const { url: address, apiKey: key } = serverOf(flags);
      const indexId = await makeDemoShop({ address, name, key, out: json ? process.stderr : process.stdout });
      if (json) printJson({ index: name, indexId });
      if (page === undefined) return;
      const { serveShopPage } = await import('./shop-page.js');
      await serveShopPage({ address, name, key, indexId, port: page });
    }),
  );
}

function port(text: string): number {
  const number = Number(text);
  if (/^\d+$/.test(text) && number <= 65_535) return number;
  throw new InvalidArgumentError('It must be a port, 0 to 65535.');
}
