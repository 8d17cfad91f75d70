# The renderer: strangers' sketches in a jailed Chromium. Build from the repository's root:
#   docker build -f infra/docker/renderer.Dockerfile -t execution-certification-renderer .
# It makes namespaces of its own, which Docker's default seccomp profile forbids. Run it with the one capability that
# lets it, and with nothing of the node beside it:
#   docker run --cap-drop ALL --cap-add SYS_ADMIN --cap-add SETUID --cap-add SETGID --cap-add KILL --cap-add CHOWN \
#     --security-opt seccomp=unconfined --memory 4g --pids-limit 512 -e RENDERER_TOKEN=... execution-certification-renderer
FROM node:22-bookworm-slim AS build
WORKDIR /service
COPY package.json package-lock.json .npmrc .puppeteerrc.cjs turbo.json tsconfig.json tsconfig.base.json ./
COPY packages packages
COPY apps apps
RUN npm ci && npx turbo run build --filter=@cer/renderer
# esbuild's binary is an optional dependency, so those stay; the packaged browser goes, since Debian brings one.
RUN rm -rf node_modules && npm ci --omit=dev --workspace=@cer/renderer && rm -rf node_modules/@sparticuz

FROM node:22-bookworm-slim
RUN apt-get update \
  && apt-get install -y --no-install-recommends chromium-headless-shell util-linux \
  && rm -rf /var/lib/apt/lists/*
WORKDIR /service
COPY --from=build /service/package.json ./
COPY --from=build /service/node_modules node_modules
COPY --from=build /service/packages packages
COPY --from=build /service/apps/renderer apps/renderer
# Chromium runs as a user of its own; root here only makes its jail.
RUN useradd --system --uid 4110 --shell /usr/sbin/nologin --no-create-home chromium
ENV NODE_ENV=production \
    HOST=0.0.0.0 \
    PORT=4110 \
    CHROMIUM_UID=4110
EXPOSE 4110
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + process.env.PORT + '/ready').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "apps/renderer/dist/main.js"]
