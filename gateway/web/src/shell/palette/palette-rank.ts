import { plainText } from '../../format/plain-text.ts'

/**
 * Returns the rank of a match, 0 for none. Each typed word must occur in the text, or in the text
 * and the words `finds`, which rank lowest; order, case and accents do not matter. Words at the
 * start of the text rank highest, then words at the start of a word.
 */
export function paletteRank(typed: string, text: string, finds?: string): number {
  const rank = rankOf(typed, text)
  if (rank > 0 || finds === undefined) return rank
  return rankOf(typed, `${text} ${finds}`) > 0 ? 0.5 : 0
}

function rankOf(typed: string, text: string): number {
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
