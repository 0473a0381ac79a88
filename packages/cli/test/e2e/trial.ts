import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { outputsOf } from './page.js';
import { emptyFolder, ServerProcess } from './server-process.js';

/** A server with the default data folder of an empty folder, and the commands of pages that run there. */
export class Trial {
  readonly server: ServerProcess;
  readonly #folder: string;

  private constructor(server: ServerProcess, folder: string) {
    this.server = server;
    this.#folder = folder;
  }

  static async begin(flags: string[] = [], env: NodeJS.ProcessEnv = {}): Promise<Trial> {
    const folder = emptyFolder('pages');
    const data = join(folder, '.pelorus', 'data');
    return new Trial(await ServerProcess.start([...flags, '--data', data], { env }), folder);
  }

  /** Writes a file that the commands of a page read. */
  write(name: string, text: string): void {
    writeFileSync(join(this.#folder, name), text);
  }

  /** Runs the commands of a page and returns the output of each. */
  async outputs(
    page: string,
    more: { env?: NodeJS.ProcessEnv; replaced?: Readonly<Record<string, string>> } = {},
  ): Promise<string[]> {
    return await outputsOf(page, { address: this.server.address, folder: this.#folder, ...more });
  }

  async end(): Promise<void> {
    await this.server.end();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
