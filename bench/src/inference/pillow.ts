import { join } from 'node:path';
import { LineProcess } from '../line-process.ts';
import { BENCH } from '../paths.ts';
import { installFromPypi, PYTHON, pypiVersion } from '../pypi.ts';

/** Pillow in a process of its own, on one thread. */
export class Pillow {
  readonly title: string;
  readonly #process: LineProcess;

  private constructor(title: string) {
    this.title = title;
    this.#process = new LineProcess(PYTHON, [join(BENCH, 'peers', 'pictures')]);
  }

  /** @throws Error when it cannot be installed: without it there are no pictures either */
  static async start(say: (line: string) => void): Promise<Pillow> {
    const failed = await installFromPypi('pictures.txt', process.env, say);
    const [lost] = failed;
    const version = pypiVersion('pillow');
    if (version === null || lost !== undefined)
      throw new Error(`${lost?.[0] ?? 'Pillow'} cannot be installed: ${lost?.[1]}`);
    return new Pillow(`Pillow ${version}`);
  }

  /** Writes so many JPEG files, square, and answers where they are. */
  async make(folder: string, count: number, side: number): Promise<string[]> {
    await this.#process.ask({ op: 'make', folder, count, side });
    return Array.from({ length: count }, (_, number) => join(folder, `${number}.jpg`));
  }

  /** Writes the folder of a joint model with random weights, and answers what it takes and gives. */
  tower(folder: string): Promise<{ side: number; dimensions: number }> {
    return this.#process.ask({ op: 'tower', folder });
  }

  /** Milliseconds for each file to become the pixels of a model that takes squares of `side`. */
  async prepare(files: readonly string[], side: number): Promise<number[]> {
    return (await this.#process.ask<{ milliseconds: number[] }>({ op: 'prepare', files, side })).milliseconds;
  }

  close(): Promise<void> {
    return this.#process.close();
  }
}
