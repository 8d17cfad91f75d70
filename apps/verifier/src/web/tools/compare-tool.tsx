import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { Comparison } from '../../check/compare-members.js';
import { TEXTS } from '../../view/texts.js';
import { ArtefactInput, type Given } from './artefact-input.js';
import { LatestAnswer } from './latest-answer.js';
import type { ToolProps } from './tool-props.js';

const T = TEXTS.tools;
const MAX_ROWS = 500;

type Compared = { readonly comparison: Comparison | null } | 'crashed' | null;

/** Two bundles, member by member. */
export function CompareTool({ engine, source }: ToolProps): VNode {
  const [compared, setCompared] = useState<Compared>(null);
  const [latest] = useState(() => new LatestAnswer());
  const compare = async (other: Given | null): Promise<void> => {
    setCompared(null);
    latest.forget();
    if (other === null) return;
    const asked = engine.ask('compare', { left: source, right: other.source }).then(
      (comparison) => ({ comparison }),
      () => 'crashed' as const,
    );
    const found = await latest.of(asked);
    if (found !== null) setCompared(found);
  };
  return (
    <details class="card tool fold" id="compare-tool">
      <summary>
        <h2>{T.compare}</h2>
      </summary>
      <p>{T.compareLead}</p>
      <h3>{T.compareOther}</h3>
      <ArtefactInput id="other" saved={null} onGiven={(other) => void compare(other)} />
      <div aria-live="polite">
        {compared === 'crashed' && <p class="outcome bad">{T.crashed}</p>}
        {compared !== null && compared !== 'crashed' && <Differences comparison={compared.comparison} />}
      </div>
    </details>
  );
}

function Differences({ comparison }: { readonly comparison: Comparison | null }): VNode {
  if (comparison === null) return <p class="outcome bad">{T.compareBad}</p>;
  const { differences, sameMembers } = comparison;
  return (
    <div data-differences={differences.length}>
      {differences.length === 0 ? (
        <p class="outcome neutral">{T.compareSame}</p>
      ) : (
        <div class="scroll" tabIndex={0} role="region" aria-label={T.compare}>
          <table>
            <thead>
              <tr>
                <th scope="col">{TEXTS.failure.member}</th>
                <th scope="col">{T.compareThis}</th>
                <th scope="col">{T.compareOther}</th>
                <th scope="col">{T.compareCovered}</th>
              </tr>
            </thead>
            <tbody>
              {differences.slice(0, MAX_ROWS).map(({ path, left, right, isHashed }) => (
                <tr key={path}>
                  <th scope="row">
                    <code>{path}</code>
                  </th>
                  <td>{shown(left)}</td>
                  <td>{shown(right)}</td>
                  <td>{isHashed ? T.compareYes : T.compareNo}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      <p class="note">
        {sameMembers} {T.sameMembers}
      </p>
    </div>
  );
}

function shown(value: string | null): string {
  return value === null ? T.compareAbsent : value === '…' ? T.compareRaw : value;
}
