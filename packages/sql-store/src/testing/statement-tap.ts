import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** PostgreSQL's work for statements: their number, and the rows that they read, returned or not. */
export interface DatabaseWork {
  readonly statements: number;
  readonly rows: number;
}

/** A node of a plan as auto_explain reports it. */
interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Actual Rows'?: number;
  readonly 'Actual Loops'?: number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Index Recheck'?: number;
  readonly Plans?: readonly PlanNode[];
}

/** A proxy between clients and a server that reads the plans which the server's auto_explain sends as notices. */
export interface StatementTap {
  readonly port: number;
  /** The work of all statements since the last call. */
  readonly take: () => DatabaseWork;
  readonly close: () => Promise<void>;
}

/** Settings of a database whose statements are counted: its plans read by index wherever an index can serve. */
export const COUNTING_SETTINGS = [
  ...["session_preload_libraries = 'auto_explain'", 'auto_explain.log_min_duration = 0'],
  ...['auto_explain.log_analyze = on', 'auto_explain.log_timing = off', "auto_explain.log_format = 'json'"],
  ...["auto_explain.log_level = 'notice'", "client_min_messages = 'notice'"],
  ...['enable_seqscan = off', 'enable_bitmapscan = off'],
];

const NOTICE = 'N'.charCodeAt(0);
const MESSAGE_FIELD = 'M'.charCodeAt(0);
/** The type of a message and its length, which counts itself. */
const HEAD_BYTES = 5;

export async function startStatementTap(server: {
  readonly host: string;
  readonly port: number;
}): Promise<StatementTap> {
  const sockets = new Set<Socket>();
  let work = { statements: 0, rows: 0 };
  // Small messages are passed on at once: waiting for more of them costs 40 ms a statement.
  const listener = createServer({ noDelay: true }, (client) => {
    const upstream = connect({ ...server, noDelay: true });
    const read = messageReader((message) => {
      const rows = rowsOf(message);
      if (rows !== null) work = { statements: work.statements + 1, rows: work.rows + rows };
    });
    // Read before it is passed on: an answer that has arrived is counted.
    upstream.on('data', read);
    client.pipe(upstream).pipe(client);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => client.destroy());
      socket.on('close', () => {
        sockets.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  return {
    port: (listener.address() as AddressInfo).port,
    take: () => {
      const taken = work;
      work = { statements: 0, rows: 0 };
      return taken;
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => listener.close(resolve));
    },
  };
}

/** Cuts what a server sends into messages, and hands on the texts of its notices. */
function messageReader(onNotice: (message: string) => void): (chunk: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0);
  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    while (rest.length >= HEAD_BYTES) {
      const end = 1 + rest.readUInt32BE(1);
      if (rest.length < end) return;
      if (rest[0] === NOTICE) onNotice(messageOf(rest.subarray(HEAD_BYTES, end)));
      rest = rest.subarray(end);
    }
  };
}

/** The text of a notice: each of its fields is a letter and a text that ends with a zero byte. */
function messageOf(fields: Buffer): string {
  for (let at = 0; at < fields.length && fields[at] !== 0;) {
    const end = fields.indexOf(0, at);
    if (fields[at] === MESSAGE_FIELD) return fields.toString('utf8', at + 1, end);
    at = end + 1;
  }
  return '';
}

/** @returns the rows that a reported statement read, or null for another notice */
function rowsOf(message: string): number | null {
  const start = message.indexOf('{');
  if (!message.startsWith('duration:') || start === -1) return null;
  const { Plan: plan } = JSON.parse(message.slice(start)) as { readonly Plan: PlanNode };
  return rowsRead(plan);
}

function rowsRead(node: PlanNode): number {
  const below = (node.Plans ?? []).reduce((sum, each) => sum + rowsRead(each), 0);
  if (!/Scan/.test(node['Node Type'])) return below;
  const each =
    (node['Actual Rows'] ?? 0) + (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0);
  return below + Math.round(each * (node['Actual Loops'] ?? 1));
}
