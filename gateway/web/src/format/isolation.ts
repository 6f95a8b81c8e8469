/**
 * Puts a text in a script from right to left into a directional isolate (Unicode Annex 9),
 * so that amounts and days beside each other stay in the order of the sentence.
 */
export function isolated(text: string): string {
  return /[\u0590-\u08ff\u200f]/.test(text) ? `\u2068${text}\u2069` : text
}
