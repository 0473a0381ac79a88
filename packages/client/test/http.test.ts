import type { AddressInfo } from 'node:net';
import { Pelorus } from '@pelorus/client';
import { openService } from '../../server/test/operations/service.js';
import { surfaceSuite } from '../conformance/suite.js';

surfaceSuite('by HTTP', async () => {
  const { app, close } = await openService();
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as AddressInfo;
  return { pelorus: new Pelorus({ url: `http://127.0.0.1:${port}/` }), close };
});
