"""Makes pictures of every format and oddity, and what Pillow makes of them.

Usage: pictures.py FOLDER. Writes the pictures, the expected pixels, and `cases.tsv`, a line for each comparison:
picture, operation, file of the expected RGB bytes or `error`. The operations are Pillow's and torchvision's:

    rgb                          convert("RGB")
    resize WIDTH HEIGHT FILTER   resize, then convert("RGB")
    shortest SIDE FILTER         Resize(SIDE), CenterCrop(SIDE), convert("RGB")
    squash SIDE FILTER           Resize((SIDE, SIDE)), convert("RGB")
    patch INDEX                  a part of the picture resized to 240 x 240, then as shortest 32 bicubic
    truncated LENGTH             convert("RGB") of the first bytes of the file
    without COUNT                convert("RGB") of the file without so many of its last bytes
    float SIDE                   ToTensor, bicubic interpolation with a = -0.75, CenterCrop; f32 instead of bytes
"""

import io
import itertools
import math
import random
import struct
import sys
import zlib
from pathlib import Path

from PIL import Image, ImageFile

RANDOM = random.Random(13)
# Room for the encoders of noise.
ImageFile.MAXBLOCK = 1 << 24
FILTERS = {
    "nearest": Image.Resampling.NEAREST,
    "box": Image.Resampling.BOX,
    "bilinear": Image.Resampling.BILINEAR,
    "hamming": Image.Resampling.HAMMING,
    "bicubic": Image.Resampling.BICUBIC,
    "lanczos": Image.Resampling.LANCZOS,
}
FORMATS = ["JPEG", "PNG", "GIF", "WEBP", "BMP", "TIFF"]


