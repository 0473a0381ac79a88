import { join } from 'node:path';
import { LineProcess } from '../line-process.ts';
import { EXECUTABLE, executableIn } from '../paths.ts';
import { missingPeer, peers, peerVersion } from '../peers.ts';
import { Engine } from './measured-engine.ts';
import type { NamedSet, Plan } from './plan.ts';

/** Ours, with its index built in an empty folder. */
export function startOurs(directory: string, folder: string, plan: Plan): Promise<Engine> {
  return Engine.build('pelorus', 'pelorus', new LineProcess(EXECUTABLE, ['serve', directory]), plan, folder);
}

/** Ours as an older checkout has built it. */
export function startBefore(checkout: string, directory: string, folder: string, plan: Plan): Promise<Engine> {
  const child = new LineProcess(executableIn(join(checkout, 'target')), ['serve', directory]);
  return Engine.build('before', 'before', child, plan, folder);
}

/**
 * The engines beside ours that can be had, each with its index built, one after the other. The
 * others are told of.
 */
export async function startPeers(
  directory: string,
  { dim }: NamedSet,
  plan: Plan,
  say: (line: string) => void,
  note: (line: string) => void,
): Promise<Engine[]> {
  const started: Engine[] = [];
  for (const name of plan.engines) {
    const peer = peers().find((each) => each.name === name);
    if (peer === undefined || peerVersion(name) === null) {
      note(missingPeer(name));
      continue;
    }
    const child = new LineProcess(peer.command, peer.args(directory, dim));
    try {
      const engine = await Engine.build(name, peer.title, child, plan);
      say(`${peer.title} built in ${engine.built.seconds.toFixed(1)} s`);
      started.push(engine);
    } catch (error) {
      await child.close();
      note(`${peer.title} DOES NOT RUN HERE: ${(error as Error).message}`);
    }
  }
  return started;
}
