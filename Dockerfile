# syntax=docker/dockerfile:1
# Two stages: the first compiles, the second holds Node, the compiled gateway and its production dependencies, and no shell.
# An image is its digest; the tag beside it is for readers. CONTRIBUTING says how to renew one.

FROM node:24.21.0-bookworm-slim@sha256:2fe369e969550cde8e867afc3fe370b260140cab4a23d467074295b42163d553 AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# The image has its own Node 24, so the development dependency that brings one for older machines need not fetch it.
RUN npm ci --ignore-scripts
COPY tsconfig.json tsconfig.build.json ./
COPY src ./src
COPY adapters ./adapters
# docker build --build-arg COMMIT=$(git rev-parse --short HEAD): which build the log, the metrics and --version name.
ARG COMMIT
RUN npm run build && npm prune --omit=dev --ignore-scripts && mkdir /data

FROM gcr.io/distroless/nodejs24-debian13:nonroot@sha256:fbbdda866ea71aef98c4abece17e3d61fbf820cc2ef3961522caa2478716171a
ARG COMMIT
LABEL org.opencontainers.image.title="Puente" \
      org.opencontainers.image.version="0.3.0" \
      org.opencontainers.image.revision="${COMMIT}" \
      org.opencontainers.image.description="A gateway that serves the Healthcare Institution Integration API in front of any patient-management system" \
      org.opencontainers.image.licenses="Apache-2.0"
# The base image's own user would own /app, and could put a package there.
USER 0:0
WORKDIR /app
COPY --from=build --chown=root:root /app/package.json ./
COPY --from=build --chown=root:root /app/node_modules ./node_modules
COPY --from=build --chown=root:root /app/dist ./dist
COPY --chown=root:root config ./config
COPY --chown=root:root examples/fhir-sandbox ./examples/fhir-sandbox
COPY --chown=root:root templates ./templates
COPY --from=build --chown=root:root /app/adapters/mapping/proposal/words.yaml ./adapters/mapping/proposal/words.yaml
COPY --from=build --chown=root:root /app/src/contract/document.yaml ./src/contract/document.yaml
# A named volume that is mounted here is the gateway's to write, e.g. for a file of SQLite.
COPY --from=build --chown=65532:65532 /data /var/lib/puente
# What Node takes for young objects by itself is 100 MB more after an overload, and saves no time (docs/how-to/deploy.md#sizing).
ENV NODE_ENV=production \
    NODE_OPTIONS=--max-semi-space-size=16 \
    PUENTE_HTTP_HOST=0.0.0.0 \
    PUENTE_OPS_HOST=0.0.0.0
USER 65532:65532
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=2s --start-period=10s \
  CMD ["/nodejs/bin/node", "-e", "const { PUENTE_PORT, PUENTE_HTTP_PORT, PUENTE_HTTP_BASE_PATH = '' } = process.env; fetch(`http://127.0.0.1:${PUENTE_PORT || PUENTE_HTTP_PORT || 8080}${PUENTE_HTTP_BASE_PATH}/livez`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
# The entry point of the base image is node itself.
CMD ["dist/src/cli/index.js", "serve"]
