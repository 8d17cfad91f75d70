import { checkArtefact } from '../src/check/check-artefact.js';
import type { ArtefactCheck } from '../src/check/check-result.js';
import type { Vector } from './vectors.js';

export const AT = '2026-06-01T00:00:00.000Z';

/** What a page asks its worker about a vector. */
export function requestOf({ bundle, keySet }: Vector) {
  const keySource = { kind: 'file', where: 'key-set.json', at: AT } as const;
  return {
    source: bundle,
    keySet,
    keySource: keySet === null ? null : keySource,
    tsaRoots: null,
    logPolicy: null,
    askedHash: null,
    verifiedAt: AT,
  };
}

/** The checks of the site by the names of the vectors, made in Node.js. */
export async function siteChecks(vectors: readonly Vector[]): Promise<Map<string, ArtefactCheck>> {
  const checks = new Map<string, ArtefactCheck>();
  for (const vector of vectors)
    checks.set(vector.name, await checkArtefact(requestOf(vector), () => import('@cer/timestamps')));
  return checks;
}

/** In the offline file: makes its worker answer `check(id, request)`. */
export const OPEN_WORKER = `
  globalThis.worker = new Worker(URL.createObjectURL(new Blob([document.getElementById('verifier').textContent])));
  globalThis.check = (id, request) => new Promise((resolve) => {
    const listen = ({ data }) => {
      if (data.id !== id || data.state === 'progress') return;
      worker.removeEventListener('message', listen);
      resolve(data.state === 'done' ? data.result : data.state);
    };
    worker.addEventListener('message', listen);
    worker.postMessage({ id, task: 'check', request });
  });
`;

/** An expression, after `OPEN_WORKER`: a promise of the checks in this order. */
export function checkAll(requests: readonly ReturnType<typeof requestOf>[]): string {
  return `Promise.all(${JSON.stringify(requests)}.map((request, id) => check(id, request)))`;
}
