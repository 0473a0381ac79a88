import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { Ffmpeg, type RecordingFile, type RecordingMedium, type Span } from '../../src/media/ffmpeg.js';
import { MediaFailure } from '../../src/media/media-failure.js';
import { temporaryDirectory } from '../temporary-directory.js';
import { ffmpegProgram, runFfmpeg } from './ffmpeg-program.js';

let program: string;
let ffmpeg: Ffmpeg;

beforeAll(() => {
  program = ffmpegProgram();
  ffmpeg = new Ffmpeg(program);
});

/** Ten frames a second, each of one grey: frame `n` has the level `4 * n`. */
const GREYS = 'color=black:s=64x48:r=10:d=5,format=gray,geq=lum=4*N,format=rgb24';

/** H.264 in which most frames are predicted from later ones. In lossless H.264 none are. */
const B_FRAMES = ['-c:v', 'libx264', '-bf', '3', '-b_strategy', '0', '-g', '30', '-qp', '4', '-pix_fmt', 'yuv444p'];

/** A file that ffmpeg makes of `args`, the last of which is its name. */
async function made(args: readonly string[]): Promise<RecordingFile> {
  const folder = await temporaryDirectory();
  runFfmpeg(program, folder, args);
  return { folder, name: args.at(-1) ?? '' };
}

async function written(name: string, content: string | Uint8Array): Promise<RecordingFile> {
  const folder = await temporaryDirectory();
  await writeFile(join(folder, name), content);
  return { folder, name };
}

const greyFilm = (name: string, ...codec: string[]) => made(['-f', 'lavfi', '-i', GREYS, ...codec, name]);

/** The grey of each place of a piece. */
async function greys(file: RecordingFile, piece: Span): Promise<number[]> {
  const places: number[] = [];
  const scan = await ffmpeg.scan(file, 'video');
  for await (const frame of ffmpeg.frames(file, piece, scan)) {
    expect([frame.width, frame.height, frame.rgb.byteLength]).toEqual([64, 48, 64 * 48 * 3]);
    for (const place of frame.places) places[place] = frame.rgb[3000] ?? -1;
  }
  return places;
}

async function samples(file: RecordingFile, pieces: readonly Span[]): Promise<Float32Array[]> {
  return (await all(ffmpeg.samples(file, pieces))).map(({ samples }) => samples);
}

async function all<T>(values: AsyncIterable<T>): Promise<T[]> {
  const seen: T[] = [];
  for await (const value of values) seen.push(value);
  return seen;
}

