import { onlyOperand, readArguments } from '../arguments.js';
import { EXIT, type ExitCode } from '../exit-code.js';
import { loadKeys, type KeyMaterial } from '../trusted-keys/key-material.js';
import { TIMEOUT_FLAG, TIMEOUT_FLAG_HELP, withTimeout } from '../http/timeout.js';
import type { Io } from '../io.js';
import { describeKey, keySections } from '../report/key-sections.js';
import { rows, widthOf } from '../report/lay-out.js';
import { paintFor } from '../report/paint.js';
import { fail } from '../report/failure.js';
import { printableJson } from '../printable.js';
import { keyRows, type Page } from '../report/sections.js';
import type { Command } from '../command.js';

/** Shows the keys of a node, so that people can compare fingerprints. @see docs/spec.md, "Node key set" */
export const keysShowCommand: Command = {
  name: 'keys show',
  summary: 'show the keys of a node: status, fingerprint, life',
  usage: ['keys show FILE|URL [--json]'],
  options: [['--json', 'as JSON'], ...TIMEOUT_FLAG_HELP],
  examples: [
    ['cer keys show keys.json', 'a saved key set'],
    ['cer keys show https://node.example', 'as the node publishes it'],
  ],
  run,
};

async function run(args: readonly string[], untimed: Io): Promise<ExitCode> {
  const { flags, operands } = readArguments(args, { json: { type: 'boolean' }, ...TIMEOUT_FLAG });
  const io = withTimeout(flags.timeout, untimed);
  const { material, unavailable } = await loadKeys(onlyOperand(operands, 'FILE'), io);
  if (material === null) {
    return fail({ reason: 'VERIFICATION_MATERIAL_UNAVAILABLE', detail: unavailable }, io);
  }
  if (flags.json === true) {
    const keys = [...material.keySet.entries.values()].map(describeKey);
    io.stdout.write(`${printableJson({ nodeId: material.keySet.nodeId, keys, source: material.source })}\n`);
  } else io.stdout.write(page(material, io));
  return EXIT.verified;
}

function page(material: KeyMaterial, io: Io): string {
  const layout: Page = { paint: paintFor(io.stdout, io.env), width: widthOf(io.stdout) };
  const keys = keySections(material.keySet, layout);
  return `${rows(keyRows({ material, unavailable: null }), layout.width)}${
    keys.length === 0 ? '  The key set holds no keys.\n' : keys.join('')
  }`;
}
