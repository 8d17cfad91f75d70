import { render } from 'preact';
import { TEXTS } from '../view/texts.js';
import { refuseDrops } from './page-drops.js';
import { engineBlock } from './redraw/engine-block.js';
import { RedrawTool } from './redraw/redraw-tool.js';

refuseDrops();
const app = document.getElementById('main');
if (app !== null) {
  app.replaceChildren();
  render(
    <>
      <h1>{TEXTS.redraw.title}</h1>
      <p class="lead">{TEXTS.redraw.lead}</p>
      <RedrawTool block={engineBlock()} />
      <p class="note">{TEXTS.offline.build}</p>
    </>,
    app,
  );
}
