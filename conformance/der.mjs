// Reads and writes the DER of tokens, without a check.

/** @returns {{tag: number, size: number, members?: object[], content?: Buffer}} the element at the start of the bytes */
export function read(bytes) {
  const octets = bytes[1] < 0x80 ? 0 : bytes[1] & 0x7f;
  const length = octets === 0 ? bytes[1] : bytes.readUIntBE(2, octets);
  const content = bytes.subarray(2 + octets, 2 + octets + length);
  const size = 2 + octets + length;
  if ((bytes[0] & 0x20) === 0) return { tag: bytes[0], size, content };
  const members = [];
  for (let at = 0; at < content.length; at += members.at(-1).size) members.push(read(content.subarray(at)));
  return { tag: bytes[0], size, members };
}

/** @param {{tag: number, members?: object[], content?: Buffer, raw?: Buffer}} element `raw` is written as it is */
export function write({ tag, members, content, raw }) {
  if (raw !== undefined) return raw;
  const body = members === undefined ? content : Buffer.concat(members.map(write));
  const long = body.length < 0x100 ? [0x81, body.length] : [0x82, body.length >> 8, body.length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...(body.length < 0x80 ? [body.length] : long)]), body]);
}
