// A preparation thread that does what its picture says, so that tests decide when one is lost or long at work.
export default async function prepare({ picture, preparation }) {
  if (picture === 'end') process.exit(3);
  if (picture === 'throw') throw new Error('a defect');
  if (picture === 'fail') return { failure: 'too green' };
  if (picture === 'wait') Atomics.wait(preparation.flag, 0, 0);
  return { values: new Float32Array([1]), shape: [1], boxes: [] };
}
