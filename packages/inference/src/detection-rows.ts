/** Numbers of a detection: left, top, right and bottom in pixels of the picture at 240 x 240, and the score. */
const DETECTION_LENGTH = 5;

/** Numbers of the finds in one picture, `[100, 5]`: the detections, best first, and zeros after them. */
export const DETECTIONS_LENGTH = 100 * DETECTION_LENGTH;

/** The detections without the zeros after them: every part has an area. */
export function detectionsOf(row: Float32Array): Float32Array<ArrayBuffer> {
  let end = 0;
  while ((row[end + 2] ?? 0) > (row[end] ?? 0)) end += DETECTION_LENGTH;
  return new Float32Array(row.subarray(0, end));
}
