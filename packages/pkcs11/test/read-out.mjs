// Tries to export the private keys of a token with the bare binding. Prints the token's answer for each. node
// read-out.mjs MODULE LABEL PIN
import { createRequire } from 'node:module';

const binding = createRequire(import.meta.url)('pkcs11js');
const [modulePath, label, pin] = process.argv.slice(2);
const cryptoki = new binding.PKCS11();
cryptoki.load(modulePath);
cryptoki.C_Initialize();
const slot = cryptoki.C_GetSlotList(true).find((each) => cryptoki.C_GetTokenInfo(each).label.trimEnd() === label);
const session = cryptoki.C_OpenSession(slot, binding.CKF_SERIAL_SESSION);
cryptoki.C_Login(session, binding.CKU_USER, pin);
cryptoki.C_FindObjectsInit(session, [{ type: binding.CKA_CLASS, value: binding.CKO_PRIVATE_KEY }]);
const found = cryptoki.C_FindObjects(session, 10);
const valueOf = (key, type) => {
  try {
    return cryptoki.C_GetAttributeValue(session, key, [{ type }])[0].value.toString('hex');
  } catch (error) {
    return error.message;
  }
};
console.log(
  JSON.stringify(
    found.map((key) => ({
      value: valueOf(key, binding.CKA_VALUE),
      sensitive: valueOf(key, binding.CKA_SENSITIVE),
      extractable: valueOf(key, binding.CKA_EXTRACTABLE),
      neverExtractable: valueOf(key, binding.CKA_NEVER_EXTRACTABLE),
    })),
  ),
);
