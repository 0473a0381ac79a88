import { Command } from 'commander';
import { serverUrl } from '../server-call.js';
import { ExitCode, StartFailure } from '../start-failure.js';

const ADDRESS = 'http://127.0.0.1:8882';

/** `pelorus shop`: shops of the hosted form, over HTTP. */
export function shopCommand(): Command {
  const demo = new Command('demo')
    .description('Make a shop with the sample catalogue, on a server in the hosted form')
    .option('--address <url>', 'Where the server is', ADDRESS)
    .option('--name <index>', 'Name of its index', 'demo-shop')
    .option('--key <secret>', 'A key of scope admin; that of PELORUS_API_KEY when absent')
    .option('--page <port>', 'Serve a page that searches it and tells what shoppers do, at this port of localhost')
    .action(async ({ address, name, key, page }: { address: string; name: string; key?: string; page?: string }) => {
      const { makeDemoShop } = await import('./demo-shop.js');
      const shop = { address: serverUrl('--address', address), name, key: key ?? process.env.PELORUS_API_KEY };
      const indexId = await makeDemoShop(shop);
      if (page === undefined) return;
      const { serveShopPage } = await import('./shop-page.js');
      await serveShopPage({ ...shop, indexId, port: portOf(page) });
    });
  return new Command('shop').addCommand(demo);
}

function portOf(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new StartFailure(
    ExitCode.BAD_CONFIGURATION,
    `--page is ${JSON.stringify(text)}, but must be a port, 0 to 65535`,
  );
}
