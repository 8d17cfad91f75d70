import type { VNode } from 'preact';
import type { CertificateCheck, LayerResult } from '../check/check-result.js';
import { Icon } from './icon.js';
import { TEXTS } from './texts.js';

const ICON = { PASS: 'pass', FAIL: 'fail', SKIPPED: 'skipped' } as const;

/** One check: its name, PASS, FAIL or SKIPPED, and the meaning of that result. */
export function LayerCard(props: {
  readonly id: string;
  readonly name: string;
  readonly result: LayerResult;
  readonly meaning: string;
}): VNode {
  const { id, name, result, meaning } = props;
  return (
    <li class={`layer layer-${result.status.toLowerCase()}`} data-layer={id} data-status={result.status}>
      <Icon name={ICON[result.status]} />
      <div>
        <h3>
          {name} <span class="layer-status">{TEXTS.layers.status[result.status]}</span>
        </h3>
        <p>{meaning}</p>
        {result.detail !== undefined && <p class="layer-detail">{result.detail}</p>}
      </div>
    </li>
  );
}

interface LayersProps {
  readonly layers: CertificateCheck['layers'];
  /** The key was revoked, and a timestamp shows that the receipt is older. */
  readonly isRescued: boolean;
}

export function Layers({ layers, isRescued }: LayersProps): VNode {
  const names = ['integrity', 'receipt', 'envelope'] as const;
  return (
    <section class="card" aria-labelledby="layers-title">
      <h2 id="layers-title">{TEXTS.layers.title}</h2>
      <ul class="layers">
        {names.map((name) => (
          <LayerCard
            key={name}
            id={name}
            name={TEXTS.layers[name].name}
            result={layers[name]}
            meaning={meaningOf(
              name,
              isRescued && name === 'receipt' ? { ...layers.receipt, reason: 'rescued' } : layers[name],
            )}
          />
        ))}
      </ul>
    </section>
  );
}

function meaningOf(name: 'integrity' | 'receipt' | 'envelope', { status, reason }: LayerResult): string {
  return (reason === undefined ? undefined : TEXTS.layers.reasons[reason]) ?? TEXTS.layers[name][status];
}
