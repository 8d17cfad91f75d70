# The control plane. Build from the repository's root:
#   docker build -f infra/docker/dashboard.Dockerfile -t execution-certification-dashboard .
FROM node:22-bookworm-slim AS build
# better-sqlite3 compiles where its prebuilt binary cannot be fetched.
RUN apt-get update && apt-get install -y --no-install-recommends python3 make g++ && rm -rf /var/lib/apt/lists/*
WORKDIR /service
COPY package.json package-lock.json .npmrc .puppeteerrc.cjs turbo.json tsconfig.json tsconfig.base.json ./
COPY packages packages
COPY apps apps
RUN npm ci && npx turbo run build --filter=@cer/dashboard
RUN rm -rf node_modules && npm ci --omit=dev --workspace=@cer/dashboard

FROM node:22-bookworm-slim
WORKDIR /service
COPY --from=build /service/package.json ./
COPY --from=build /service/node_modules node_modules
COPY --from=build /service/packages packages
COPY --from=build /service/apps/dashboard apps/dashboard
# The database and the handoff keys; the service credential is mounted and named by SERVICE_TOKEN_FILE.
RUN mkdir -m 0700 /data && chown node:node /data
VOLUME /data
USER node
ENV NODE_ENV=production \
    HOST=0.0.0.0 \
    PORT=4400 \
    DATABASE_URL=sqlite:/data/dashboard.db \
    JWKS_KEYS_FILE=/data/jwks.json
EXPOSE 4400
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + process.env.PORT + '/ready').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "apps/dashboard/dist/main.js"]