def scene(mode, width, height):
    """Soft shapes under noise, so that encoders have something to keep and something to lose."""
    channels = len(Image.new(mode, (1, 1)).getbands())
    coarse_size = max(1, width // 9), max(1, height // 9)
    coarse = Image.frombytes(mode, coarse_size, RANDOM.randbytes(coarse_size[0] * coarse_size[1] * channels))
    noise = Image.frombytes(mode, (width, height), RANDOM.randbytes(width * height * channels))
    soft = Image.merge(mode, [band.resize((width, height), Image.Resampling.BICUBIC) for band in coarse.split()])
    return Image.blend(soft, noise, RANDOM.choice([0.0, 0.1, 0.5]))


def grey_words(width, height, top=0xFFFF):
    words = [RANDOM.randrange(top + 1) for _ in range(width * height)]
    return Image.frombytes("I;16", (width, height), struct.pack(f"<{len(words)}H", *words))


def floats(width, height):
    numbers = [RANDOM.uniform(-60, 320) for _ in range(width * height)]
    return Image.frombytes("F", (width, height), struct.pack(f"<{len(numbers)}f", *numbers))


def encoded(image, format, **options):
    file = io.BytesIO()
    image.save(file, format, **options)
    return file.getvalue()


def exif(orientation):
    tags = Image.Exif()
    tags[0x0112] = orientation
    return tags


def odd_sizes():
    return itertools.cycle([(64, 48), (1, 1), (37, 91), (8, 8), (130, 17), (2, 3), (99, 100), (16, 33), (3, 200)])


def jpegs():
    sizes = odd_sizes()
    for quality, subsampling, progressive in itertools.product((10, 75, 95, 100), (0, 1, 2), (False, True)):
        options = dict(quality=quality, subsampling=subsampling, progressive=progressive)
        name = f"q{quality}-s{subsampling}{'-progressive' if progressive else ''}"
        yield name, encoded(scene("RGB", *next(sizes)), "JPEG", **options)
        yield name + "-wide", encoded(scene("RGB", 81, 60), "JPEG", **options)
    for progressive in (False, True):
        yield f"grey-{progressive}", encoded(scene("L", *next(sizes)), "JPEG", progressive=progressive)
        cmyk = encoded(scene("CMYK", 45, 38), "JPEG", progressive=progressive)
        yield f"cmyk-{progressive}", cmyk
        yield f"cmyk-unsupported-{progressive}", encoded(scene("CMYK", 45, 38), "JPEG", subsampling=2, progressive=progressive)
        adobe = cmyk.index(b"Adobe") + 11
        yield f"ycck-{progressive}", cmyk[:adobe] + b"\x02" + cmyk[adobe + 1 :]
    for orientation in range(1, 9):
        yield f"orientation-{orientation}", encoded(scene("RGB", 40, 30), "JPEG", exif=exif(orientation))
    yield "restarts", encoded(scene("RGB", 70, 70), "JPEG", restart_marker_blocks=3)
    yield "restarts-rows", encoded(scene("RGB", 70, 70), "JPEG", restart_marker_rows=1, subsampling=2)
    yield "rgb", encoded(scene("RGB", 33, 44), "JPEG", keep_rgb=True)
    yield "optimized", encoded(scene("RGB", 33, 44), "JPEG", optimize=True)
    yield "photo", encoded(scene("RGB", 640, 427), "JPEG", quality=88)
    plain = encoded(scene("RGB", 50, 40), "JPEG")
    yield "comment", plain[:2] + b"\xff\xfe\x00\x06four" + plain[2:]
    yield "tail", plain + b"what a camera leaves behind"


def png(width, height, depth, colour, interlaced=False, palette=b"", more=b""):
    """Kinds of PNG that Pillow reads and does not write: every depth, colour type and interlacing."""

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    bits = depth * {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}[colour]
    passes = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)]
    rows = b""
    for left, top, across, down in passes if interlaced else [(0, 0, 1, 1)]:
        columns = len(range(left, width, across))
        for _ in range(top, height, down) if columns else ():
            rows += bytes([RANDOM.randrange(5)]) + RANDOM.randbytes((columns * bits + 7) // 8)
    header = struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, interlaced)
    chunks = chunk(b"IHDR", header) + (chunk(b"PLTE", palette) if palette else b"") + more
    return b"\x89PNG\r\n\x1a\n" + chunks + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def pngs():
    sizes = odd_sizes()
    depths = {0: (1, 2, 4, 8, 16), 2: (8, 16), 3: (1, 2, 4, 8), 4: (8, 16), 6: (8, 16)}
    for colour, interlaced in itertools.product(depths, (False, True)):
        for depth in depths[colour]:
            palette = RANDOM.randbytes(3 * 2**depth) if colour == 3 else b""
            for width, height in (next(sizes), (29, 23)):
                yield f"{colour}-{depth}-{interlaced}-{width}", png(width, height, depth, colour, interlaced, palette)
    yield "palette-short", png(20, 20, 8, 3, palette=RANDOM.randbytes(30))
    scene_ = scene("RGB", 60, 45)
    yield "plain", encoded(scene_, "PNG")
    yield "alpha", encoded(scene("RGBA", 60, 45), "PNG")
    yield "grey-alpha", encoded(scene("LA", 60, 45), "PNG")
    yield "palette", encoded(scene_.quantize(17), "PNG")
    yield "palette-transparent", encoded(scene_.quantize(40), "PNG", transparency=3)
    yield "palette-alpha", encoded(scene_.quantize(4), "PNG", transparency=b"\x00\x80\xff\x10")
    yield "colour-transparent", encoded(scene_, "PNG", transparency=scene_.getpixel((3, 3)))
    yield "grey-transparent", encoded(scene("L", 30, 30), "PNG", transparency=7)
    yield "words", encoded(grey_words(31, 40), "PNG")
    yield "words-dark", encoded(grey_words(31, 40, 300), "PNG")
    yield "words-narrow", encoded(grey_words(3, 77, 250), "PNG")
    yield "animated", encoded(scene_, "PNG", save_all=True, append_images=[scene("RGB", 60, 45)])
    yield "orientation", encoded(scene_, "PNG", exif=exif(6))
    invisible = scene("RGBA", 50, 50)
    invisible.putalpha(invisible.getchannel("A").point(lambda alpha: 0 if alpha < 128 else 255))
    yield "alpha-hard", encoded(invisible, "PNG")
    line = scene("RGB", 1, 300)
    yield "line", encoded(line, "PNG")
    yield "same-size", encoded(scene("RGBA", 32, 32), "PNG")


