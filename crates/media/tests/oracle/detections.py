"""Makes up what detectors say, and the boxes that OpenCV and numpy make of that.

Usage: detections.py FOLDER. Writes raw little-endian `f32` files and `cases.tsv`, a line for each comparison:

    attention NAME HEADS v1|v2    NAME.in: [HEADS, 14, 14]; NAME.out: [boxes, 5], left, top, right, bottom, score, sorted
    selected NAME                 NAME.in: [boxes, 5]; NAME.out: [boxes, 5], those that become patches, in their order
    yolox NAME CLASSES W H        NAME.in: [3024, 5 + CLASSES]; NAME.out: [3024, 5]
    letterbox NAME W H            NAME.in: RGB bytes; NAME.out: [3, 384, 384]
"""

import sys
from pathlib import Path

import cv2
import numpy

RANDOM = numpy.random.default_rng(13)
FOLDER = Path(sys.argv[1])
LINES = []


def write(case, given, expected):
    name = case.split("\t")[1]
    (FOLDER / f"{name}.in").write_bytes(numpy.ascontiguousarray(given).tobytes())
    (FOLDER / f"{name}.out").write_bytes(numpy.ascontiguousarray(expected, numpy.float32).tobytes())
    LINES.append(case)


def attention_boxes(attention, version):
    maps = [numpy.abs(attention).mean(axis=0)] if version == "v1" else list(numpy.maximum(attention, 0))
    boxes = []
    for values in maps:
        large = numpy.kron(values, numpy.ones((16, 16), numpy.float32))
        span = large.max() - large.min()
        levels = ((large - large.min()) / span * numpy.float32(255)).astype(numpy.uint8)
        _, bright = cv2.threshold(levels, 0, 255, cv2.THRESH_BINARY + cv2.THRESH_OTSU)
        contours, _ = cv2.findContours(bright, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
        for contour in contours:
            left, top, width, height = cv2.boundingRect(contour)
            boxes.append([left, top, left + width, top + height, width * height / 224**2])
    return sorted(boxes)


def overlap(a, b):
    width = max(0, min(a[2], b[2]) - max(a[0], b[0]))
    height = max(0, min(a[3], b[3]) - max(a[1], b[1]))
    both = width * height
    return both / ((a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1]) - both)


def selected(boxes):
    best = sorted(boxes.tolist(), key=lambda box: -box[4])[:100]
    kept = []
    for box in best:
        width, height = box[2] - box[0], box[3] - box[1]
        if width * height <= 3600 or max(width, height) / min(width, height) >= 4:
            continue
        if all(overlap(box, other) <= 0.6 for other in kept):
            kept.append(box)
    return kept


def yolox(output, width, height):
    """`demo_postprocess` of the original, and the corners of its middles."""
    grids, strides = [], []
    for stride in (8, 16, 32):
        count = 384 // stride
        columns, rows = numpy.meshgrid(numpy.arange(count), numpy.arange(count))
        grids.append(numpy.stack((columns, rows), 2).reshape(-1, 2))
        strides.append(numpy.full((count * count, 1), stride))
    grids, strides = numpy.concatenate(grids), numpy.concatenate(strides)
    middles = (output[:, :2] + grids) * strides
    sizes = numpy.exp(output[:, 2:4]) * strides
    boxes = numpy.concatenate([middles - sizes / 2, middles + sizes / 2], 1) / min(384 / height, 384 / width)
    return numpy.concatenate([boxes, output[:, 4:5]], 1)


def letterbox(rgb):
    """`preproc` of the original."""
    bgr = rgb[:, :, ::-1]
    ratio = min(384 / bgr.shape[0], 384 / bgr.shape[1])
    size = int(bgr.shape[1] * ratio), int(bgr.shape[0] * ratio)
    square = numpy.full((384, 384, 3), 114, numpy.uint8)
    square[: size[1], : size[0]] = cv2.resize(bgr, size, interpolation=cv2.INTER_LINEAR)
    return square.transpose(2, 0, 1).astype(numpy.float32)


def main():
    for at in range(60):
        # From noise, whose regions are many and nested, to smooth maps.
        noise = RANDOM.normal(size=(6, 14, 14)).astype(numpy.float32)
        values = numpy.stack([cv2.GaussianBlur(head, (0, 0), 0.1 + (at % 10) / 5) for head in noise])
        values = values * (1.0 if at % 2 else 0.001)
        for version in ("v1", "v2"):
            write(f"attention\tattention-{at}-{version}\t6\t{version}", values, attention_boxes(values, version))
    for at in range(40):
        corner = RANDOM.uniform(-10, 200, (10 + 8 * at, 2))
        size = numpy.exp(RANDOM.uniform(2, 5.5, corner.shape))
        boxes = numpy.concatenate([corner, corner + size, RANDOM.random((len(corner), 1))], 1).astype(numpy.float32)
        write(f"selected\tselected-{at}", boxes, selected(boxes.astype(numpy.float64)))
    for at, (classes, width, height) in enumerate([(80, 240, 240), (1, 240, 240), (0, 640, 360), (3, 100, 333)]):
        output = RANDOM.normal(size=(3024, 5 + classes)).astype(numpy.float32)
        write(f"yolox\tyolox-{at}\t{classes}\t{width}\t{height}", output, yolox(output, width, height))
    for at, (width, height) in enumerate([(240, 240), (384, 384), (100, 57), (640, 480), (1, 1)]):
        rgb = RANDOM.integers(0, 256, (height, width, 3), numpy.uint8)
        write(f"letterbox\tletterbox-{at}\t{width}\t{height}", rgb, letterbox(rgb))
    (FOLDER / "cases.tsv").write_text("\n".join(LINES) + "\n")


main()
