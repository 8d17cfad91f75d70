# The public verifier. Build from the repository's root:
#   docker build -f infra/docker/verifier.Dockerfile -t execution-certification-verifier .
FROM node:22-bookworm-slim AS build
# better-sqlite3, another workspace's, compiles where its prebuilt binary cannot be fetched.
RUN apt-get update && apt-get install -y --no-install-recommends python3 make g++ && rm -rf /var/lib/apt/lists/*
WORKDIR /service
COPY package.json package-lock.json .npmrc .puppeteerrc.cjs turbo.json tsconfig.json tsconfig.base.json ./
COPY packages packages
COPY apps apps
# Prints the sizes of the browser files and the SHA-256 of offline.html.
RUN npm ci && npx turbo run build --filter=@cer/verifier
# Only what the server imports at run time goes on; what browsers get is bundled in apps/verifier/dist/web.
RUN rm -rf node_modules && npm ci --omit=dev --workspace=@cer/verifier

FROM node:22-bookworm-slim
WORKDIR /service
COPY --from=build /service/package.json ./
COPY --from=build /service/node_modules node_modules
COPY --from=build /service/packages packages
COPY --from=build /service/apps/verifier apps/verifier
USER node
# NODE_URL: the node as this container reaches it. PUBLIC_NODE_URL and PUBLIC_URL: as visitors' browsers do.
ENV NODE_ENV=production \
    HOST=0.0.0.0 \
    PORT=4200
EXPOSE 4200
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + process.env.PORT + '/health').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "apps/verifier/dist/main.js"]
