import { readFileSync, rmSync } from 'node:fs';
import { afterEach, expect, test } from 'vitest';
import { Random } from '../../src/demo/random.js';
import { HostedModel } from './hosted-model.js';
import { emptyFolder, ServerProcess, withAdminKey } from './server-process.js';

/** `PELORUS_CONTROL_SEQUENCES=200` for as many as one likes. */
const SEQUENCES = Number(process.env.PELORUS_CONTROL_SEQUENCES ?? 10);
const SEED = Number(process.env.PELORUS_CONTROL_SEED ?? 20_261_123);
const STEPS = 6;
const NAMES = ['one', 'two', 'three'];
const flags = ['--hosted', '--index-changes-per-minute', '1000000'];

let data = '';
afterEach(() => rmSync(data, { recursive: true, force: true }));

test(`${SEQUENCES} random sequences of control calls do what a plain model says`, async () => {
  data = emptyFolder('hosted-sequences');
  const server = await ServerProcess.start([...flags, '--data', data], { env: withAdminKey });
  let acknowledged = 0;
  for (let sequence = 0; sequence < SEQUENCES; sequence++) {
    const seed = SEED + sequence;
    const model = new HostedModel(
      NAMES.map((name) => `${name}-${sequence}`),
      new Random(seed),
    );
    for (let step = 0; step < STEPS; step++) {
      expect(await model.step(server), `seed ${seed}`).toBe(true);
      await model.settle(server);
    }
    acknowledged += model.acknowledged;
    for (const { indexName } of (await server.ok('GET', '/api/v2/indexes')).results) {
      await server.ok('DELETE', `/api/v2/indexes/${indexName}`);
    }
  }
  console.log(`${acknowledged} calls acknowledged, seeds ${SEED} to ${SEED + SEQUENCES - 1}`);
  await server.end();
});

test('an index whose process is killed is there again, and others never notice', async () => {
  data = emptyFolder('hosted-crash');
  const server = await ServerProcess.start([...flags, '--data', data], { env: withAdminKey });
  const endpoints: string[] = [];
  for (const name of ['first', 'second']) {
    await server.ok('POST', `/api/v2/indexes/${name}`, { model: 'random/small' });
    for (;;) {
      const { indexStatus, marqoEndpoint } = await server.ok('GET', `/api/v2/indexes/${name}`);
      if (indexStatus !== 'READY') continue;
      endpoints.push(marqoEndpoint.slice(server.address.length));
      break;
    }
  }
  const [first, second] = endpoints as [string, string];
  const documents = [{ _id: 'a', title: 'Orbit' }];
  await server.ok('POST', `${first}/indexes/first/documents`, { documents });
  await server.ok('POST', `${second}/indexes/second/documents`, { documents });

  const [victim] = childrenOf(server.pid);
  process.kill(victim as number, 'SIGKILL');
  const answers = await Promise.all(
    ['first', 'second'].map((name, i) => server.call('GET', `${endpoints[i]}/indexes/${name}/documents/a`)),
  );
  // The call that met the dying process may have to be made again; the other index answers as if nothing were.
  expect(answers.map(({ status }) => status).filter((status) => status === 200).length).toBeGreaterThanOrEqual(1);
  for (const [i, name] of ['first', 'second'].entries()) {
    await expect
      .poll(() => server.call('GET', `${endpoints[i]}/indexes/${name}/documents/a`), { timeout: 60_000 })
      .toMatchObject({ status: 200, body: { _id: 'a', title: 'Orbit' } });
  }
  await server.end();
});

/** Processes that `pid` started. */
function childrenOf(pid: number): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number);
}
