"""Pillow on one thread; `bench/src/inference/pillow.ts` has the commands."""

import json
import sys
import time
from pathlib import Path

from PIL import Image, ImageFilter
from tower import tower


def make(folder, count, side):
    """Photos as far as a decoder can tell: soft noise, of about 90 kB for a million pixels."""
    for number in range(count):
        channels = [Image.effect_noise((side, side), 60 + 5 * number) for _ in range(3)]
        photo = Image.merge('RGB', channels).filter(ImageFilter.GaussianBlur(3))
        photo.save(Path(folder) / f'{number}.jpg', quality=88)
    return {}


def prepare(files, side):
    """Milliseconds for each file: its bytes read before, then decoded, resized, cropped and made RGB."""
    milliseconds = []
    for file in files:
        start = time.perf_counter()
        with Image.open(file) as photo:
            shorter = min(photo.size)
            width, height = (side * length // shorter for length in photo.size)
            left, top = round((width - side) / 2), round((height - side) / 2)
            resized = photo.resize((width, height), Image.Resampling.BICUBIC)
            resized.crop((left, top, left + side, top + side)).convert('RGB').tobytes()
        milliseconds.append((time.perf_counter() - start) * 1000)
    return {'milliseconds': milliseconds}


for line in sys.stdin:
    command = json.loads(line)
    operations = {'make': make, 'prepare': prepare, 'tower': tower}
    print(json.dumps(operations[command.pop('op')](**command)), flush=True)