def gifs():
    scene_ = scene("RGB", 53, 41)
    for colours in (2, 3, 16, 256):
        yield f"colours-{colours}", encoded(scene_.quantize(colours), "GIF")
    yield "grey", encoded(scene("L", 40, 40), "GIF")
    yield "bilevel", encoded(scene("L", 40, 40).convert("1"), "GIF")
    yield "not-interlaced", encoded(scene_.quantize(30), "GIF", interlace=0)
    yield "transparent", encoded(scene_.quantize(30), "GIF", transparency=5)
    yield "animated", encoded(scene_, "GIF", save_all=True, append_images=[scene("RGB", 53, 41)])
    yield "tiny", encoded(scene("RGB", 1, 1).quantize(2), "GIF")
    for name, transparency in (("canvas", None), ("canvas-transparent", 4)):
        options = {} if transparency is None else {"transparency": transparency}
        whole = bytearray(encoded(scene_.quantize(8), "GIF", **options))
        whole[6:10] = struct.pack("<HH", 70, 60)
        yield name, bytes(whole)
        whole[6:10] = struct.pack("<HH", 20, 90)
        yield name + "-narrow", bytes(whole)


def webps():
    sizes = odd_sizes()
    for quality, mode in itertools.product((5, 50, 90, 100), ("RGB", "RGBA")):
        for lossless in (False, True):
            size = next(sizes)
            yield f"{mode}-{quality}-{lossless}", encoded(scene(mode, *size), "WEBP", quality=quality, lossless=lossless)
        yield f"{mode}-{quality}-photo", encoded(scene(mode, 123, 77), "WEBP", quality=quality)
    yield "grey", encoded(scene("L", 50, 31), "WEBP")
    yield "exif", encoded(scene("RGB", 50, 31), "WEBP", exif=exif(8))
    for mode in ("RGB", "RGBA"):
        frames = [scene(mode, 44, 33) for _ in range(3)]
        yield f"animated-{mode}", encoded(frames[0], "WEBP", save_all=True, append_images=frames[1:])
        yield f"animated-lossless-{mode}", encoded(
            frames[0], "WEBP", save_all=True, append_images=frames[1:], lossless=True
        )


def bmp(width, height, bits, compression, pixels, palette=b"", masks=b"", header_len=40):
    if header_len == 12:
        header = struct.pack("<IHHHH", 12, width, height, 1, bits)
    else:
        header = struct.pack("<IiiHHIIiiII", header_len, width, height, 1, bits, compression, len(pixels), 0, 0, 0, 0)
        header += masks.ljust(header_len - 40, b"\0")
        masks = b"" if header_len > 40 else masks
    offset = 14 + len(header) + len(masks) + len(palette)
    return b"BM" + struct.pack("<IHHI", offset + len(pixels), 0, 0, offset) + header + masks + palette + pixels


