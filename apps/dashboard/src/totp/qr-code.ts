import { html, type Html } from '@cer/pages';
import { encode } from 'uqr';

/** Empty modules around the code that readers need. */
const QUIET_ZONE = 4;

/** A QR code as a drawing in the page, dark on light in both colour schemes. */
export function qrCode(text: string, label: string): Html {
  const { data } = encode(text, { border: QUIET_ZONE });
  const dark = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])));
  return html`<svg class="qr" viewBox="0 0 ${data.length} ${data.length}" role="img" aria-label="${label}">
    <rect width="100%" height="100%" fill="#fff" />
    <path d="${dark.join('')}" fill="#000" shape-rendering="crispEdges" />
  </svg>`;
}
