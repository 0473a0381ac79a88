"""Inputs on which the original and its export are compared."""

import base64
import io

TEXTS = [
    "a",
    "hello world",
    "A photo of two red shoes on a wooden floor.",
    "Where can I read how the engine of a small boat is mended?",
    "un café très cher, näher am Bahnhof",
    "Москва зимой; 東京の夏",
    "R&D: 42 % of 1,000 (see #7), don't ask",
    # Longer than any model takes.
    "the quick brown fox jumps over the lazy dog " * 200,
]


def pictures():
    """Pictures that no two crops or averages of are alike, wider, higher and smaller than models take."""
    import numpy as np
    from PIL import Image

    draw = np.random.default_rng(7)
    made = []
    for width, height in [(320, 240), (200, 400), (64, 64), (500, 500)]:
        coarse = Image.fromarray(draw.integers(0, 256, (9, 9, 3), dtype=np.uint8))
        made.append(coarse.resize((width, height), Image.Resampling.BICUBIC))
    return made


def png(picture):
    file = io.BytesIO()
    picture.save(file, format="PNG")
    return base64.b64encode(file.getvalue()).decode("ascii")
