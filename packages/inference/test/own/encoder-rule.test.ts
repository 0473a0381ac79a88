import { expect, test } from 'vitest';
import { hasOnnxRuntime, runtimePackage } from '../../src/onnx/presence.js';
import { encoderMachine, encoderText } from '../../src/own/encoder-rule.js';

const FAST = { kernels: 'avx512', isFast: true, isFastAtPictures: true, hasOnnxRuntime: true };
const FAST_AT_TEXTS = { ...FAST, kernels: 'avx2', isFastAtPictures: false };
const SLOW = { ...FAST_AT_TEXTS, kernels: 'scalar', isFast: false };
const without = (machine: typeof FAST) => ({ ...machine, hasOnnxRuntime: false });

test.each([
  ['auto', 'f32', FAST, 'Pelorus in f32 (avx512 kernels); ONNX Runtime for other models'],
  ['auto', 'f32', FAST_AT_TEXTS, 'Pelorus in f32 (avx2 kernels); ONNX Runtime for pictures and other models'],
  ['auto', 'bf16', SLOW, 'Pelorus in bf16 (scalar kernels); ONNX Runtime for other models'],
  ['auto', 'f32', SLOW, 'ONNX Runtime: it is faster at texts in f32 than the scalar kernels of this processor'],
  [
    'auto',
    'f32',
    without(SLOW),
    'Pelorus in f32 (scalar kernels); ONNX Runtime, which is not installed, for other models',
  ],
  ['pelorus', 'f32', SLOW, 'Pelorus in f32 (scalar kernels); ONNX Runtime for other models'],
  ['onnxruntime', 'f32', FAST, 'ONNX Runtime: --encoder is onnxruntime'],
  ['onnxruntime', 'f32', without(FAST), 'ONNX Runtime, which is not installed: --encoder is onnxruntime'],
] as const)('with --encoder %s in %s, a start says of %j: %s', (choice, precision, machine, said) => {
  expect(encoderText(choice, precision, machine)).toBe(said);
});

test('this machine is one of those, and a clone has ONNX Runtime wherever there is one', () => {
  expect(encoderMachine()).toMatchObject({
    kernels: expect.stringMatching(/^\w+$/),
    isFast: expect.any(Boolean),
    isFastAtPictures: expect.any(Boolean),
  });
  const hasBuild = process.platform !== 'darwin' || process.arch !== 'x64';
  expect(hasOnnxRuntime()).toBe(hasBuild);
  expect(runtimePackage()).toContain(`-${process.platform}-${process.arch}`);
});
