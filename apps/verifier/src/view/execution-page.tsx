import type { VNode } from 'preact';
import { visible } from '@cer/pages/visible';
import { Hash } from './copy-block.js';
import { recordPath } from './record-path.js';
import { TEXTS } from './texts.js';

const T = TEXTS.execution;

interface ExecutionPageProps {
  readonly executionId: string;
  readonly hashes: readonly string[];
  readonly isAvailable: boolean;
}

/** A locator; it shows no verdict, since a label is not an identity. */
export function ExecutionPage({ executionId, hashes, isAvailable }: ExecutionPageProps): VNode {
  return (
    <>
      <h1>{T.title}</h1>
      <p class="execution-id">
        <code>{visible(executionId)}</code>
      </p>
      <p class="lead">{T.lead}</p>
      {hashes.length === 0 ? (
        <p class="card">{isAvailable ? T.none : TEXTS.headlines.unavailable.title}</p>
      ) : (
        <ul class="card hash-list">
          {hashes.map((hash) => (
            <li key={hash}>
              <a href={recordPath('certificate', hash)}>
                {T.certificate} <Hash value={hash} />
              </a>
            </li>
          ))}
        </ul>
      )}
      {hashes.length > 20 && <p class="note">{T.more}</p>}
    </>
  );
}
