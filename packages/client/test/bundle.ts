import { rolldown } from 'rolldown';

const ENTRY = '\0program';

/** A program for browsers as one module, without what it does not use. */
export async function bundleOf(program: string): Promise<string> {
  const entry = {
    name: 'program',
    resolveId: (id: string) => (id === ENTRY ? id : null),
    load: (id: string) => (id === ENTRY ? program : null),
  };
  const bundle = await rolldown({ input: ENTRY, platform: 'browser', plugins: [entry] });
  try {
    const { output } = await bundle.generate({ format: 'esm', minify: true });
    if (output.length > 1) throw new Error('the program is more than one module');
    return output[0].code;
  } finally {
    await bundle.close();
  }
}