/** The failure of reading a file. */
async function failureOf(file: RecordingFile, medium: RecordingMedium, reader = ffmpeg): Promise<string> {
  const error = await reader.scan(file, medium).then(
    () => 'it was read',
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(MediaFailure);
  return (error as MediaFailure).message;
}

describe('films', () => {
  test.each([
    ['film.mkv', ['-c:v', 'ffv1']],
    ['film.avi', ['-c:v', 'ffv1']],
    ['film.mov', ['-c:v', 'png']],
  ])('%s: eight frames of a piece, evenly spaced', async (name, codec) => {
    const film = await greyFilm(name, ...codec);
    const scan = await ffmpeg.scan(film, 'video');
    expect(scan.seconds).toBeCloseTo(5, 2);
    expect(scan.frameSeconds).toHaveLength(50);
    // numpy.linspace(0, 49, 8, dtype=int), linspace(0, 9, 8) from frame 20 on, and linspace(0, 19, 8) from 30 on.
    expect(await greys(film, { start: 0, end: 5 })).toEqual([0, 7, 14, 21, 28, 35, 42, 49].map((n) => 4 * n));
    expect(await greys(film, { start: 2, end: 3 })).toEqual([20, 21, 22, 23, 25, 26, 27, 29].map((n) => 4 * n));
    expect(await greys(film, { start: 3, end: 5 })).toEqual([30, 32, 35, 38, 40, 43, 46, 49].map((n) => 4 * n));
    expect(await greys(film, { start: 4.75, end: 5 })).toEqual([48, 48, 48, 48, 48, 48, 48, 49].map((n) => 4 * n));
    expect(await greys(film, { start: 5, end: 6 })).toEqual([]);
  });

  test('frames that are predicted from later ones are found where they are shown', async () => {
    const film = await greyFilm('film.mp4', ...B_FRAMES);
    const places = await greys(film, { start: 2, end: 3 });
    for (const [at, n] of [20, 21, 22, 23, 25, 26, 27, 29].entries()) expect(places[at]).toBeCloseTo(4 * n, -1);
  });

  test.each(['film.avi', 'film.ts'])(
    '%s: the first frames are those that are decoded before they are shown',
    async (name) => {
      const film = await made(['-f', 'lavfi', '-i', GREYS.replace('r=10', 'r=5'), ...B_FRAMES, name]);
      const scan = await ffmpeg.scan(film, 'video');
      expect(scan.seconds).toBeCloseTo(5, 1);
      expect(scan.frameSeconds).toHaveLength(25);
      expect(scan.frameSeconds[0]).toBeGreaterThanOrEqual(0);
      const places = await greys(film, { start: 0, end: 5 });
      for (const [at, n] of [0, 3, 6, 10, 13, 17, 20, 24].entries()) expect(places[at]).toBeCloseTo(4 * n, -1);
      expect(await greys(film, { start: 0.05, end: 5 })).toHaveLength(8);
    },
  );

  test('a film whose frames have no times may have a sound', async () => {
    const sound = ['-f', 'lavfi', '-i', 'sine=d=5', '-c:a', 'libmp3lame'];
    const film = await made(['-f', 'lavfi', '-i', GREYS, ...sound, ...B_FRAMES, 'film.avi']);
    const scan = await ffmpeg.scan(film, 'video');
    expect(scan.seconds).toBeCloseTo(5, 0);
    expect(scan.frameSeconds).toHaveLength(50);
    expect(await greys(film, { start: 2, end: 4 })).toHaveLength(8);
  });

  test('the sound of a film counts for its length', async () => {
    const sound = ['-f', 'lavfi', '-i', 'sine=d=7'];
    const film = await made(['-f', 'lavfi', '-i', GREYS, ...sound, '-c:v', 'ffv1', '-c:a', 'pcm_s16le', 'film.mkv']);
    expect((await ffmpeg.scan(film, 'video')).seconds).toBeCloseTo(7, 1);
  });

  test('a sound is no film, and a film without sound no sound', async () => {
    const sound = await made(['-f', 'lavfi', '-i', 'sine=d=1', 'sound.wav']);
    expect(await failureOf(sound, 'video')).toBe('it has no frames');
    const film = await greyFilm('film.mkv', '-c:v', 'ffv1');
    expect(await failureOf(film, 'audio')).toBe('it has no sound');
    const words = await written('words.srt', '1\n00:00:00,000 --> 00:00:01,000\nwords\n');
    runFfmpeg(program, words.folder, ['-i', 'words.srt', 'words.mkv']);
    const onlyWords = { folder: words.folder, name: 'words.mkv' };
    expect(await failureOf(onlyWords, 'audio')).toBe('it has no sound');
    expect(await failureOf(onlyWords, 'video')).toBe('it has no frames');
  });
});

describe('sounds', () => {
  test('pieces have the samples of their time', async () => {
    // One sample in each millisecond, which says which.
    const ramp = 'aevalsrc=floor(t*1000)/10000:s=16000:d=3';
    const sound = await made(['-f', 'lavfi', '-i', ramp, '-c:a', 'pcm_f32le', 'sound.wav']);
    const { seconds, frameSeconds } = await ffmpeg.scan(sound, 'audio');
    expect([seconds, frameSeconds.length]).toEqual([3, 0]);
    const pieces = [
      { start: 0, end: 1.5 },
      { start: 1, end: 2.5 },
      { start: 1.5, end: 3 },
    ];
    const [first, second, third] = await samples(sound, pieces);
    for (const [piece, start] of [
      [first, 0],
      [second, 1000],
      [third, 1500],
    ] as const) {
      expect(piece).toHaveLength(24_000);
      const milliseconds = piece?.map((value) => Math.round(value * 10_000)).filter((_, at) => at % 16 === 8);
      expect(milliseconds).toEqual(Float32Array.from({ length: 1500 }, (_, at) => start + at));
    }
  });

  test('the first channel is heard, at the rate of the model', async () => {
    const stereo = 'aevalsrc=0.5|0.25:s=44100:d=1';
    const sound = await made(['-f', 'lavfi', '-i', stereo, '-c:a', 'pcm_f32le', 'sound.wav']);
    const [heard] = await samples(sound, [{ start: 0, end: 1 }]);
    expect(heard).toHaveLength(16_000);
    expect(heard?.[8000]).toBeCloseTo(0.5, 3);
  });

  test('samples missing at the end are missing from the last pieces', async () => {
    const sound = await made(['-f', 'lavfi', '-i', 'sine=d=1', 'sound.wav']);
    const lengths = (
      await samples(sound, [
        { start: 0, end: 0.5 },
        { start: 0.5, end: 1.5 },
        { start: 2, end: 3 },
      ])
    ).map(({ length }) => length);
    expect(lengths).toEqual([8000, 8000, 0]);
  });
});

describe('hostile files', () => {
  test.each([
    [
      'playlist.m3u8',
      (secret: string) => `#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\nfile://${secret}\n#EXT-X-ENDLIST\n`,
    ],
    ['list.ffconcat', (secret: string) => `ffconcat version 1.0\nfile '${secret}'\n`],
    ['session.sdp', () => 'v=0\nc=IN IP4 127.0.0.1\nm=video 5004 RTP/AVP 96\na=rtpmap:96 H264/90000\n'],
    ['list.mpd', (secret: string) => `<MPD><Period><BaseURL>file://${secret}</BaseURL></Period></MPD>`],
    ['frames.xml', () => '<svg xmlns="http://www.w3.org/2000/svg"/>'],
    ['nothing.mp4', () => ''],
    ['noise.mp4', () => 'no film at all, '.repeat(1000)],
  ])('%s is not read, nor what it names', async (name, content) => {
    const secret = await made(['-f', 'lavfi', '-i', GREYS, '-c:v', 'ffv1', 'secret.mkv']);
    const hostile = await written(name, content(join(secret.folder, secret.name)));
    for (const medium of ['video', 'audio'] as const) {
      const failure = await failureOf(hostile, medium);
      expect(failure).toContain('ffmpeg cannot read it');
      expect(failure).not.toContain(secret.folder);
      expect(failure).not.toContain(hostile.folder);
    }
  });

  // Windows has no such names.
  test.skipIf(process.platform === 'win32')(
    'a name that looks like an option or another protocol is a name',
    async () => {
      const folder = await temporaryDirectory();
      runFfmpeg(program, folder, ['-f', 'lavfi', '-i', GREYS, '-c:v', 'ffv1', 'film.mkv']);
      await rename(join(folder, 'film.mkv'), join(folder, '-concat:a|b'));
      expect((await ffmpeg.scan({ folder, name: '-concat:a|b' }, 'video')).frameSeconds).toHaveLength(50);
    },
  );

  test('frames larger than any camera makes are not decoded', async () => {
    const film = await made(['-f', 'lavfi', '-i', 'color=s=5000x5000:r=1:d=1', '-c:v', 'ffv1', 'film.mkv']);
    const scan = await ffmpeg.scan(film, 'video');
    const decoding = all(ffmpeg.frames(film, { start: 0, end: 1 }, scan));
    await expect(decoding).rejects.toThrow(MediaFailure);
  });
});

test('an aborted reader gets the reason of its signal', async () => {
  const film = await greyFilm('film.mkv', '-c:v', 'ffv1');
  const scan = await ffmpeg.scan(film, 'video');
  const controller = new AbortController();
  const reading = all(ffmpeg.frames(film, { start: 0, end: 5 }, scan, controller.signal));
  controller.abort(new Error('nobody waits'));
  await expect(reading).rejects.toThrow('nobody waits');
});

test('without ffmpeg the failure says so', async () => {
  const film = await written('film.mkv', 'never read');
  expect(await failureOf(film, 'video', new Ffmpeg(null))).toBe(
    'films and sounds are read by ffmpeg, which this server does without',
  );
  expect(await failureOf(film, 'video', new Ffmpeg('ffmpeg-that-nobody-has'))).toBe(
    'films and sounds are read by ffmpeg, which is not installed here: no program ffmpeg-that-nobody-has on the path. Install it, or name its file by --ffmpeg',
  );
  expect(await failureOf(film, 'video', new Ffmpeg('/nowhere/ffmpeg'))).toBe(
    'films and sounds are read by ffmpeg, which is not installed here: no program /nowhere/ffmpeg. Install it, or name its file by --ffmpeg',
  );
});
