import { PelorusError } from '@pelorus/contract';

const COUNT_MAX = 64;
const BYTES_MAX = 8 * 1024;
const NAME = /^[!#$%&'*+.^_`|~0-9a-z-]+$/i;
/** Printable ASCII and tabs. */
const VALUE = /^[\t\x20-\x7e]*$/;
/** Headers that say how a request travels, or through whom: those are ours to write. */
const RESERVED =
  /^(?:host|content-length|content-type|transfer-encoding|connection|keep-alive|te|trailer|upgrade|expect|accept-encoding|via|forwarded|proxy-.*|x-forwarded-.*|metadata(?:-.*)?|x-aws-ec2-metadata-.*)$/i;

/**
 * Holds headers that a client wants sent with each fetch against what may be sent.
 * @throws PelorusError `invalid_argument` that names the header and never shows a value, which may be a secret
 */
export function checkMediaHeaders(headers: Readonly<Record<string, string>>): void {
  const entries = Object.entries(headers);
  if (entries.length > COUNT_MAX) {
    throw refused(`expected at most ${COUNT_MAX}, received ${entries.length}`);
  }
  const bytes = entries.reduce((sum, [name, value]) => sum + name.length + value.length, 0);
  if (bytes > BYTES_MAX) throw refused(`expected at most ${BYTES_MAX} bytes of names and values, received ${bytes}`);
  for (const [name, value] of entries) {
    if (!NAME.test(name)) throw refused(`${JSON.stringify(name)} is no name of a header`);
    if (RESERVED.test(name)) throw refused(`${name} cannot be set`);
    if (!VALUE.test(value)) throw refused(`the value of ${name} must be of printable ASCII characters`);
  }
}

const refused = (reason: string) => new PelorusError('invalid_argument', `Media download headers: ${reason}.`);
