import type { VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { CANVAS_HEIGHT, CANVAS_WIDTH } from '@cer/sketch-engine/render-rules';
import { TEXTS } from '../../view/texts.js';
import type { EngineBlock } from './engine-block.js';
import { LatestAnswer } from '../tools/latest-answer.js';
import { judge, type Judgement } from './judge.js';

const T = TEXTS.redraw;
const TONES = { same: 'good', another: 'bad', failed: 'bad', 'not-judged': 'neutral' } as const;

/** Two files, a button, and the result of drawing again. Nothing is drawn before the visitor asks for it. */
export function RedrawTool({ block }: { readonly block: EngineBlock }): VNode {
  const certificate = useRef<HTMLInputElement>(null);
  const sketch = useRef<HTMLInputElement>(null);
  const drawButton = useRef<HTMLButtonElement>(null);
  const [working, setWorking] = useState<AbortController | null>(null);
  const [judgement, setJudgement] = useState<Judgement | null>(null);
  const [isIncomplete, setIncomplete] = useState(false);
  const [latest] = useState(() => new LatestAnswer());
  // The result is shown only beside the files that it is for.
  const forget = (): void => {
    working?.abort();
    latest.forget();
    setWorking(null);
    setJudgement(null);
    setIncomplete(false);
  };
  const draw = async (): Promise<void> => {
    const [bundle, code] = [certificate.current?.files?.[0], sketch.current?.files?.[0]];
    if (working !== null) return;
    if (bundle === undefined || code === undefined) {
      setIncomplete(true);
      return;
    }
    const ending = new AbortController();
    setWorking(ending);
    setJudgement(null);
    const found = await latest.of(judgeFiles(bundle, code, block, ending.signal));
    if (found === null) return;
    setJudgement(found);
    setWorking(null);
  };
  return (
    <section class="card">
      <p>
        <label for="certificate-file">{T.certificate}</label>{' '}
        <input
          id="certificate-file"
          ref={certificate}
          type="file"
          accept=".json,application/json,.png,image/png"
          onChange={forget}
        />
      </p>
      <p>
        <label for="sketch-file">{T.sketch}</label>{' '}
        <input
          id="sketch-file"
          ref={sketch}
          type="file"
          accept=".js,.txt,text/javascript,text/plain"
          onChange={forget}
        />
      </p>
      <p class="note">{T.sketchNote}</p>
      <p class="row">
        <button
          type="button"
          class="button"
          id="draw"
          ref={drawButton}
          aria-disabled={working !== null}
          onClick={() => void draw()}
        >
          {T.draw}
        </button>
        {working !== null && (
          <button
            type="button"
            class="button quiet"
            id="stop"
            onClick={() => {
              working.abort();
              drawButton.current?.focus();
            }}
          >
            {T.stop}
          </button>
        )}
      </p>
      <div aria-live="polite">
        {isIncomplete && <p class="warning">{T.bothFiles}</p>}
        {working !== null && <p>{T.working}</p>}
        {judgement !== null && (
          <div data-judgement={judgement.kind}>
            <p class={`outcome ${TONES[judgement.kind]}`}>
              <strong>{T.headlines[judgement.kind]}</strong>
            </p>
            <p>{judgement.why}</p>
            {judgement.pixels !== undefined && <Picture pixels={judgement.pixels} />}
          </div>
        )}
      </div>
    </section>
  );
}

async function judgeFiles(bundle: File, code: File, block: EngineBlock, signal: AbortSignal): Promise<Judgement> {
  // A file that was changed or removed after it was chosen cannot be read.
  const read = await Promise.all([bundle.arrayBuffer(), code.text()]).catch(() => null);
  if (read === null) return { kind: 'not-judged', why: TEXTS.tools.unreadable };
  return judge(new Uint8Array(read[0]), read[1], block, signal).catch(() => ({
    kind: 'not-judged' as const,
    why: T.noPicture,
  }));
}

function Picture({ pixels }: { readonly pixels: Uint8ClampedArray<ArrayBuffer> }): VNode {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    canvas.current?.getContext('2d')?.putImageData(new ImageData(pixels, CANVAS_WIDTH, CANVAS_HEIGHT), 0, 0);
  }, [pixels]);
  return (
    <canvas ref={canvas} width={CANVAS_WIDTH} height={CANVAS_HEIGHT} class="drawn" role="img" aria-label={T.picture} />
  );
}
