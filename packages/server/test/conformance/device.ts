import type { Case, Exchange, Expected, Part } from './case.js';
import { add, success, updating, written } from './documents.js';
import { error, holding, invalidArgument } from './errors.js';
import { create, field, small, structured } from './indexes.js';

/** Requests that take a device, on an index of each kind. */
const withDevice: readonly (readonly [name: string, request: string, body: unknown])[] = [
  ['add', '/documents', { documents: [{ _id: 'device', t: 'x' }] }],
  ['search', '/search', { q: 'x' }],
  ['embed', '/embed', { content: 'x' }],
];
const onDevice = (about: string, device: string, expected: Expected): Case[] =>
  withDevice.flatMap(([name, path, body]) =>
    ['a', 's'].map((index) => ({
      section: '1.4',
      about: `${about}: ${name} to ${index}`,
      exchanges: [{ request: `POST /indexes/${index}${path}?device=${device}`, body, ...expected } satisfies Exchange],
    })),
  );

const devices: Case[] = [
  ...onDevice('cpu', 'cpu', { status: 200 }),
  ...onDevice('cpu in capitals', 'CPU', { status: 200 }),
  ...['cuda', 'cuda1', 'CUDA1'].flatMap((device) =>
    onDevice(
      `${device}, which this machine does not have`,
      device,
      error(
        400,
        'hardware_compatability_error',
        holding(`Requested device: \`${device === 'cuda' ? 'cuda' : 'cuda:1'}\``),
      ),
    ),
  ),
  ...['gpu', '', 'tpu'].flatMap((device) =>
    onDevice(
      `'${device}', which is no device`,
      device,
      invalidArgument(
        `Given device \`${device}\` doesn't start with a known device type. Acceptable device types: ['cpu', 'cuda']`,
      ),
    ),
  ),
  ...['cudax', 'cpu1'].flatMap((device) =>
    onDevice(
      `${device}, which is no number of a device`,
      device,
      invalidArgument(`Given device \`${device}\` not recognised. Acceptable devices: ['cpu', 'cuda']`),
    ),
  ),
  {
    section: '1.4',
    about: 'a device is no matter of what embeds nothing',
    exchanges: [
      {
        ...updating('a', [{ _id: 'known' }]),
        request: 'PATCH /indexes/a/documents?device=gpu',
        ...written('a', success('known')),
      },
    ],
  },
];

/** The device that a call names. */
export const device: Part = {
  title: 'the device of a call',
  preparation: [
    create('a', small),
    create('s', structured([field('t', 'text')], ['t'])),
    add('a', [{ _id: 'known', t: 'x' }], { tensorFields: ['t'] }),
  ],
  cases: devices,
};
