import { encoderProcessor } from '@pelorus/node';
import type { EncoderChoice, Precision } from '../config.js';
import { hasOnnxRuntime } from '../onnx/presence.js';
import type { Modality } from '../resolved-model.js';

/** The facts of this machine that the choice of an encoder depends on. */
export interface EncoderMachine {
  /** Name of the kernels that encoders of Pelorus have here. */
  readonly kernels: string;
  /** Texts in f32 take no more time with them than on ONNX Runtime. */
  readonly isFast: boolean;
  /** Pictures in f32 take less time with them than on ONNX Runtime. */
  readonly isFastAtPictures: boolean;
  readonly hasOnnxRuntime: boolean;
}

/** This machine. */
export function encoderMachine(): EncoderMachine {
  return { ...encoderProcessor(), hasOnnxRuntime: hasOnnxRuntime() };
}

/**
 * Tells why a kind of input goes to ONNX Runtime even where an encoder of Pelorus knows the graph, in words for the
 * operator; null where that encoder has it. Under `auto` the faster program has it, as far as it is installed; where
 * another precision than f32 is asked for, ONNX Runtime has none of it.
 */
export function reasonForOnnxRuntime(
  choice: EncoderChoice,
  modality: Modality,
  precision: Precision,
  machine: EncoderMachine,
): string | null {
  if (choice === 'onnxruntime') return '--encoder is onnxruntime';
  if (choice === 'pelorus' || precision !== 'f32' || !machine.hasOnnxRuntime) return null;
  const [isFast, inputs] = modality === 'text' ? [machine.isFast, 'texts'] : [machine.isFastAtPictures, 'pictures'];
  return isFast ? null : `it is faster at ${inputs} in f32 than the ${machine.kernels} kernels of this processor`;
}

/** Tells in a few words which program runs models, and why. */
export function encoderText(choice: EncoderChoice, precision: Precision, machine: EncoderMachine): string {
  const runtime = machine.hasOnnxRuntime ? 'ONNX Runtime' : 'ONNX Runtime, which is not installed,';
  const reason = reasonForOnnxRuntime(choice, 'text', precision, machine);
  if (reason !== null) return `${runtime.replace(/,$/, '')}: ${reason}`;
  const hasPictures = reasonForOnnxRuntime(choice, 'image', precision, machine) === null;
  return `Pelorus in ${precision} (${machine.kernels} kernels); ${runtime} for ${hasPictures ? '' : 'pictures and '}other models`;
}
