import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { OpenSearchEngine } from '../src/index.js';

const hasNoOpenssl = spawnSync('openssl', ['version']).status !== 0;
if (hasNoOpenssl) console.warn('skipped: tests of TLS, whose certificates openssl makes');

const folder = mkdtempSync(join(tmpdir(), 'pelorus-tls-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const read = (name: string) => readFileSync(join(folder, name), 'utf8');

/** Makes a key and a certificate that the authority `ca` vouches for; of the authority itself, by itself. */
function certify(name: string, subject: string): void {
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' });
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', `${name}.key`];
  if (name === 'ca') {
    openssl('req', '-x509', ...key, '-subj', subject, '-days', '2', '-out', 'ca.pem');
    return;
  }
  openssl('req', ...key, '-subj', subject, '-out', `${name}.csr`);
  writeFileSync(join(folder, 'names'), 'subjectAltName=IP:127.0.0.1\n');
  const issuer = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial'];
  openssl('x509', '-req', '-in', `${name}.csr`, ...issuer, '-days', '2', '-extfile', 'names', '-out', `${name}.pem`);
}

/** A node that takes a certificate or a password; `seen` has the caller of every request. */
async function secureNode() {
  const seen: string[] = [];
  const certificates = { key: read('node.key'), cert: read('node.pem'), ca: read('ca.pem') };
  const server = createServer(
    { ...certificates, requestCert: true, rejectUnauthorized: false },
    (request, response) => {
      const socket = request.socket as import('node:tls').TLSSocket;
      const [, basic = ''] = /^Basic (.+)$/.exec(request.headers.authorization ?? '') ?? [];
      const caller = socket.authorized
        ? socket.getPeerCertificate().subject.CN
        : Buffer.from(basic, 'base64').toString();
      seen.push(String(caller));
      response.writeHead(caller === '' ? 401 : 200, { 'content-type': 'application/json' }).end('{}');
    },
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { nodes: [`https://127.0.0.1:${(server.address() as AddressInfo).port}`], seen };
}

describe.skipIf(hasNoOpenssl)('a cluster behind TLS', () => {
  beforeAll(() => {
    for (const [name, subject] of [
      ['ca', '/CN=an authority'],
      ['node', '/CN=a node'],
      ['client', '/CN=pelorus'],
    ] as const)
      certify(name, subject);
  });

  it('is trusted by its authority alone', async () => {
    const { nodes, seen } = await secureNode();
    const stranger = OpenSearchEngine.open({ nodes, auth: { username: 'a', password: 'b' } });
    await expect(stranger).rejects.toMatchObject({ code: 'service_unavailable' });
    expect(seen).toEqual([]);
  });

  it('lets a password in, and a certificate', async () => {
    const { nodes, seen } = await secureNode();
    const ca = read('ca.pem');
    const byPassword = await OpenSearchEngine.open({ nodes, tls: { ca }, auth: { username: 'a', password: 'b:c' } });
    await byPassword.close();
    const own = { cert: read('client.pem'), key: read('client.key') };
    const byCertificate = await OpenSearchEngine.open({ nodes, tls: { ca, ...own } });
    await byCertificate.close();
    await expect(OpenSearchEngine.open({ nodes, tls: { ca } })).rejects.toMatchObject({
      code: 'server_configuration_error',
    });
    expect(seen).toEqual(['a:b:c', 'pelorus', '']);
  });
});
