import { connect, createServer } from 'node:net';

/** A process that hands the bytes of each connection on to the server at a port, unread: the least that one between can do. */
const port = Number(process.argv[2]);
const hop = createServer({ noDelay: true }, (client) => {
  const server = connect({ port, host: '127.0.0.1', noDelay: true });
  for (const socket of [client, server]) socket.on('error', () => undefined);
  client.pipe(server).pipe(client);
});
hop.listen(0, '127.0.0.1', () => process.send?.(hop.address()));
process.on('disconnect', () => process.exit());
