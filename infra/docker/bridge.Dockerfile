# The evidence bridge. Build from the repository's root:
#   docker build -f infra/docker/bridge.Dockerfile -t execution-certification-bridge .
FROM node:22-bookworm-slim AS build
# better-sqlite3 compiles where its prebuilt binary cannot be fetched.
RUN apt-get update && apt-get install -y --no-install-recommends python3 make g++ && rm -rf /var/lib/apt/lists/*
WORKDIR /service
COPY package.json package-lock.json .npmrc .puppeteerrc.cjs turbo.json tsconfig.json tsconfig.base.json ./
COPY packages packages
COPY apps apps
RUN npm ci && npx turbo run build --filter=@cer/bridge
# Only what the bridge imports at run time goes on.
RUN rm -rf node_modules && npm ci --omit=dev --workspace=@cer/bridge

FROM node:22-bookworm-slim
WORKDIR /service
COPY --from=build /service/package.json ./
COPY --from=build /service/node_modules node_modules
COPY --from=build /service/packages packages
COPY --from=build /service/apps/bridge apps/bridge
# An embedded database lives here; mount a volume.
RUN mkdir -p /var/lib/cer && chown node:node /var/lib/cer && chmod 700 /var/lib/cer
USER node
ENV NODE_ENV=production \
    HOST=0.0.0.0 \
    PORT=4300 \
    DATABASE_URL=sqlite:/var/lib/cer/bridge.sqlite
VOLUME /var/lib/cer
EXPOSE 4300
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + process.env.PORT + '/health').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "apps/bridge/dist/main.js"]
