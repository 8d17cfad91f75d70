// The straightforward stack: express, zod, json-canonicalize, tweetnacl, knex, one transaction per request (G5). It
// creates the same certificate with the same two signatures and the same durability.
import { createHash, randomUUID } from 'node:crypto';
import express from 'express';
import { canonicalize } from 'json-canonicalize';
import knex from 'knex';
import nacl from 'tweetnacl';
import { z } from 'zod';

const pair = nacl.sign.keyPair();
const db = knex({
  client: 'better-sqlite3',
  connection: { filename: process.env.BENCH_DATABASE },
  useNullAsDefault: true,
});
await db.raw('pragma journal_mode = wal');
await db.raw('pragma synchronous = full');
await db.schema.createTable('executions', (table) => {
  table.text('tenant_id').notNullable();
  table.text('execution_id').notNullable();
  table.text('certificate_hash').notNullable().unique();
  table.text('record').notNullable();
  table.unique(['tenant_id', 'execution_id']);
});

const CertifyRequest = z.object({
  executionId: z.string().min(1).max(256),
  provider: z.string().min(1).max(256),
  model: z.string().min(1).max(256),
  input: z.string(),
  output: z.string(),
  parameters: z.record(z.string(), z.unknown()).optional(),
  signals: z.array(z.unknown()).optional(),
});

const hash = (text) => `sha256:${createHash('sha256').update(text).digest('hex')}`;
const sign = (value) =>
  Buffer.from(nacl.sign.detached(Buffer.from(canonicalize(value)), pair.secretKey)).toString('base64url');

const app = express();
app.use(express.json({ limit: '10mb' }));
app.post('/v1/cer/ai/certify', async (request, response) => {
  if (request.headers.authorization !== `Bearer ${process.env.BENCH_API_KEY}`) {
    response.status(401).json({ error: 'UNAUTHORIZED' });
    return;
  }
  const parsed = CertifyRequest.safeParse(request.body);
  if (!parsed.success) {
    response.status(400).json({ error: 'VALIDATION_ERROR' });
    return;
  }
  const { executionId, provider, model, input, output, parameters, signals } = request.body;
  const createdAt = new Date().toISOString();
  const snapshot = {
    type: 'ai.execution.v1',
    protocolVersion: '1.2.0',
    executionSurface: 'ai',
    executionId,
    timestamp: createdAt,
    provider,
    model,
    modelVersion: null,
    inputHash: hash(input),
    outputHash: hash(output),
    parameters,
    appId: null,
  };
  const bundle = {
    bundleType: 'cer.ai.execution.v1',
    version: '0.1',
    createdAt,
    snapshot,
    ...(signals && { context: { signals } }),
  };
  const certificateHash = hash(canonicalize(bundle));
  const attestation = {
    attestationId: randomUUID(),
    attestedAt: createdAt,
    kid: 'k',
    nodeRuntimeHash: hash('x'),
    protocolVersion: '1.2.0',
  };
  const receipt = { certificateHash, timestamp: createdAt, nodeId: 'plain', kid: 'k' };
  const meta = {
    attestation: { ...attestation, receipt, signature: sign(receipt) },
    verificationEnvelope: { attestation },
    verificationEnvelopeSignature: sign({ attestation, bundle }),
  };
  const cer = { ...bundle, certificateHash, meta };
  await db.transaction((transaction) =>
    transaction('executions').insert({
      tenant_id: 'bench',
      execution_id: executionId,
      certificate_hash: certificateHash,
      record: JSON.stringify(cer),
    }),
  );
  response.json({ ok: true, cer, certificateHash, receipt, signature: meta.attestation.signature });
});
app.get('/ready', (request, response) => response.json({ status: 'ready' }));
app.listen(Number(process.env.PORT), '127.0.0.1');