def bmps():
    scene_ = scene("RGB", 43, 31)
    for mode in ("1", "L", "RGB", "RGBA"):
        yield mode, encoded((scene("RGBA", 43, 31) if mode == "RGBA" else scene_).convert(mode), "BMP")
    yield "palette", encoded(scene_.quantize(200), "BMP")
    for bits in (1, 4, 8):
        stride = (21 * bits + 31) // 32 * 4
        palette = RANDOM.randbytes(4 * 2**bits)
        yield f"palette-{bits}", bmp(21, 13, bits, 0, RANDOM.randbytes(stride * 13), palette)
        yield f"top-down-{bits}", bmp(21, -13, bits, 0, RANDOM.randbytes(stride * 13), palette)
        core = bmp(21, 13, bits, 0, RANDOM.randbytes(stride * 13), RANDOM.randbytes(3 * 2**bits), header_len=12)
        yield f"core-{bits}", core
    words = RANDOM.randbytes(44 * 13)
    yield "555", bmp(21, 13, 16, 0, words)
    yield "565", bmp(21, 13, 16, 3, words, masks=struct.pack("<III", 0xF800, 0x7E0, 0x1F))
    yield "32", bmp(21, 13, 32, 0, RANDOM.randbytes(84 * 13))
    for masks in (
        (0xFF0000, 0xFF00, 0xFF, 0),
        (0xFF000000, 0xFF0000, 0xFF00, 0),
        (0xFF000000, 0xFF00, 0xFF, 0),
        (0xFF000000, 0xFF0000, 0xFF00, 0xFF),
        (0xFF, 0xFF00, 0xFF0000, 0xFF000000),
        (0xFF0000, 0xFF00, 0xFF, 0xFF000000),
        (0xFF000000, 0xFF00, 0xFF, 0xFF0000),
        (0, 0, 0, 0),
    ):
        name = "-".join(f"{mask:x}" for mask in masks)
        pixels = RANDOM.randbytes(84 * 13)
        yield f"masks-{name}", bmp(21, 13, 32, 3, pixels, masks=struct.pack("<IIII", *masks), header_len=108)
    runs = b"\x05\x07\x03\x09\x00\x00" + b"\x00\x05abcde\0\x03\x01" + b"\x00\x00" + b"\x00\x02\x02\x01\x06\x04\x00\x00"
    palette = RANDOM.randbytes(1024)
    yield "runs", bmp(8, 4, 8, 1, runs + b"\x08\x01\x00\x00\x08\x02\x00\x01", palette)
    runs = b"\x05\x74\x03\x09\x00\x00" + b"\x00\x04\x12\x34\x04\x01" + b"\x00\x00" + b"\x08\x01\x00\x00"
    yield "runs-4", bmp(8, 3, 4, 2, runs, palette[:64])
    yield "runs-short", bmp(8, 4, 8, 1, b"\x08\x01\x00\x00\x00\x01", palette)


