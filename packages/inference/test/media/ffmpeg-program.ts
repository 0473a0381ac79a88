import { execFileSync } from 'node:child_process';
import { pythonWith } from '../../../cli/test/e2e/python-environment.js';

/** A static build of ffmpeg from PyPI. */
const IMAGEIO_FFMPEG = 'imageio-ffmpeg==0.8.1';

/** The file of an ffmpeg of a known release, fetched once and kept beside the build. */
export function ffmpegProgram(): string {
  const python = pythonWith([IMAGEIO_FFMPEG]);
  const script = 'import imageio_ffmpeg; print(imageio_ffmpeg.get_ffmpeg_exe())';
  return execFileSync(python, ['-c', script], { encoding: 'utf8' }).trim();
}

/** Runs ffmpeg, to make a file in a folder. */
export function runFfmpeg(program: string, folder: string, args: readonly string[]): void {
  execFileSync(program, ['-nostdin', '-v', 'error', '-y', ...args], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}
