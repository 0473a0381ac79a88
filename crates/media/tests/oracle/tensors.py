"""Makes sounds and frames of films, and the tensors that the towers of LanguageBind take of them.

Usage: tensors.py FOLDER. Writes raw files and `cases.tsv`, a line for each comparison:

    sound NAME                   NAME.in: f32 samples, 16 kHz; NAME.out: f32 [3, 112, 1036]
    frame NAME WIDTH HEIGHT      NAME.in: RGB bytes; NAME.out: f32 [3, 224, 224]
"""

import math
import sys
from pathlib import Path

import kaldi_native_fbank
import numpy

RANDOM = numpy.random.default_rng(13)
FOLDER = Path(sys.argv[1])
WINDOW = 1036
RATE = 16_000


def filter_bank(samples):
    options = kaldi_native_fbank.FbankOptions()
    options.frame_opts.samp_freq = RATE
    options.frame_opts.dither = 0.0
    options.frame_opts.window_type = "hanning"
    options.mel_opts.num_bins = 112
    options.use_energy = False
    options.htk_compat = True
    bank = kaldi_native_fbank.OnlineFbank(options)
    bank.accept_waveform(RATE, samples.tolist())
    bank.input_finished()
    return numpy.stack([bank.get_frame(at) for at in range(bank.num_frames_ready)])


def sound_tensor(samples):
    """LanguageBind's audio processor, but that its windows begin where the ranges do that it chooses from."""
    bank = filter_bank(samples - samples.mean(dtype=numpy.float64).astype(numpy.float32))
    frames = len(bank)
    if frames > WINDOW:
        ranges = numpy.array_split(range(frames - WINDOW + 1), 3)
        starts = [int(part[0]) if len(part) else 0 for part in ranges]
        windows = [bank[start : start + WINDOW] for start in starts]
    else:
        windows = [numpy.tile(bank, (WINDOW // frames + 1, 1))[:WINDOW]] * 3
    return ((numpy.stack(windows) + 4.2677393) / (4.5689974 * 2)).transpose(0, 2, 1)


def sounds():
    lengths = [400, 559, 560, RATE, 3 * RATE + 77, 10 * RATE]
    lengths += [400 + 160 * (frames - 1) for frames in (1035, 1036, 1037, 1038, 1039, 2500)]
    for length in lengths:
        at = numpy.arange(length) / RATE
        tone = numpy.sin(2 * math.pi * (200 + 900 * at) * at)
        noise = RANDOM.normal(size=length)
        yield 0.5 * tone + 0.05 * noise
        yield 0.01 * noise + 0.2
    yield numpy.zeros(RATE)
    yield numpy.where(numpy.arange(2 * RATE) // 4000 % 2, 0.3 * RANDOM.normal(size=2 * RATE), 0.0)


MEAN = numpy.array([0.48145466, 0.4578275, 0.40821073], numpy.float32)
STD = numpy.array([0.26862954, 0.26130258, 0.27577711], numpy.float32)


def interpolate(values, size, axis):
    """torch.nn.functional.interpolate, bilinear, align_corners=False, along one axis."""
    length = values.shape[axis]
    scale = numpy.float32(length) / numpy.float32(size)
    position = numpy.maximum((numpy.arange(size, dtype=numpy.float32) + 0.5) * scale - 0.5, 0)
    low = position.astype(int)
    high = numpy.minimum(low + 1, length - 1)
    share = position - low.astype(numpy.float32)
    share = share.reshape([-1 if at == axis else 1 for at in range(values.ndim)])
    return numpy.take(values, low, axis) * (1 - share) + numpy.take(values, high, axis) * share


def frame_tensor(rgb):
    """LanguageBind's video transform without its mirror."""
    values = ((rgb.astype(numpy.float32) / 255 - MEAN) / STD).transpose(2, 0, 1)
    _, height, width = values.shape
    if width < height:
        new_width, new_height = 224, math.floor(float(height) / width * 224)
    else:
        new_width, new_height = math.floor(float(width) / height * 224), 224
    values = interpolate(interpolate(values, new_width, 2), new_height, 1)
    top, left = round((new_height - 224) / 2.0), round((new_width - 224) / 2.0)
    return values[:, top : top + 224, left : left + 224]


def main():
    lines = []

    def write(name, given, expected):
        (FOLDER / f"{name}.in").write_bytes(given.tobytes())
        (FOLDER / f"{name}.out").write_bytes(numpy.ascontiguousarray(expected, numpy.float32).tobytes())

    for at, samples in enumerate(sounds()):
        samples = samples.astype(numpy.float32)
        write(f"sound-{at}", samples, sound_tensor(samples))
        lines.append(f"sound\tsound-{at}")
    sizes = [(224, 224), (1, 1), (320, 240), (240, 320), (225, 224), (227, 224), (224, 225), (100, 37)]
    sizes += [(854, 480), (481, 1022), (7, 300), (1000, 999)]
    for at, (width, height) in enumerate(sizes):
        rgb = RANDOM.integers(0, 256, (height, width, 3), numpy.uint8)
        write(f"frame-{at}", rgb, frame_tensor(rgb))
        lines.append(f"frame\tframe-{at}\t{width}\t{height}")
    (FOLDER / "cases.tsv").write_text("\n".join(lines) + "\n")


main()
