import type { Page } from 'playwright-core';

/** A picture as the mean colours of its blocks: smoothed edges, which differ between machines, are lost in them. */
export interface Picture {
  readonly width: number;
  readonly height: number;
  /** Red, green and blue of each block, row by row. */
  readonly colours: Uint8Array;
}

/** Pixels of the side of a block. */
const BLOCK = 4;
/** Steps of 255 by which a colour may differ. */
const COLOUR_SLACK = 32;

/** The number of blocks that differ; infinite where the sizes do. */
export function differingBlocks(one: Picture, other: Picture): number {
  if (one.width !== other.width || one.height !== other.height) return Number.POSITIVE_INFINITY;
  const blocks = one.width * one.height;
  let differing = 0;
  for (let block = 0; block < blocks; block += 1) {
    const differs = [0, 1, 2].some((channel) => {
      const at = 3 * block + channel;
      return Math.abs((one.colours[at] ?? 0) - (other.colours[at] ?? 0)) > COLOUR_SLACK;
    });
    if (differs) differing += 1;
  }
  return differing;
}

/** A picture of the whole page, in blocks. @param decoder any page */
export async function taken(page: Page, decoder: Page): Promise<Picture> {
  const shot = await page.screenshot({ animations: 'disabled', caret: 'hide', scale: 'css', fullPage: true });
  return inBlocks(decoder, shot, BLOCK);
}

/** A PNG in blocks, of one pixel each for a picture that was stored so. @param decoder any page */
export async function inBlocks(decoder: Page, png: Buffer, block = 1): Promise<Picture> {
  // Bytes go as text between the browser and the test: of a list each number would be looked at.
  const { colours, ...size } = await decoder.evaluate(
    async ({ bytes, side }) => {
      const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${bytes}`)).blob());
      const context = new OffscreenCanvas(image.width, image.height).getContext('2d');
      if (context === null) throw new Error('the browser draws nothing');
      context.drawImage(image, 0, 0);
      const { data } = context.getImageData(0, 0, image.width, image.height);
      const [width, height] = [Math.floor(image.width / side), Math.floor(image.height / side)];
      let told = '';
      for (let row = 0; row < height; row += 1) {
        for (let column = 0; column < width; column += 1) {
          for (let channel = 0; channel < 3; channel += 1) {
            let sum = 0;
            for (let y = row * side; y < (row + 1) * side; y += 1) {
              for (let x = column * side; x < (column + 1) * side; x += 1) {
                sum += data[4 * (y * image.width + x) + channel] ?? 0;
              }
            }
            told += String.fromCharCode(Math.round(sum / side ** 2));
          }
        }
      }
      return { width, height, colours: btoa(told) };
    },
    { bytes: png.toString('base64'), side: block },
  );
  return { ...size, colours: Buffer.from(colours, 'base64') };
}

/** The PNG of a picture, with a pixel for each block. */
export async function pngOf(decoder: Page, { width, height, colours }: Picture): Promise<Buffer> {
  const bytes = await decoder.evaluate(
    async (picture) => {
      const canvas = new OffscreenCanvas(picture.width, picture.height);
      const context = canvas.getContext('2d');
      if (context === null) throw new Error('the browser draws nothing');
      const image = context.createImageData(picture.width, picture.height);
      const colours = Uint8Array.from(atob(picture.colours), (letter) => letter.charCodeAt(0));
      for (let block = 0; block < picture.width * picture.height; block += 1) {
        image.data.set(colours.subarray(3 * block, 3 * block + 3), 4 * block);
        image.data[4 * block + 3] = 255;
      }
      context.putImageData(image, 0, 0);
      const blob = await canvas.convertToBlob({ type: 'image/png' });
      return [...new Uint8Array(await blob.arrayBuffer())];
    },
    { width, height, colours: Buffer.from(colours).toString('base64') },
  );
  return Buffer.from(bytes);
}
