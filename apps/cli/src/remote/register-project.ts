import { elementsOf, isJsonObject, member, type JsonObject, type JsonValue } from '@cer/canonical-json';
import { projectIn } from '@cer/cer-core/verify';
import { onlyOperand, readArguments } from '../arguments.js';
import type { Command } from '../command.js';
import { counted } from '@cer/cer-core/wording';
import type { ExitCode } from '../exit-code.js';
import { TIMEOUT_MS } from '../http/timeout.js';
import type { Io } from '../io.js';
import { printable } from '../printable.js';
import { fail } from '../report/failure.js';
import { answered, NODE_FLAG_HELP, refused, type NodeAnswer } from './node-client.js';
import { submit, SUBMIT_FLAGS, type FileSubmission } from './submit-file.js';

/** Limits of one batch. @see docs/spec.md, "POST /api/attest-batch" */
const BATCH_LINES = 500;
const BATCH_CHARACTERS = 32 * 1024 * 1024;

/** @see docs/spec.md, "POST /v1/project-bundle/register" */
export const registerProjectCommand: Command = {
  name: 'register-project',
  summary: 'register a project bundle whose steps the node has on record',
  usage: ['register-project FILE|- --node URL [--attest-steps] [--api-key-file FILE] [--max-bytes N]'],
  options: [
    ['--attest-steps', 'first have the node attest, in batches, the steps that it has no record of'],
    ...NODE_FLAG_HELP,
    ['--max-bytes N', 'read files of up to N bytes'],
  ],
  examples: [
    [
      'cer register-project project.json --node https://node.example --api-key-file key',
      'prints the receipt of the node',
    ],
    ['cer register-project local.json --attest-steps --node https://node.example', 'a project that was built offline'],
  ],
  run,
};

async function run(args: readonly string[], io: Io): Promise<ExitCode> {
  const { flags, operands } = readArguments(args, { ...SUBMIT_FLAGS, 'attest-steps': { type: 'boolean' } });
  const { 'attest-steps': attestsSteps = false, ...submitFlags } = flags;
  return submit(submitFlags, onlyOperand(operands, 'FILE'), TIMEOUT_MS.others, io, async (submission) => {
    const embedded = member(projectIn(submission.value) ?? {}, 'embeddedBundles');
    const bundles: JsonObject = isJsonObject(embedded) ? embedded : {};
    const asked = new Set<string>();
    for (;;) {
      const answer = await submission.post('registerProject', submission.value);
      if (answer.status === 200) return answered(answer, io);
      // The node names a bounded number of steps at once; a step that it names again was not helped by attesting.
      const missing = attestsSteps
        ? missingSteps(answer).filter(({ stepId }) => Object.hasOwn(bundles, stepId) && !asked.has(stepId))
        : [];
      if (missing.length === 0) return refused(answer, io);
      for (const { stepId } of missing) asked.add(stepId);
      const failure = await attestSteps(missing, bundles, submission, io);
      if (failure !== null) return failure;
    }
  });
}

interface MissingStep {
  readonly index: number;
  readonly stepId: string;
}

function missingSteps({ body }: NodeAnswer): MissingStep[] {
  const steps = member(body, 'error') === 'ATTESTATION_MISSING' ? member(body, 'missingSteps') : undefined;
  const rows = elementsOf(steps);
  return rows.filter(isJsonObject).flatMap((row) => {
    const [index, stepId] = [member(row, 'index'), member(row, 'stepId')];
    return typeof index === 'number' && typeof stepId === 'string' ? [{ index, stepId }] : [];
  });
}

/** @returns null when all are attested, else the exit code of the reported failure */
async function attestSteps(
  steps: readonly MissingStep[],
  bundles: JsonObject,
  { postLines }: FileSubmission,
  io: Io,
): Promise<ExitCode | null> {
  const lines = steps.map(({ stepId }) => JSON.stringify(member(bundles, stepId) ?? null));
  let at = 0;
  for (const batch of batches(lines)) {
    const answers = await postLines('attestBatch', batch);
    if (isAnswer(answers)) return refused(answers, io);
    const failures = batch.flatMap((_, line) => failureOf(steps[at + line], answers[line]));
    if (failures.length > 0) {
      const [first] = failures;
      return fail({ reason: first?.code ?? '', details: failures.map(({ sentence }) => sentence) }, io);
    }
    at += batch.length;
  }
  io.stderr.write(`cer: attested ${counted(steps.length, 'step')}\n`);
  return null;
}

function isAnswer(answers: readonly JsonValue[] | NodeAnswer): answers is NodeAnswer {
  return !Array.isArray(answers);
}

function* batches(lines: readonly string[]): Generator<readonly string[]> {
  let batch: string[] = [];
  let characters = 0;
  for (const line of lines) {
    if (batch.length === BATCH_LINES || (batch.length > 0 && characters + line.length > BATCH_CHARACTERS)) {
      yield batch;
      [batch, characters] = [[], 0];
    }
    batch.push(line);
    characters += line.length;
  }
  if (batch.length > 0) yield batch;
}

/** The node's refusal of one step; a line that never came is one too. */
function failureOf(
  step: MissingStep | undefined,
  answer: JsonValue | undefined,
): { readonly code: string; readonly sentence: string }[] {
  const line = isJsonObject(answer) ? answer : {};
  if (member(line, 'status') === 200) return [];
  const body = member(line, 'body');
  const [code, message] = isJsonObject(body) ? [member(body, 'error'), member(body, 'message')] : [];
  const named = typeof code === 'string' ? code : 'NODE_UNAVAILABLE';
  const why = typeof message === 'string' ? message : 'the node did not answer for this step';
  const where = `stepRegistry[${step?.index ?? ''}]: step ${printable(step?.stepId ?? '', 80)}`;
  return [{ code: named, sentence: `${where} was not attested: ${named}: ${why}` }];
}
