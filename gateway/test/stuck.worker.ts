/** Draws a chart for ever. */
export function run(): never {
  for (;;);
}
