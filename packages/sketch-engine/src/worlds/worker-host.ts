import { PROBE, type RealmEntry } from './sketch-realm.js';
import { addressOf, type WorkerAnswer, type WorkerOrder } from './worker-host-messages.js';

// The host of a still in a separate worker. Everything that it needs of the worker is taken before the sketch runs, and
// the sketch is left with the language and the drawing functions alone.
declare const openSketchRealm: RealmEntry;
declare const importScripts: (address: string) => void;

const answer = postMessage.bind(globalThis) as (message: WorkerAnswer, transfer?: readonly ArrayBuffer[]) => void;
const load = importScripts.bind(globalThis);
const DID_NOT_LOAD = 'the sketch failed when it was loaded';

function loadsOwnAddresses(): boolean {
  try {
    load(addressOf(''));
    return true;
  } catch {
    return false;
  }
}

async function draw({ engine, scripts, addresses: given, input, pixels }: WorkerOrder): Promise<void> {
  const { parse } = JSON;
  const addresses = loadsOwnAddresses() ? scripts.map(addressOf) : given;
  const sketch = await openSketchRealm(engine, pixels);
  sketch.start(input, PROBE);
  try {
    for (let i = 0; i < addresses.length; i++) load(addresses[i] ?? '');
  } catch {
    answer({ fault: DID_NOT_LOAD });
    return;
  }
  const fault = sketch.setup() || sketch.frame(0);
  if (fault === '') answer({ pixels }, [pixels]);
  else answer({ fault: String((parse(fault) as { readonly message: unknown }).message) });
}

addEventListener(
  'message',
  ({ data }: MessageEvent<WorkerOrder>) => {
    draw(data).catch(() => {
      answer({ fault: DID_NOT_LOAD });
    });
  },
  { once: true },
);
