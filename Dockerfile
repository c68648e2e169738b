FROM python:3.13-slim AS build
WORKDIR /build
COPY requirements/run.txt .
RUN python -m venv /venv \
    && /venv/bin/python -m pip install --no-cache-dir --require-hashes --no-deps -r run.txt \
    && /venv/bin/python -m pip uninstall --yes pip

# The full image has the C compiler that the engine's hot modules want.
FROM python:3.13 AS compile
WORKDIR /compile
COPY requirements/compile.txt .
RUN python -m pip install --no-cache-dir --require-hashes --no-deps -r compile.txt
COPY engine engine
COPY tools/compile_engine.py tools/
RUN python tools/compile_engine.py --into /compiled

FROM python:3.13-slim
WORKDIR /app
ENV PATH=/venv/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    HOST=0.0.0.0 \
    PORT=8000 \
    DATA_DIR=/data
RUN useradd --uid 10001 --no-create-home --home-dir /app --shell /usr/sbin/nologin three-thirteen \
    && install -d -m 0700 -o three-thirteen /data
COPY --from=build /venv /venv
COPY --from=compile /compiled /venv/lib/python3.13/site-packages
COPY engine engine
COPY service service
RUN python -m compileall -q engine service
USER 10001
VOLUME /data
EXPOSE 8000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s --retries=3 \
    CMD ["python", "-c", "import os, urllib.request as r; r.urlopen(f'http://127.0.0.1:{os.environ[\"PORT\"]}/readyz', timeout=2)"]
CMD ["python", "-m", "service"]
