import { byText, each, type Family } from './family.js';

const OWN_URL = "'http://127.0.0.1:PORT/'";
const ELEMENTS = ['script', 'img', 'iframe', 'embed', 'video', 'audio', 'source', 'track', 'input', 'frame'];
const LINKS = ['stylesheet', 'prefetch', 'preload', 'preconnect', 'dns-prefetch', 'modulepreload', 'icon', 'manifest'];

const DIRECT: readonly string[] = [
  `fetch(${OWN_URL})`,
  `fetch(${OWN_URL}, { mode: 'no-cors', keepalive: true })`,
  `fetch('file:///etc/passwd')`,
  `fetch('chrome://version')`,
  `const x = new XMLHttpRequest(); x.open('GET', ${OWN_URL}, false); x.send()`,
  `navigator.sendBeacon(${OWN_URL}, 'x')`,
  `new WebSocket('ws://127.0.0.1:PORT/')`,
  `new EventSource(${OWN_URL})`,
  `new WebTransport('https://127.0.0.1:PORT/')`,
  `new RTCPeerConnection({ iceServers: [{ urls: 'stun:127.0.0.1:PORT' }] }).createOffer()`,
  `new FontFace('f', 'url(' + ${OWN_URL} + ')').load()`,
  `new Worker(URL.createObjectURL(new Blob(['fetch(' + ${OWN_URL} + ')'])))`,
  `navigator.serviceWorker.register(${OWN_URL})`,
  `window.open(${OWN_URL})`,
  `location.href = ${OWN_URL}`,
  `location.replace(${OWN_URL})`,
  `history.pushState(0, '', ${OWN_URL})`,
  `document.cookie = 'x=1'`,
  `importScripts(${OWN_URL})`,
  `new Image().src = ${OWN_URL}`,
  `loadImage(${OWN_URL})`,
  `loadJSON(${OWN_URL})`,
  `CSS.paintWorklet.addModule(${OWN_URL})`,
  `new Audio(${OWN_URL}).play()`,
  `new SharedWorker(${OWN_URL})`,
];

const element = (tag: string): string =>
  `const e = document.createElement('${tag}'); e.src = ${OWN_URL}; e.data = e.src; document.documentElement.append(e)`;
const link = (rel: string): string =>
  `const e = document.createElement('link'); e.rel = '${rel}'; e.href = ${OWN_URL}; document.documentElement.append(e)`;

/** Ways out; each is tried from the setup of a sketch that draws whatever happens. */
export const NETWORK: Family = {
  name: 'network',
  short: DIRECT[0] ?? '',
  sketches: (port) =>
    each(
      {
        ...byText(DIRECT),
        ...Object.fromEntries(ELEMENTS.map((tag) => [`element ${tag}`, element(tag)])),
        ...Object.fromEntries(LINKS.map((rel) => [`link ${rel}`, link(rel)])),
      },
      'same',
      (use) =>
        `function setup() { try { ${use.replaceAll('PORT', String(port))} } catch {} background(9); circle(500, 500, 300); }`,
    ).map((sketch) => (sketch.name.startsWith('location') ? { ...sketch, ending: 'lost' } : sketch)),
};
