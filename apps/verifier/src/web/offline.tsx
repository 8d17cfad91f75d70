import { createTimestampVerifier, NO_ROOTS, parseTsaRoots } from '@cer/timestamps';
import { render } from 'preact';
import { TEXTS } from '../view/texts.js';
import { answerQuestions } from './check-worker.js';
import { createEngine } from './engine.js';
import { listenForActions } from './page-actions.js';
import { refuseDrops } from './page-drops.js';
import { FileTool } from './tools/file-tool.js';
import type { SavedRecord } from '../check/saved-record.js';

// One script for page and worker: the page starts a worker from its own text, since the file is self-contained.
const timestampCode = { createTimestampVerifier, NO_ROOTS, parseTsaRoots };
if (typeof document === 'undefined') answerQuestions(() => Promise.resolve(timestampCode));
else showOffline();

function showOffline(): void {
  listenForActions();
  refuseDrops();
  const script = document.getElementById('verifier')?.textContent ?? '';
  const engine = createEngine(() => new Worker(URL.createObjectURL(new Blob([script], { type: 'text/javascript' }))));
  const app = document.getElementById('main');
  if (app === null) return;
  app.replaceChildren();
  const saved = savedRecord();
  render(
    <>
      <h1>{TEXTS.offline.title}</h1>
      <p class="lead">{TEXTS.offline.lead}</p>
      {saved !== null && <p class="card">{TEXTS.offline.saved}</p>}
      <FileTool engine={engine} loadNodeKeys={null} saved={saved} />
      <p class="note">{TEXTS.offline.build}</p>
      <p class="note">{TEXTS.site.footer}</p>
    </>,
    app,
  );
}

/** The data block of a saved certificate; the built file has none. */
function savedRecord(): SavedRecord | null {
  const block = document.getElementById('saved-record');
  if (block === null) return null;
  try {
    const value: unknown = JSON.parse(block.textContent);
    return isSavedRecord(value) ? value : null;
  } catch {
    // An edited file has no saved record.
    return null;
  }
}

function isSavedRecord(value: unknown): value is SavedRecord {
  return (
    typeof value === 'object' &&
    value !== null &&
    ['hash', 'record', 'keySet'].every((name) => typeof Reflect.get(value, name) === 'string') &&
    ['string', 'object'].includes(typeof Reflect.get(value, 'keyHistory'))
  );
}
