/** Returns a code without the blanks by which authenticators and people group it. */
export function readCode(text: string): string {
  return text.replace(/\s/g, '')
}
