#!/bin/sh
# Runs what `npm run check:gpu -- prepare` put beside this file, on a machine with a GPU: no compiler, no network, no Node.
# Options are those of the program; --python names the Python whose PyTorch and ONNX Runtime are the peers.
here=$(cd "$(dirname "$0")" && pwd) || exit 1
python=python3
previous=
for argument in "$@"; do
    [ "$previous" = --python ] && python=$argument
    previous=$argument
done
# Packages of NVIDIA below that Python have cuBLASLt and NVRTC.
if [ -z "$VIRTUAL_ENV" ] && prefix=$("$python" -c 'import sys; print(sys.prefix)' 2>/dev/null); then
    export VIRTUAL_ENV="$prefix"
fi
exec "$here/check_gpu" run --kernels "$here/kernels" --peers "$here/peers.py" "$@"
