import { join } from 'node:path';
import { LineProcess } from '../line-process.ts';
import { BENCH } from '../paths.ts';
import { installFromPypi, PYTHON, pypiVersion } from '../pypi.ts';

/** Encoders of others, by the names that `peers/encoders` has for them, and the packages that they come from. */
export const ENCODER_PEERS = {
  'onnxruntime int8': 'onnxruntime',
  'openvino f32': 'openvino',
  'openvino bf16': 'openvino',
} as const;
export type EncoderPeer = keyof typeof ENCODER_PEERS;

/** The answer to some texts. */
export interface Embedded {
  readonly vectors: Float32Array;
  readonly milliseconds: number;
  /** Milliseconds of all threads. */
  readonly cpu: number;
}

/** Encoders of others in a process of Python, each with as many threads as ours. */
export class EncoderPeers {
  readonly names: readonly EncoderPeer[];
  readonly #process: LineProcess;

  private constructor(process: LineProcess, names: readonly EncoderPeer[]) {
    this.#process = process;
    this.names = names;
  }

  /** Starts them for a graph; null where one of their packages cannot be installed, which is said. */
  static async start(graph: string, threads: number, say: (line: string) => void): Promise<EncoderPeers | null> {
    const failed = await installFromPypi('encoders.txt', process.env, say);
    for (const [name, reason] of failed) say(`no encoders of others: ${name}: ${reason}`);
    if (failed.size > 0) return null;
    const python = new LineProcess(PYTHON, [join(BENCH, 'peers', 'encoders')]);
    const names = Object.keys(ENCODER_PEERS) as EncoderPeer[];
    for (const name of names) await python.ask({ op: 'load', name, graph, threads });
    return new EncoderPeers(python, names);
  }

  /** The vectors of texts, given as the ids of their tokens. */
  async embed(name: EncoderPeer, texts: readonly (readonly number[])[]): Promise<Embedded> {
    const answer = await this.#process.ask<{ vectors: string; milliseconds: number; cpu: number }>({
      ...{ op: 'embed', name, texts },
    });
    const bytes = Buffer.from(answer.vectors, 'base64');
    return { ...answer, vectors: new Float32Array(new Uint8Array(bytes).buffer) };
  }

  close(): Promise<void> {
    return this.#process.close();
  }
}

/** Its name with the version of its package, for tables. */
export const titleOf = (name: EncoderPeer) => `${name} (${pypiVersion(ENCODER_PEERS[name])})`;
