import type { VNode } from 'preact';
import { Hash } from '../../view/copy-block.js';
import { TEXTS } from '../../view/texts.js';
import type { Engine } from '../engine.js';
import { TrustPanel } from './trust-panel.js';

const T = TEXTS.time;

interface TsaRootsPanelProps {
  readonly id: string;
  readonly engine: Engine;
  /** PEM; null: none are chosen. */
  readonly onRoots: (pem: string | null) => void;
}

/** The time-stamping authorities that the visitor trusts. */
export function TsaRootsPanel({ id, engine, onRoots }: TsaRootsPanelProps): VNode {
  return (
    <TrustPanel
      id={id}
      accept=".pem,.crt,application/x-pem-file"
      texts={T}
      list={(pem) => engine.ask('roots', { pem })}
      items={(roots) =>
        roots.map(({ name, fingerprint, notAfter }) => (
          <li key={fingerprint}>
            <b>{name}</b> <Hash value={fingerprint} />{' '}
            <span class="note when">
              {T.until} {notAfter.slice(0, 10)}
            </span>
          </li>
        ))
      }
      onText={onRoots}
    />
  );
}
