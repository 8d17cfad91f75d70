import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';
import type { Consumer } from './consumer.js';

/** A program for workerd: one call of a model, certified before the answer. */
export const EDGE_PROGRAM = `
import { certificates } from '@cer/client';

export default {
  async fetch(_request, { NODE_URL, API_KEY, MODEL_URL }) {
    const found = {};
    const cer = certificates({
      appId: 'edge',
      nodeUrl: NODE_URL,
      apiKey: API_KEY,
      onCertified: ({ certificateHash }) => (found.certificateHash = certificateHash),
    });
    const fetch = cer.fetch({ provider: 'local' });
    const body = JSON.stringify({ model: 'gpt-4.1', messages: [{ role: 'user', content: 'Where to in May?' }] });
    const response = await fetch(MODEL_URL, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    const answer = await response.json();
    const { waiting } = await cer.flush({ timeoutMs: 60000 });
    return Response.json({ ...found, waiting, stats: cer.stats(), text: answer.choices[0].message.content });
  },
};
`;

const workerd = pathOfWorkerd();
/** Whether this platform has a workerd. */
export const hasWorkerd = workerd !== null;

/** The package exports the path of its binary, without types. @returns null where there is none for the platform */
function pathOfWorkerd(): string | null {
  try {
    const { default: path } = createRequire(__filename)('workerd') as { readonly default: unknown };
    return typeof path === 'string' && existsSync(path) ? path : null;
  } catch {
    return null;
  }
}

/**
 * Runs one request in workerd.
 * @param bundle the file name of a module in the folder of the consumer
 * @param afterwards awaited after the answer, while workerd still runs
 * @returns its JSON answer
 */
export async function answerAtEdge(
  consumer: Consumer,
  bundle: string,
  bindings: Readonly<Record<string, string>>,
  afterwards: () => Promise<void> = async () => undefined,
): Promise<unknown> {
  const rows = Object.entries(bindings).map(([name, value]) => `(name = "${name}", text = "${value}")`);
  const config = consumer.write(
    'edge.capnp',
    `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = .program),
    (name = "internet", network = (allow = ["private", "local"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
const program :Workerd.Worker = (
  modules = [(name = "program", esModule = embed "${bundle}")],
  compatibilityDate = "2026-01-01",
  bindings = [${rows.join(', ')}],
);
`,
  );
  if (workerd === null) throw new Error('no workerd for this platform');
  const child = spawn(workerd, ['serve', config, '--control-fd=1'], { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    for await (const line of createInterface(child.stdout)) {
      const { event, port } = JSON.parse(line) as { readonly event: string; readonly port: number };
      if (event !== 'listen') continue;
      const answer: unknown = await (await fetch(`http://127.0.0.1:${port}/`)).json();
      await afterwards();
      return answer;
    }
    throw new Error('workerd ended');
  } finally {
    child.kill('SIGTERM');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'close');
  }
}
