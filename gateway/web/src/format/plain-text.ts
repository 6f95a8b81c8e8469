/** Returns a text as searches compare it: case, accents and the form of ß do not matter. */
export function plainText(text: string): string {
  return text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase().replaceAll('ß', 'ss')
}
