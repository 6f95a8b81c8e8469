/** Folds a text for searches: case, accents, and ß or ss do not matter. */
export function plainText(text: string): string {
  return text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase().replaceAll('ß', 'ss')
}
