# syntax=docker/dockerfile:1
# Operator and simulator as bundles on a base without a shell. The digests are those of indexes with both architectures.

FROM --platform=$BUILDPLATFORM node:24-trixie-slim@sha256:8ec5d7557396cfe32d21c3f9c13072355ceab22b584578ca4bb28af31120cffe AS build
WORKDIR /build
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts
COPY LICENSE tsconfig.json ./
COPY docs/move-from-a-hand-made-account.md docs/simulator.md docs/simulator-reference.md docs/
COPY src src
COPY tools tools
RUN node tools/bundle.ts

FROM gcr.io/distroless/nodejs24-debian13:nonroot@sha256:774b7d020b24214835769e24c3544835526cd0288f0b094eae48e8b2c2429a79
ARG VERSION=0.0.0-dev
ARG REVISION=unknown
LABEL org.opencontainers.image.title="cloud-platform-operator" \
      org.opencontainers.image.description="A Kubernetes operator that runs a cloud account from custom resources, and a simulator of the cloud's HTTP API" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}" \
      org.opencontainers.image.base.name="gcr.io/distroless/nodejs24-debian13:nonroot"
WORKDIR /app
COPY --from=build /build/dist/operator.mjs /build/dist/lease.mjs /build/dist/simulator.mjs /build/dist/THIRD-PARTY-LICENSES /build/LICENSE /app/
ENV MALLOC_TRIM_THRESHOLD_=131072
ENV MALLOC_ARENA_MAX=1
ENV MALLOC_MMAP_THRESHOLD_=8192
USER 65532:65532
ENTRYPOINT ["/nodejs/bin/node", "--max-semi-space-size=4", "--memory-saver-mode", "--heap-growing-percent=50", "--expose-gc", "--no-wasm-tier-up", "--no-wasm-dynamic-tiering"]
CMD ["/app/operator.mjs"]