def tiffs():
    pictures = {
        "bilevel": scene("L", 45, 34).convert("1"),
        "grey": scene("L", 45, 34),
        "grey-alpha": scene("LA", 45, 34),
        "palette": scene("RGB", 45, 34).quantize(50),
        "rgb": scene("RGB", 45, 34),
        "rgba": scene("RGBA", 45, 34),
        "rgb-and-more": scene("RGBX", 45, 34),
        "cmyk": scene("CMYK", 45, 34),
        "words": grey_words(45, 34),
        "words-dark": grey_words(45, 34, 280),
        "float": floats(45, 34),
    }
    for name, compression in itertools.product(pictures, ("raw", "tiff_lzw", "tiff_adobe_deflate", "packbits")):
        yield f"{name}-{compression}", encoded(pictures[name], "TIFF", compression=compression)
    for orientation in range(1, 9):
        yield f"orientation-{orientation}", encoded(pictures["rgb"], "TIFF", tiffinfo={274: orientation})
    for name in ("palette", "grey-alpha", "words"):
        yield f"orientation-{name}", encoded(pictures[name], "TIFF", tiffinfo={274: 6})
    predictor = {317: 2}
    yield "predictor", encoded(pictures["rgb"], "TIFF", compression="tiff_lzw", tiffinfo=predictor)
    yield "pages", encoded(pictures["rgb"], "TIFF", save_all=True, append_images=[pictures["grey"]])
    yield "strips", encoded(pictures["rgb"], "TIFF", compression="tiff_lzw", strip_size=500)
    for bits, photometric in ((1, 0), (1, 1), (2, 1), (4, 1), (8, 1)):
        rows = RANDOM.randbytes(-(-21 * bits // 8) * 13)
        yield f"fill-order-{bits}-{photometric}", tiff(21, 13, (bits,), photometric, [rows], fill_order=2)
    yield "fill-order-rgb", tiff(21, 13, (8, 8, 8), 2, [RANDOM.randbytes(21 * 13 * 3)], fill_order=2)
    ramp = struct.pack("<768H", *(RANDOM.randrange(65536) for _ in range(768)))
    yield "fill-order-palette", tiff(21, 13, (8,), 3, [RANDOM.randbytes(21 * 13)], fill_order=2, palette=ramp)
    packed = zlib.compress(RANDOM.randbytes(11 * 13)).translate(REVERSED)
    yield "fill-order-deflate", tiff(21, 13, (4,), 1, [packed], fill_order=2, compression=8)
    for count, photometric in ((3, 2), (4, 5), (4, 2)):
        for compression in (1, 8):
            planes = [RANDOM.randbytes(21 * 13) for _ in range(count)]
            planes = [zlib.compress(plane) for plane in planes] if compression == 8 else planes
            data = tiff(21, 13, (8,) * count, photometric, planes, planar=2, compression=compression)
            yield f"planes-{count}-{photometric}-{compression}", data
    halves = [RANDOM.randbytes(21 * 13) for _ in range(3)]
    yield "planes-strips", tiff(21, 13, (8, 8, 8), 2, [h[a:b] for h in halves for a, b in ((0, 147), (147, 273))], planar=2, rows=7)
    yield "planes-one", tiff(21, 13, (8,), 1, [RANDOM.randbytes(21 * 13)], planar=2)


REVERSED = bytes(int(f"{byte:08b}"[::-1], 2) for byte in range(256))


def tiff(width, height, bits, photometric, strips, fill_order=1, planar=1, compression=1, rows=None, palette=b""):
    """A file whose strips lie behind its header, and its directory behind them."""
    data, offsets = b"", []
    for strip in strips:
        offsets.append(8 + len(data))
        data += strip + b"\0" * (len(strip) % 2)
    tags = {256: ("L", [width]), 257: ("L", [height]), 258: ("H", bits), 259: ("H", [compression]), 262: ("H", [photometric])}
    tags |= {266: ("H", [fill_order]), 273: ("L", offsets), 277: ("H", [len(bits)]), 278: ("L", [rows or height])}
    tags |= {279: ("L", [len(strip) for strip in strips]), 284: ("H", [planar])}
    if palette:
        tags[320] = ("H", struct.unpack(f"<{len(palette) // 2}H", palette))
    if len(bits) == 4 and photometric == 2:
        tags[338] = ("H", [2])
    entries = b""
    for tag, (kind, values) in sorted(tags.items()):
        packed = struct.pack(f"<{len(values)}{kind}", *values)
        if len(packed) > 4:
            packed, place = struct.pack("<L", 8 + len(data)), packed
            data += place + b"\0" * (len(place) % 2)
        entries += struct.pack("<HHL", tag, 3 if kind == "H" else 4, len(values)) + packed.ljust(4, b"\0")
    header = struct.pack("<2sHL", b"II", 42, 8 + len(data))
    return header + data + struct.pack("<H", len(tags)) + entries + b"\0\0\0\0"


def opened(data):
    return Image.open(io.BytesIO(data), formats=FORMATS)


def torchvision_shortest(image, side, filter):
    width, height = image.size
    short, long = min(width, height), max(width, height)
    long = int(side * long / short)
    image = image.resize((side, long) if width <= height else (long, side), FILTERS[filter])
    left, top = (int(round((length - side) / 2.0)) for length in image.size)
    return image.crop((left, top, left + side, top + side))


def patch(image, index):
    image = image.resize((240, 240), Image.Resampling.BICUBIC)
    row, column = divmod(index - 1, 3)
    cell = (column * 80, row * 80, column * 80 + 80, row * 80 + 80)
    return torchvision_shortest(image.crop((0, 0, 240, 240) if index == 0 else cell), 32, "bicubic")


def interpolated(image, side):
    """Keys' convolution in double precision, straight from its definition."""
    image = image.convert("RGB")
    width, height = image.size
    short, long = min(image.size), max(image.size)
    long = int(side * long / short)
    size = (side, long) if width <= height else (long, side)
    offset = [int(round((length - side) / 2.0)) for length in size]

    def keys(x, a=-0.75):
        x = abs(x)
        if x <= 1:
            return (a + 2) * x**3 - (a + 3) * x**2 + 1
        return a * x**3 - 5 * a * x**2 + 8 * a * x - 4 * a if x < 2 else 0.0

    def taps(axis, at):
        position = image.size[axis] / size[axis] * (at + offset[axis] + 0.5) - 0.5
        base = math.floor(position)
        return [(min(max(p, 0), image.size[axis] - 1), keys(position - p)) for p in range(base - 1, base + 3)]

    values = []
    for band in image.split():
        pixels = band.load()
        for y in range(side):
            down = taps(1, y)
            for x in range(side):
                across = taps(0, x)
                values.append(sum(v * u * pixels[i, j] / 255 for j, v in down for i, u in across))
    return struct.pack(f"<{len(values)}f", *values)


def outcome(data, operation):
    kind, *arguments = operation.split()
    if kind == "truncated":
        data = data[: int(arguments[0])]
    elif kind == "without":
        data = data[: -int(arguments[0])]
    image = opened(data)
    match kind:
        case "resize":
            image = image.resize((int(arguments[0]), int(arguments[1])), FILTERS[arguments[2]])
        case "shortest":
            image = torchvision_shortest(image, int(arguments[0]), arguments[1])
        case "squash":
            image = image.resize((int(arguments[0]), int(arguments[0])), FILTERS[arguments[1]])
        case "patch":
            image = patch(image, int(arguments[0]))
        case "float":
            return interpolated(image, int(arguments[0]))
    return image.convert("RGB").tobytes()


def operations(index, name, data):
    yield "rgb"
    yield "shortest 32 bicubic"
    yield f"resize {RANDOM.randint(1, 70)} {RANDOM.randint(1, 70)} {list(FILTERS)[index % len(FILTERS)]}"
    if index % 3 == 0:
        yield f"squash 24 {RANDOM.choice(['bilinear', 'bicubic'])}"
    if index % 5 == 0:
        yield f"truncated {RANDOM.randrange(len(data))}"
        yield f"truncated {len(data) * 3 // 4}"
    if name.startswith(("gif", "webp")) or (name.startswith("jpeg") and b"\xff\xc2" in data):
        for count in (1, 2, 3, 4, 9):
            yield f"without {count}"
    if name.startswith("png") and "animated" not in name:
        for count in (1, 4, 9, 12):
            yield f"without {count}"
    if index % 17 == 0:
        yield f"patch {RANDOM.randrange(10)}"
        yield "float 12"
    if name == "jpeg-photo":
        yield "shortest 224 bicubic"
        yield "squash 384 bicubic"
        for filter in FILTERS:
            yield f"resize 100 900 {filter}"


def main(folder):
    makers = dict(jpeg=jpegs, png=pngs, gif=gifs, webp=webps, bmp=bmps, tiff=tiffs)
    pictures = [(f"{kind}-{name}", data) for kind, maker in makers.items() for name, data in maker()]
    cases = []
    for index, (name, data) in enumerate(pictures):
        (folder / name).write_bytes(data)
        for operation in operations(index, name, data):
            expected = f"{name}.{operation.replace(' ', '-')}.expected"
            try:
                (folder / expected).write_bytes(outcome(data, operation))
            except Exception:
                expected = "error"
            cases.append(f"{name}\t{operation}\t{expected}\n")
    (folder / "cases.tsv").write_text("".join(cases))


main(Path(sys.argv[1]))
