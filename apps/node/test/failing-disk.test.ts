import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { executionRequest } from '@cer/cer-core/testing';
import { sqliteTestDatabase, type TestDatabase } from '@cer/sql-store/testing';
import { afterAll, beforeAll, expect, it } from '@jest/globals';

import { ask, textAt } from './ask.js';
import { premisesOn, startNodeProcess, type NodeProcess, type Premises } from './node-process.js';

// A library in front of libc decides what fsync and writes answer: a file beside the database says "error" or a wait in
// ms for fsync, or "read-only" for writes.
const LIBRARY = `
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static void read_behaviour(char text[16]) {
  text[0] = 0;
  FILE *file = fopen(getenv("DISK_BEHAVIOUR"), "r");
  if (file == NULL) return;
  if (fgets(text, 16, file) == NULL) text[0] = 0;
  fclose(file);
}
static int judged(const char *name, int fd) {
  char text[16];
  read_behaviour(text);
  if (strncmp(text, "error", 5) == 0) { errno = EIO; return -1; }
  usleep((useconds_t) atoi(text) * 1000);
  return ((int (*)(int)) dlsym(RTLD_NEXT, name))(fd);
}
int fsync(int fd) { return judged("fsync", fd); }
int fdatasync(int fd) { return judged("fdatasync", fd); }
ssize_t pwrite64(int fd, const void *bytes, size_t length, off64_t at) {
  char text[16];
  read_behaviour(text);
  if (strncmp(text, "read-only", 9) == 0) { errno = EROFS; return -1; }
  return ((ssize_t (*)(int, const void *, size_t, off64_t)) dlsym(RTLD_NEXT, "pwrite64"))(fd, bytes, length, at);
}
`;

let database: TestDatabase;
let premises: Premises;
let env: Premises['env'] | null = null;
let behaviour: string;

beforeAll(async () => {
  database = await sqliteTestDatabase();
  premises = await premisesOn(database);
  behaviour = join(premises.folder, 'behaviour');
  const [source, library] = ['disk.c', 'disk.so'].map((name) => join(premises.folder, name));
  if (source === undefined || library === undefined) throw new Error('no files');
  writeFileSync(source, LIBRARY);
  try {
    execFileSync('cc', ['-shared', '-fPIC', '-o', library, source, '-ldl'], { stdio: 'pipe' });
    env = { ...premises.env, LD_PRELOAD: library, DISK_BEHAVIOUR: behaviour };
  } catch (error) {
    process.stderr.write(`A disk that fails is not tested here: there is no C compiler (${String(error)}).\n`);
  }
});
afterAll(async () => {
  premises.remove();
  await database.remove();
});

const certify = async (node: NodeProcess, executionId = randomUUID(), output = 'o') => {
  const body = executionRequest({ executionId, output });
  return ask(node, 'post', '/v1/cer/ai/certify', { key: premises.key, body });
};
const hashIn = async (node: NodeProcess, executionId: string): Promise<string | null> => {
  const answer = await ask(node, 'get', `/v1/cer/public?execution_id=${executionId}`, { key: premises.key });
  return answer.status === 200 ? textAt(answer.body, 'certificateHash') : null;
};

const WRITER_THREAD = ['off', 'on'];

it.each(WRITER_THREAD)('loses nothing acknowledged when the disk refuses, thread %s', async (writer) => {
  if (env === null) return;
  const node = await startNodeProcess({ ...env, SQLITE_WRITER_THREAD: writer });
  const kept = [randomUUID(), randomUUID()] as const;
  const first = await certify(node, kept[0]);
  expect(first.status).toBe(200);

  writeFileSync(behaviour, 'error');
  const refused = randomUUID();
  const answers = await Promise.all([certify(node, refused), certify(node), certify(node)]);
  expect(answers.map(({ status }) => status)).toEqual([500, 500, 500]);
  expect((await ask(node, 'get', '/ready')).status).toBe(503);

  rmSync(behaviour);
  expect((await ask(node, 'get', '/ready')).status).toBe(200);
  expect((await certify(node, kept[1])).status).toBe(200);
  // A refused request may be sent again, also with other content.
  expect((await certify(node, refused, 'another')).status).toBe(200);
  node.kill('SIGKILL');
  await node.ended;

  const again = await startNodeProcess(premises.env);
  expect(await hashIn(again, kept[0])).toBe(textAt(first.body, 'certificateHash'));
  expect(await hashIn(again, kept[1])).not.toBeNull();
  expect(await hashIn(again, refused)).not.toBeNull();
  again.kill('SIGTERM');
  await again.ended;
});

it.each(WRITER_THREAD)('answers correctly on a slow disk, thread %s', async (writer) => {
  if (env === null) return;
  writeFileSync(behaviour, '300');
  const node = await startNodeProcess({ ...env, SQLITE_WRITER_THREAD: writer });
  const id = randomUUID();
  const [first, second, third] = await Promise.all([certify(node, id), certify(node, id), certify(node)]);
  expect([first.status, second.status, third.status]).toEqual([200, 200, 200]);
  expect(textAt(second.body, 'certificateHash')).toBe(textAt(first.body, 'certificateHash'));
  expect(await hashIn(node, id)).toBe(textAt(first.body, 'certificateHash'));
  node.kill('SIGTERM');
  expect((await node.ended).code).toBe(0);
  rmSync(behaviour);
});

it.each(WRITER_THREAD)('reads on a read-only disk, and does not call it full, thread %s', async (writer) => {
  if (env === null) return;
  const node = await startNodeProcess({ ...env, SQLITE_WRITER_THREAD: writer });
  const kept = randomUUID();
  expect((await certify(node, kept)).status).toBe(200);

  writeFileSync(behaviour, 'read-only');
  expect((await certify(node)).status).toBe(500);
  expect(await ask(node, 'get', '/ready')).toMatchObject({
    status: 503,
    body: { status: 'not ready', reasons: ['store: cannot be written'] },
  });
  expect(await hashIn(node, kept)).not.toBeNull();
  // Counting the newest certificates would be a write.
  const coverage = await ask(node, 'get', '/v1/coverage', { key: premises.key });
  expect(coverage).toMatchObject({ status: 200, body: { isCounted: false } });
  const headers = { authorization: `Bearer ${premises.key}` };
  const archive = await fetch(`${node.url}/v1/records/export`, { headers });
  expect([archive.status, (await archive.arrayBuffer()).byteLength > 0]).toEqual([200, true]);

  rmSync(behaviour);
  expect((await ask(node, 'get', '/ready')).status).toBe(200);
  expect((await certify(node)).status).toBe(200);
  node.kill('SIGTERM');
  expect((await node.ended).code).toBe(0);
});
