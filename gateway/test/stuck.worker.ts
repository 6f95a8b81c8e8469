/** A worker that never finishes. */
export function run(): never {
  for (;;);
}
