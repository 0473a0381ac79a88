import { isIP } from 'node:net';
import { readAuthority } from './http/authority.js';
import { PATCH_METHOD_NAMES, parsePatchPreloads, parsePreloads } from './preloads.js';

/** A setting from the environment or a command line flag: its names, its default and how its text is read. */
export interface Setting<Value> {
  /** Environment name; `MARQO_*` and `VESPA_*` names are those operators of this interface know. */
  readonly env: string;
  /** Our own flag, without the dashes. */
  readonly flag: string;
  readonly about: string;
  readonly fallback: Value;
  readonly read: (text: string) => Value | undefined;
  /** The values that `read` takes, for the message that refuses another. */
  readonly expected: string;
}

export const integer = (min: number, max = Number.MAX_SAFE_INTEGER) => ({
  read: (text: string) => {
    const value = Number(text);
    return /^\d+$/.test(text) && value >= min && value <= max ? value : undefined;
  },
  expected: max === Number.MAX_SAFE_INTEGER ? `an integer of at least ${min}` : `an integer from ${min} to ${max}`,
});

export const positive = {
  read: (text: string) => (/^\d+(\.\d+)?$/.test(text) && Number(text) > 0 ? Number(text) : undefined),
  expected: 'a number above 0',
};

/** An address that paths can be joined to. */
export const baseUrl = {
  read: (text: string) => (/^https?:\/\/[^/?#]+(\/[^?#]+)?$/.test(text) ? text.replace(/\/+$/, '') : undefined),
  expected: 'an http or https address without a query',
};

/** The origin of a hub, or `none`. */
export const hub = {
  read: (text: string) => (text === 'none' || /^https?:\/\/[^/]/.test(text) ? text : undefined),
  expected: 'an http or https address, or none',
};

export const awsRegion = {
  read: (name: string) => (/^[a-z0-9-]{1,64}$/.test(name) ? name : undefined),
  expected: 'the name of a region such as eu-west-1',
};

/** Headers as the standard of OpenTelemetry writes them: `name=value`, percent-encoded, between commas. */
export const headerList = {
  read: (text: string) => {
    const pairs = text.split(',').map((pair) => /^\s*([\w!#$%&'*+.^`|~-]+)\s*=\s*(.*?)\s*$/.exec(pair));
    try {
      const read = pairs.map((pair) => [pair?.[1] as string, decodeURIComponent(pair?.[2] as string)] as const);
      const isPlain = pairs.every((pair) => pair !== null) && read.every(([, value]) => /^[\x20-\x7e]+$/.test(value));
      return isPlain ? Object.fromEntries(read) : undefined;
    } catch {
      return undefined;
    }
  },
  expected: 'headers such as name=value, separated by commas',
};

/** A share of a whole. */
export const ratio = {
  read: (text: string) => (/^(?:0(?:\.\d+)?|1(?:\.0+)?|\.\d+)$/.test(text) ? Number(text) : undefined),
  expected: 'a number from 0 to 1',
};

export const yesOrNo = {
  read: (word: string) => ({ true: true, false: false })[word.toLowerCase()],
  expected: 'true or false',
};

export const text = { read: (value: string) => value, expected: 'a text' };

/** Reads items between commas, each on its own; undefined where one cannot be read, or where there is none. */
export const listOf = (read: (item: string) => string | undefined) => (value: string) => {
  const items = value.split(',').map((item) => read(item.trim()));
  return items.every((item) => item !== undefined) ? items : undefined;
};

export const hostNames = {
  read: listOf((name) => {
    if (name === '*') return name;
    const { host, port } = readAuthority(name) ?? {};
    return port === '' ? host : undefined;
  }),
  expected: 'host names without a port, separated by commas, or * for any',
};

export const origins = {
  read: listOf((origin) => {
    const url = /^https?:/i.test(origin) ? URL.parse(origin) : null;
    return url?.href === `${url?.origin}/` ? url.origin : undefined;
  }),
  expected: 'origins such as https://shop.example, separated by commas',
};

export const networks = {
  read: listOf((network) => {
    const [, address = '', bits] = /^(.*)\/(\d{1,3})$/.exec(network) ?? [];
    const isNetwork = isIP(address) !== 0 && Number(bits) <= (isIP(address) === 4 ? 32 : 128);
    return isNetwork ? network : undefined;
  }),
  expected: 'networks such as 10.1.0.0/16 or fd00::/8, separated by commas',
};

const unitBytes: Readonly<Record<string, number>> = {
  '': 1,
  ...{ kb: 1e3, mb: 1e6, gb: 1e9, tb: 1e12 },
  ...{ kib: 2 ** 10, mib: 2 ** 20, gib: 2 ** 30, tib: 2 ** 40 },
};

/** Less than this the process holds before it has any document. */
const MEMORY_BYTES_MIN = 128 * 2 ** 20;

export const memorySize = {
  read: (text: string) => {
    const [, number, unit] = /^(\d+(?:\.\d+)?) ?([kmgt]i?b)?$/i.exec(text) ?? [];
    const bytes = Math.floor(Number(number) * (unitBytes[unit?.toLowerCase() ?? ''] ?? Number.NaN));
    return bytes >= MEMORY_BYTES_MIN && Number.isSafeInteger(bytes) ? bytes : undefined;
  },
  expected: 'a size of at least 128MiB, in bytes or with a unit such as MiB or GB',
};

const unitSeconds: Readonly<Record<string, number>> = { m: 60, h: 3_600, d: 86_400 };

/** A time, read as seconds. */
export const interval = {
  read: (text: string) => {
    const [, number, unit = ''] = /^(\d{1,6}) ?([mhd])$/i.exec(text) ?? [];
    const seconds = Number(number) * (unitSeconds[unit.toLowerCase()] ?? Number.NaN);
    return seconds > 0 ? seconds : undefined;
  },
  expected: 'a time such as 30m, 24h or 7d',
};

/** A place of backups. Credentials in it would be told with every error. */
export const backupPlace = {
  read: (text: string) => (/^[a-z][a-z0-9+.-]+:/i.test(text) && !/^(?:s3:\/\/|file:)/.test(text) ? undefined : text),
  expected: 'a folder, or a bucket as s3://bucket/prefix',
};

export const preloads = {
  read: parsePreloads,
  expected: 'a JSON array of model names, or of objects with model and modelProperties',
};

export const patchPreloads = {
  read: parsePatchPreloads,
  expected: `a JSON array of names out of ${PATCH_METHOD_NAMES.join(', ')}`,
};

export const oneOf = <const Words extends readonly string[]>(...words: Words) => ({
  read: (value: string): Words[number] | undefined => words.find((word) => word === value.toLowerCase()),
  expected: `one of ${words.join(', ')}`,
});

const levels = oneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent');

/** `warning` is how operators of this interface have spelt it. */
export const logLevel = {
  ...levels,
  read: (word: string) => levels.read(word.toLowerCase() === 'warning' ? 'warn' : word),
};

/** Makes a setting. */
export function setting<Value>(
  env: string,
  flag: string,
  fallback: Value,
  kind: Pick<Setting<Value>, 'read' | 'expected'>,
  about: string,
): Setting<Value> {
  return { env, flag, about, fallback, ...kind };
}
