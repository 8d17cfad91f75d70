import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestToken } from '@cer/pkcs11/testing';

// A library in front of SoftHSM, which never locks. It counts wrong PINs in a file, shows the count in the flags of the
// token, and refuses every PIN from the third wrong one on, as tokens do.
const LIBRARY = `
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
typedef unsigned long CK;
struct functions { unsigned char version[8]; void *call[67]; };
static struct functions shown, *real;
static int count(void) {
  FILE *file = fopen(getenv("PIN_COUNT"), "r");
  int wrong = 0;
  if (file == NULL) return 0;
  if (fscanf(file, "%d", &wrong) != 1) wrong = 0;
  fclose(file);
  return wrong;
}
static void keep(int wrong) {
  FILE *file = fopen(getenv("PIN_COUNT"), "w");
  fprintf(file, "%d", wrong);
  fclose(file);
}
static CK token_info(CK slot, unsigned char *info) {
  CK answer = ((CK (*)(CK, unsigned char *)) real->call[6])(slot, info);
  CK *flags = (CK *) (info + 96);
  if (count() == 2) *flags |= 0x20000;
  if (count() >= 3) *flags |= 0x40000;
  return answer;
}
static CK login(CK session, CK user, unsigned char *pin, CK length) {
  if (count() >= 3) return 0xA4;
  CK answer = ((CK (*)(CK, CK, unsigned char *, CK)) real->call[18])(session, user, pin, length);
  keep(answer == 0 ? 0 : count() + 1);
  return answer;
}
CK C_GetFunctionList(struct functions **list) {
  void *library = dlopen(getenv("REAL_MODULE"), RTLD_NOW | RTLD_LOCAL);
  CK answer = ((CK (*)(struct functions **)) dlsym(library, "C_GetFunctionList"))(&real);
  memcpy(&shown, real, sizeof shown);
  shown.call[3] = C_GetFunctionList;
  shown.call[6] = token_info;
  shown.call[18] = login;
  *list = &shown;
  return answer;
}
`;

/** A token that locks after three wrong PINs. */
export interface CountingToken {
  readonly modulePath: string;
  readonly environment: TestToken['environment'];
  /** Wrong PINs since the last right one. */
  readonly wrongPins: () => number;
  /** As its own tools do after a right PIN, or to unlock it. */
  readonly setWrongPins: (count: number) => void;
}

/** @returns null without a C compiler, which is reported */
export function countPinsOf({ folder, address, environment }: TestToken): CountingToken | null {
  const [source, modulePath, counted] = [join(folder, 'pins.c'), join(folder, 'pins.so'), join(folder, 'count')];
  writeFileSync(source, LIBRARY);
  try {
    execFileSync('cc', ['-shared', '-fPIC', '-o', modulePath, source, '-ldl'], { stdio: 'pipe' });
  } catch (error) {
    process.stderr.write(`A token that locks is not tested here: there is no C compiler (${String(error)}).\n`);
    return null;
  }
  return {
    modulePath,
    environment: { ...environment, PIN_COUNT: counted, REAL_MODULE: address.modulePath },
    wrongPins: () => (existsSync(counted) ? Number(readFileSync(counted, 'utf8')) : 0),
    setWrongPins: (count) => {
      writeFileSync(counted, String(count));
    },
  };
}
