// Brings SoftHSM before the suites that need a token; where it cannot be had, they say so instead of running.
import { createRequire } from 'node:module';
import { ensureSoftHsm } from '../../../scripts/softhsm.mjs';

export default async function setup() {
  const found = await ensureSoftHsm({ log: (line) => process.stderr.write(`${line}\n`) });
  const fault = found.module === undefined ? `SoftHSM: ${found.reason}` : faultOfBinding();
  process.env.CER_TEST_PKCS11_MODULE = found.module ?? '';
  process.env.CER_TEST_NO_PKCS11 = fault;
}

function faultOfBinding() {
  try {
    createRequire(import.meta.url)('pkcs11js');
    return '';
  } catch {
    return 'the optional package pkcs11js was not compiled';
  }
}
