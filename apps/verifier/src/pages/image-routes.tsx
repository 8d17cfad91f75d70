import { isSha256Hash } from '@cer/cer-core';
import { pathParam, type Route, type ServiceResponse } from '@cer/http-service';
import { renderToString } from 'preact-render-to-string';
import { encode } from 'uqr';
import type { CheckRecord, RecordCheck } from '../record/record-check.js';
import { recordPath } from '../view/record-path.js';
import { entityTag, unlessUnchanged, type PageSettings } from './page-response.js';

export interface ImageRouteDeps {
  readonly settings: PageSettings;
  readonly checkRecord: CheckRecord;
}

/** Badges and QR codes, as SVG without script, style or link. */
export function imageRoutes({ settings, checkRecord }: ImageRouteDeps): Route[] {
  const qr = (kind: 'certificate' | 'project', path: string): Route => ({
    method: 'GET',
    path,
    handler: async (request) => {
      const hash = pathParam(request, 'hash');
      if (!isSha256Hash(hash)) return svg(404, <Badge text="no hash" />);
      return svg(200, <QrCode text={`${settings.publicUrl}${recordPath(kind, hash)}`} />);
    },
  });
  return [
    qr('certificate', '/c/:hash/qr.svg'),
    qr('project', '/p/:hash/qr.svg'),
    {
      method: 'GET',
      path: '/badge/:file',
      handler: async (request) => {
        const hash = pathParam(request, 'file').replace(/\.svg$/, '');
        if (!isSha256Hash(hash)) return svg(404, <Badge text="no hash" />);
        const checked = await checkRecord('certificate', hash);
        const etag = entityTag(settings.buildId, 'badge', hash, checked.version);
        return unlessUnchanged(request, etag, 'Accept', {}, () => badgeOf(checked, hash));
      },
    },
  ];
}

/** `attested` and the short hash; no badge for a record without a node's signature. */
function badgeOf({ outcome }: RecordCheck, hash: string): ServiceResponse {
  const short = hash.slice('sha256:'.length, 'sha256:'.length + 8);
  switch (outcome.headline) {
    case 'attested':
    case 'confidential':
    case 'hashOnly':
    case 'legacy':
      return svg(200, <Badge text={short} label="attested" />);
    case 'notFound':
    case 'integrityOnly':
      return svg(404, <Badge text="not attested" />);
    case 'unavailable':
      return svg(503, <Badge text="unknown" />);
    case 'failed':
    case 'unverifiable':
    case 'unchecked':
    case 'disagreement':
    case 'projectAttested':
    case 'projectIncomplete':
    case 'projectIntegrityOnly':
      return svg(200, <Badge text={short} label="check failed" />);
  }
}

function svg(status: number, image: ReturnType<typeof Badge>): ServiceResponse {
  return {
    status,
    headers: {
      'content-type': 'image/svg+xml; charset=utf-8',
      'cache-control': 'no-cache',
      'cross-origin-resource-policy': 'cross-origin',
    },
    body: renderToString(image),
  };
}

const CHARACTER = 6.6;

function Badge({ text, label = 'certificate' }: { readonly text: string; readonly label?: string }) {
  const labelWidth = Math.round(label.length * CHARACTER) + 14;
  const width = labelWidth + Math.round(text.length * CHARACTER) + 14;
  const fill = label === 'attested' ? '#0b6b45' : label === 'check failed' ? '#a4262c' : '#5b6472';
  return (
    <svg xmlns="http://www.w3.org/2000/svg" width={width} height="20" role="img" aria-label={`${label} ${text}`}>
      <title>{`${label} ${text}`}</title>
      <rect width={width} height="20" rx="4" fill="#2b3340" />
      <path d={`M0 4a4 4 0 0 1 4-4h${labelWidth - 4}v20H4a4 4 0 0 1-4-4z`} fill={fill} />
      <g fill="#fff" font-family="ui-monospace,Menlo,Consolas,monospace" font-size="11">
        <text x="7" y="14">
          {label}
        </text>
        <text x={labelWidth + 7} y="14">
          {text}
        </text>
      </g>
    </svg>
  );
}

function QrCode({ text }: { readonly text: string }) {
  const { data, size } = encode(text, { ecc: 'M', border: 2 });
  const path = data.flatMap((row, y) => row.flatMap((dark, x) => (dark ? [`M${x} ${y}h1v1h-1z`] : []))).join('');
  return (
    <svg
      xmlns="http://www.w3.org/2000/svg"
      viewBox={`0 0 ${size} ${size}`}
      shape-rendering="crispEdges"
      role="img"
      aria-label={text}
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  );
}
