/** Removes the blanks by which authenticators and people group the digits of a code. */
export function readCode(text: string): string {
  return text.replace(/\s/g, '')
}
