# The full image has the C compiler that the engine's hot modules want; nothing of it is kept but
# the environment in /venv, with the wheel and what it needs. REQUIREMENTS=tracing adds what traces
# need.
FROM python:3.13 AS build
ARG REQUIREMENTS=run
WORKDIR /build
COPY requirements/run.txt requirements/tracing.txt requirements/compile.txt requirements/
RUN python -m venv --without-pip /venv \
    && python -m pip --python /venv install --no-cache-dir --require-hashes --no-deps -r "requirements/${REQUIREMENTS}.txt" \
    && python -m pip install --no-cache-dir --require-hashes --no-deps -r requirements/compile.txt
COPY pyproject.toml setup.py MANIFEST.in README.md LICENSE ./
COPY tools/compile_engine.py tools/
COPY engine engine
COPY service service
RUN python -m pip wheel --no-build-isolation --no-deps --wheel-dir /wheels . \
    && python -m pip --python /venv install --no-cache-dir --no-deps /wheels/*.whl

FROM python:3.13-slim
ENV PATH=/venv/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    TMPDIR=/dev/shm \
    HOST=0.0.0.0 \
    PORT=8000 \
    DATA_DIR=/data
# Any user of group 0 may write its data there, as platforms want that choose the user themselves.
RUN install -d -m 0770 -o 10001 -g 0 /data
COPY --from=build /venv /venv
WORKDIR /data
USER 10001:0
VOLUME /data
EXPOSE 8000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s --retries=3 \
    CMD ["python", "-I", "-c", "import os, urllib.request as r; r.urlopen(f'http://127.0.0.1:{os.environ[\"PORT\"]}/readyz', timeout=2)"]
CMD ["three-thirteen", "serve"]
