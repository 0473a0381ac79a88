import { crc32, deflateSync } from 'node:zlib';

/** Red, green and blue of a pixel. */
type Pixel = readonly [red: number, green: number, blue: number];

/** A PNG of 8 bits a channel. */
export function png(width: number, height: number, pixel: (x: number, y: number) => Pixel): Uint8Array<ArrayBuffer> {
  const rows = Buffer.alloc(height * (1 + width * 3));
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) rows.set(pixel(x, y), y * (1 + width * 3) + 1 + x * 3);
  }
  return pngOf(width, height, deflateSync(rows));
}

/** A PNG whose pixels are what `compressed` holds, whatever its header claims. */
export function pngOf(width: number, height: number, compressed: Uint8Array): Uint8Array<ArrayBuffer> {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const chunks = [chunk('IHDR', header), chunk('IDAT', compressed), chunk('IEND', Buffer.alloc(0))];
  return new Uint8Array(Buffer.concat([signature, ...chunks]));
}

/** A picture that differs for every seed. */
export function picture(seed: number, width = 40, height = 30): Uint8Array<ArrayBuffer> {
  return png(width, height, (x, y) => [(x * 5 + seed * 17) % 256, (y * 7 + seed * 29) % 256, (x * y + seed) % 256]);
}

export const dataUri = (bytes: Uint8Array) => `data:image/png;base64,${Buffer.from(bytes).toString('base64')}`;

function chunk(type: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const check = Buffer.alloc(4);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, check]);
}
