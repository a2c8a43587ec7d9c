# An image with `sstag`, its web service, its pages for annotating in a browser, and encoders by onnxruntime.
#
#   docker build -t sstag .
#   docker run --rm -i -v "$PWD:/work" sstag tag --model ner.model < raw.txt
#   docker run --rm -p 127.0.0.1:8642:8642 -v "$PWD:/work" sstag annotate raw.txt --project project \
#       --template ner --labels PER,ORG,LOC --no-browser --listen 0.0.0.0 --known-as localhost --known-as 127.0.0.1
#   docker run --rm -p 127.0.0.1:9090:9090 -v "$PWD:/work" sstag serve ner.model --listen 0.0.0.0 \
#       --secret secret.txt --known-as localhost
#
# `--listen 0.0.0.0` is needed inside a container; `-p 127.0.0.1:…` is what keeps the page to this machine.
# Docker asks HEALTH whether the container answers; for `annotate`: -e HEALTH=http://127.0.0.1:8642/
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
RUN pip install --no-cache-dir "$(echo /wheels/sstag-*.whl)[annotate,onnx,xmi]" && rm -r /wheels \
    && useradd --create-home --uid 1000 annotator
USER annotator
WORKDIR /work
EXPOSE 8642 9090
ENV HEALTH=http://127.0.0.1:9090/health
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s \
    CMD ["python", "-c", "import os, urllib.request; urllib.request.urlopen(os.environ['HEALTH'], timeout=4)"]
ENTRYPOINT ["sstag"]
CMD ["--help"]
