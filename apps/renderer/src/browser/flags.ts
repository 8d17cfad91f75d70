/**
 * Stack of the JavaScript engine in KiB, several times what a sketch may use: nothing ends at the end of the stack without
 * first using more than it may. The kernel gives the main thread 8 MiB.
 */
const STACK_KIB = 5000;

/**
 * How Chromium is started. Pixels come from the CPU rasterizer alone: no GPU, fixed colour profile, no hinting and no
 * subpixel text. The network flags are a second barrier besides the empty network namespace.
 */
export const CHROMIUM_FLAGS: readonly string[] = [
  '--headless',
  // In its binary form: the portable engine passes through it as bytes, for each page.
  '--remote-debugging-pipe=cbor',
  '--disable-gpu',
  // Skia has other code, and other pixels, for each generation of processors; with this flag it takes the code that all
  // support.
  '--disable-skia-runtime-opts',
  '--force-color-profile=srgb',
  '--font-render-hinting=none',
  '--disable-lcd-text',
  '--disable-font-subpixel-positioning',
  '--hide-scrollbars',
  '--mute-audio',
  '--no-first-run',
  '--no-default-browser-check',
  '--no-startup-window',
  '--disable-background-networking',
  '--disable-background-timer-throttling',
  '--disable-backgrounding-occluded-windows',
  '--disable-renderer-backgrounding',
  '--disable-breakpad',
  '--disable-component-update',
  '--disable-default-apps',
  '--disable-dev-shm-usage',
  '--disable-extensions',
  '--disable-sync',
  '--dns-prefetch-disable',
  '--host-resolver-rules=MAP * ~NOTFOUND',
  '--proxy-server=socks5://127.0.0.1:1',
  '--proxy-bypass-list=<-loopback>',
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
  `--js-flags=--max-old-space-size=512 --no-concurrent-recompilation --stack-size=${STACK_KIB}`,
  // A spare renderer would be counted as the next sketch's process.
  '--disable-features=Translate,MediaRouter,OptimizationHints,WebRtcHideLocalIpsWithMdns,SpareRendererForSitePerProcess',
];

/**
 * Keeps the C library to the code that processors without fused multiply-add run: what Chromium itself computes with it,
 * the arcs and rotations of the canvas, is then the same with and without.
 */
export const LIBRARY_TUNABLES = 'glibc.cpu.hwcaps=-AVX2,-FMA,-FMA4';
