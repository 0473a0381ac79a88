import { readFileSync } from 'node:fs';
import { fromRoot } from '../paths.mjs';

interface Instruction {
  readonly name: string;
  readonly text: string;
}

/** The last stage of the container recipe: the commands and variables that a container of it has. */
export class ContainerRecipe {
  /** Instructions of all stages. */
  readonly instructions: readonly Instruction[];
  readonly #last: readonly Instruction[];

  constructor() {
    const text = readFileSync(fromRoot('deploy', 'container', 'Containerfile'), 'utf8');
    const lines = text
      .replace(/^#.*\n/gm, '')
      .replace(/\\\n\s*/g, '')
      .split('\n');
    this.instructions = lines.flatMap((line) => {
      const [, name, text] = /^([A-Z]+) (.*)$/.exec(line) ?? [];
      if (line !== '' && name === undefined) throw new Error(`no instruction: ${line}`);
      return name === undefined || text === undefined ? [] : [{ name, text }];
    });
    this.#last = this.instructions.slice(this.instructions.findLastIndex(({ name }) => name === 'FROM'));
  }

  /** The images of the stages. */
  get images(): string[] {
    return this.instructions.flatMap(({ name, text }) => (name === 'FROM' ? [text.split(' ')[0] as string] : []));
  }

  get env(): Record<string, string> {
    const pairs = this.#of('ENV').flatMap((text) => text.split(/ +/));
    return Object.fromEntries(pairs.map((pair) => pair.split('=') as [string, string]));
  }

  /** The shell command that installs the packages of the folder `packages`. */
  installFrom(packages: string): string {
    const [run] = this.instructions.filter(({ name }) => name === 'RUN');
    if (run === undefined) throw new Error('RUN must be there');
    return run.text.replaceAll(' /packages/', ` ${packages}/`);
  }

  /** The words that start the server. */
  get start(): string[] {
    return [...JSON.parse(this.only('ENTRYPOINT')), ...JSON.parse(this.only('CMD'))];
  }

  /** The words that ask for the health. */
  get healthCheck(): string[] {
    return JSON.parse(/CMD (\[.*\])$/.exec(this.only('HEALTHCHECK'))?.[1] ?? '');
  }

  /** The text of an instruction that the last stage has once. */
  only(name: string): string {
    const [text, ...more] = this.#of(name);
    if (text === undefined || more.length > 0) throw new Error(`${name} must be there once`);
    return text;
  }

  #of(wanted: string): string[] {
    return this.#last.filter(({ name }) => name === wanted).map(({ text }) => text);
  }
}
