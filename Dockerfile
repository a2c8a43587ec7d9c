# An image with `sstag`, its pages for annotating in a browser, and encoders by onnxruntime.
#
#   docker build -t sstag .
#   docker run --rm -i -v "$PWD:/work" sstag tag --model ner.model < raw.txt
#   docker run --rm -p 127.0.0.1:8642:8642 -v "$PWD:/work" sstag annotate raw.txt --project project \
#       --template ner --labels PER,ORG,LOC --no-browser --listen 0.0.0.0 --known-as localhost --known-as 127.0.0.1
#
# `--listen 0.0.0.0` is needed inside a container; `-p 127.0.0.1:…` is what keeps the page to this machine.
FROM python:3.13-slim AS build
RUN apt-get update && apt-get install --yes --no-install-recommends g++ && rm -rf /var/lib/apt/lists/*
WORKDIR /source
COPY pyproject.toml setup.py README.md LICENSE MANIFEST.in ./
COPY build_backend build_backend
COPY share share
COPY sstag sstag
RUN pip wheel --no-cache-dir --no-deps --wheel-dir /wheels .

FROM python:3.13-slim
COPY --from=build /wheels /wheels
RUN pip install --no-cache-dir "$(echo /wheels/sstag-*.whl)[annotate,onnx]" && rm -r /wheels \
    && useradd --create-home --uid 1000 annotator
USER annotator
WORKDIR /work
EXPOSE 8642
ENTRYPOINT ["sstag"]
CMD ["--help"]
