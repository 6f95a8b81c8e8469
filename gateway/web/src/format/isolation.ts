/**
 * Wraps text of a right-to-left script in a directional isolate (Unicode Annex 9), so that adjacent
 * amounts and days keep the order of the sentence.
 */
export function isolated(text: string): string {
  return /[\u0590-\u08ff\u200f]/.test(text) ? `\u2068${text}\u2069` : text
}
