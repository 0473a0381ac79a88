import { LoopBeat, type SilentLoop, silentLoops } from '@pelorus/engine';
import type { Config } from '../config.js';

const BEAT_MS = 1_000;

/** The part of `httpHangSeconds` after which the silence of a loop is told. */
const TOLD_PART = 4;

/** Seconds beyond `httpHangSeconds` that the first loop has to end another one in good order. */
const SPARE_SECONDS = 30;

type Patience = Pick<Config, 'httpHangSeconds'>;

/** The name of an event loop in the log and in health; the first one is 1. */
export const loopName = (number: number) => `HTTP thread ${number}`;

/**
 * Lets the event loop of this thread be watched: its silence is told in the log after a while, and at last ends the process,
 * unless the first loop has ended this one before.
 * @returns the end of the watch
 */
export function watchThisLoop(number: number, { httpHangSeconds }: Patience): () => void {
  const secondsMax = number === 1 ? httpHangSeconds : httpHangSeconds + SPARE_SECONDS;
  const watched = LoopBeat.begin(loopName(number), toldSeconds({ httpHangSeconds }), secondsMax);
  const timer = setInterval(() => watched.beat(), BEAT_MS).unref();
  return () => {
    clearInterval(timer);
    watched.end();
  };
}

/** The loops that have been silent for long enough to be told. */
export function silentForLong(patience: Patience): SilentLoop[] {
  return silentLoops(toldSeconds(patience));
}

/** The loops that hang. */
export function hung({ httpHangSeconds }: Patience): SilentLoop[] {
  return silentLoops(httpHangSeconds);
}

/** Tells of a silence, without a full stop. */
export const silenceText = ({ name, seconds }: SilentLoop) => `${name} has not turned for ${seconds} s`;

const toldSeconds = ({ httpHangSeconds }: Patience) => Math.ceil(httpHangSeconds / TOLD_PART);
