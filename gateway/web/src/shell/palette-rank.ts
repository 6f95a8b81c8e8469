import { plainText } from '../format/plain-text.ts'

/**
 * Returns how well a text fits what is typed; 0 if it does not. Each typed word begins a word of
 * the text, or is within it; order, case and accents do not matter. The first word counts most.
 */
export function paletteRank(typed: string, text: string): number {
  const plain = plainText(text)
  const wanted = plainText(typed).split(/\s+/).filter(Boolean)
  if (wanted.length === 0) return 1
  const words = plain.split(/[^\p{L}\p{N}]+/u)
  const ranks = wanted.map((word) => {
    if (plain.startsWith(word)) return 3
    if (words.some((one) => one.startsWith(word))) return 2
    return plain.includes(word) ? 1 : 0
  })
  return ranks.some((rank) => rank === 0) ? 0 : ranks.reduce<number>((sum, rank) => sum + rank, 0)
}
