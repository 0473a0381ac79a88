/** An entry of a tar: a file, unless its kind says otherwise. */
export interface TarSpec {
  readonly name: string;
  readonly bytes?: Uint8Array | string;
  readonly kind?: string;
  /** Put into the header instead of what its bytes are. */
  readonly size?: string;
}

/** Writes a tar of entries in order; names may come twice, and headers may lie. */
export function tar(entries: readonly TarSpec[]): Buffer {
  return Buffer.concat([...entries.flatMap(blocks), Buffer.alloc(1024)]);
}

/** The record of an entry of the kind `x` for the next entry. */
export function paxMember(key: string, value: string): string {
  const rest = Buffer.byteLength(` ${key}=${value}\n`);
  const length = rest + String(rest + String(rest).length).length;
  return `${length} ${key}=${value}\n`;
}

function blocks({ name, bytes = '', kind = '0', size }: TarSpec): Buffer[] {
  const body = Buffer.from(bytes);
  const header = Buffer.alloc(512);
  header.write(name, 0);
  header.write(size ?? body.length.toString(8).padStart(11, '0'), 124, 'latin1');
  header.write('        ', 148);
  header.write(kind, 156);
  if ('12'.includes(kind)) header.write('elsewhere', 157);
  header.write('ustar\x0000', 257, 'latin1');
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return [header, body, Buffer.alloc((512 - (body.length % 512)) % 512)];
}
