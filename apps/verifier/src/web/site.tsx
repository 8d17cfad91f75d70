import { render } from 'preact';
import { checkAgain, type PageState } from './record-island.js';
import { createEngine } from './engine.js';
import { showKeyHistory } from './keys-island.js';
import { listenForActions } from './page-actions.js';
import { refuseDrops } from './page-drops.js';
import { FileTool } from './tools/file-tool.js';
import { nodeKeys } from './tools/node-keys.js';
import '@cer/pages/tokens.css';
import '../style/style.css';

listenForActions();
refuseDrops();

const { node: nodeUrl = '', worker: workerUrl = '' } = document.body.dataset;
const engine = createEngine(() => new Worker(workerUrl, { type: 'module' }));

const state = document.getElementById('page-state');
// Our own server wrote it, for this very script.
if (state !== null) void checkAgain(JSON.parse(state.textContent) as PageState, engine, nodeUrl);

const tools = document.getElementById('tools');
if (tools !== null) {
  tools.replaceChildren();
  render(<FileTool engine={engine} loadNodeKeys={() => nodeKeys(nodeUrl, engine)} saved={null} />, tools);
}

const keyHistory = document.getElementById('key-history');
if (keyHistory !== null) void showKeyHistory(keyHistory, engine, nodeUrl);
