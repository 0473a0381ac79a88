import { createHash, createHmac } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { OpenSearchEngine } from '../src/index.js';
import { definition } from './fixtures.js';
import { node } from './loopback-node.js';

const KEY = { id: 'AKIDEXAMPLE', secret: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY', token: 'a-session' };

const sha256 = (bytes: Buffer | string) => createHash('sha256').update(bytes).digest('hex');
const hmac = (key: Buffer | string, text: string) => createHmac('sha256', key).update(text).digest();
const encoded = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`);

/** The signature of a request by version 4 of the rules of Amazon, as its documentation describes them. */
function signatureOf({ method = '', url = '', headers }: IncomingMessage, body: Buffer, region: string): string {
  const [path = '', query = ''] = url.split('?');
  const [, names = ''] = /SignedHeaders=([^,]+)/.exec(headers.authorization ?? '') ?? [];
  const time = String(headers['x-amz-date']);
  const canonical = [
    method,
    // Each part of the path, which is encoded as it comes, is encoded once more.
    path.split('/').map(encoded).join('/'),
    [...new URLSearchParams(query)]
      .map(([name, value]) => `${encoded(name)}=${encoded(value)}`)
      .sort()
      .join('&'),
    ...names.split(';').map((name) => `${name}:${headers[name]}`),
    '',
    names,
    sha256(body),
  ].join('\n');
  const scope = [time.slice(0, 8), region, 'es', 'aws4_request'];
  const key = scope.reduce<Buffer | string>((made, part) => hmac(made, part), `AWS4${KEY.secret}`);
  return hmac(key, ['AWS4-HMAC-SHA256', time, scope.join('/'), sha256(canonical)].join('\n')).toString('hex');
}

/** A domain that answers to requests with a right signature alone; `seen` has those of every request. */
async function domain(region: string) {
  const seen: string[] = [];
  const url = await node(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const signature = signatureOf(request, Buffer.concat(chunks), region);
    const isRight =
      request.headers.authorization?.endsWith(`Signature=${signature}`) &&
      request.headers.authorization.includes(`Credential=${KEY.id}/`) &&
      request.headers['x-amz-security-token'] === KEY.token;
    seen.push(`${isRight} ${request.method} ${request.url}`);
    response.writeHead(isRight ? 200 : 403, { 'content-type': 'application/json' });
    response.end(isRight ? (request.url?.startsWith('/_cat') ? '[]' : '{}') : '{"error": {"type": "security"}}');
  });
  return { url, seen };
}

/** An environment without credentials of its own. */
function withoutCredentials(): void {
  for (const name of Object.keys(process.env)) if (name.startsWith('AWS_')) vi.stubEnv(name, undefined);
  const nowhere = `${tmpdir()}/pelorus-no-such-file`;
  vi.stubEnv('AWS_SHARED_CREDENTIALS_FILE', nowhere);
  vi.stubEnv('AWS_CONFIG_FILE', nowhere);
  vi.stubEnv('AWS_EC2_METADATA_DISABLED', 'true');
  onTestFinished(() => void vi.unstubAllEnvs());
}

describe('a domain of Amazon', () => {
  it('gets requests of every form with a signature, by the credentials of the environment', async () => {
    withoutCredentials();
    vi.stubEnv('AWS_ACCESS_KEY_ID', KEY.id);
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', KEY.secret);
    vi.stubEnv('AWS_SESSION_TOKEN', KEY.token);
    const { url, seen } = await domain('eu-west-1');
    const engine = await OpenSearchEngine.open({ nodes: [url], aws: { region: 'eu-west-1' } });
    onTestFinished(() => engine.close());
    expect(await engine.listIndexes()).toEqual([]);
    await engine.createIndex('Red-1', definition);
    expect(seen).toEqual([
      'true GET /',
      'true GET /_cat/indices/pelorus-*?cluster_manager_timeout=5s&format=json&h=index%2Chealth',
      'true GET /pelorus-~52ed~2d1?cluster_manager_timeout=5s',
      'true PUT /pelorus-~52ed~2d1.v3.1?cluster_manager_timeout=5s',
    ]);
    const elsewhere = await OpenSearchEngine.open({ nodes: [url], aws: { region: 'us-east-1' } }).catch((one) => one);
    expect(elsewhere).toMatchObject({ code: 'server_configuration_error' });
  });

  it('is refused in plain words where there are no credentials', async () => {
    withoutCredentials();
    const { url, seen } = await domain('eu-west-1');
    const opened = OpenSearchEngine.open({ nodes: [url], aws: { region: 'eu-west-1' } });
    const message = expect.stringMatching(/^There is nothing to sign requests with: /);
    await expect(opened).rejects.toMatchObject({ code: 'server_configuration_error', message });
    expect(seen).toEqual([]);
  });
});
