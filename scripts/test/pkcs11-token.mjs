// SoftHSM and its binding for the tests of hardware keys. Where either is missing, the tests report it and do not run.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { ensureSoftHsm } from '../softhsm.mjs';

/** Hands tests the module in CER_TEST_PKCS11_MODULE, or in CER_TEST_NO_PKCS11 the reason why there is none. */
export async function usePkcs11Token() {
  if (process.platform !== 'linux') {
    process.env.CER_TEST_NO_PKCS11 = 'these tests look at processes as Linux shows them';
    return;
  }
  const found = await ensureSoftHsm({ log: (line) => process.stderr.write(`${line}\n`) });
  process.env.CER_TEST_PKCS11_MODULE = found.module ?? '';
  process.env.CER_TEST_NO_PKCS11 = found.module === undefined ? `SoftHSM: ${found.reason}` : faultOfBinding();
}

function faultOfBinding() {
  try {
    createRequire(join(import.meta.dirname, '..', '..', 'packages', 'pkcs11', 'package.json'))('pkcs11js');
    return '';
  } catch {
    return 'the optional package pkcs11js was not compiled';
  }
}
