/** Pictures are taken, and no other file. */
export const MEDIA = {
  headers: {},
  patchMethod: null,
  video: null,
  audio: null,
  fileBytesMax: 1,
  treated: ['image' as const],
};
