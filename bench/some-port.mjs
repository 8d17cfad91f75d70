/** A port for a server of a run, below those that the system gives to connections by itself. */
export function somePort() {
  return 20_000 + Math.floor(Math.random() * 12_000);
}
