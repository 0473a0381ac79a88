"""Writes modules of PyTorch as ONNX graphs with the names of inputs and outputs that Pelorus expects."""

import inspect
from pathlib import Path

import torch

# Layer normalisation is one operator from 17 on.
OPSET = 17

GRAPH = "model.onnx"


def write_graph(module, folder, inputs, outputs, dynamic, dynamic_outputs=None):
    """
    Writes `module` to `model.onnx` in `folder`.

    inputs: an example of each input by its name.
    outputs: the names of what it gives.
    dynamic: names of axes that are free, by their place, of every input, and of every output as far as it has them.
    dynamic_outputs: those of the outputs, where they are others.
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    # Layers fused for speed alone have no operator of ONNX.
    torch.backends.mha.set_fastpath_enabled(False)
    options = {"dynamo": False} if "dynamo" in inspect.signature(torch.onnx.export).parameters else {}
    with torch.no_grad():
        torch.onnx.export(
            module.eval(),
            tuple(inputs.values()),
            str(folder / GRAPH),
            input_names=list(inputs),
            output_names=outputs,
            dynamic_axes={name: dynamic for name in inputs} | {name: dynamic_outputs or dynamic for name in outputs},
            opset_version=OPSET,
            do_constant_folding=True,
            **options,
        )


def versions(*modules):
    """For people: what a graph was made with."""
    return ", ".join(f"{module.__name__} {module.__version__}" for module in modules)
