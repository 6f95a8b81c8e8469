import {
  branchWords,
  detailWords,
  endWords,
  foldWord,
  genericWords,
  kindWords,
  legalForms,
  places,
  processors,
} from './bank-words.ts'

/**
 * A word of a bank's text, in its spelling and folded (`foldWord`). Its position in the text is
 * from the index `at` up to, but without, `end`.
 */
export interface Word {
  text: string
  folded: string
  at: number
  end: number
}

/** Minimum length of a kind of payment that ends a name: shorter words may be part of the name. */
const kindMin = 7

/** Maximum number of words in a name. */
const wordsMax = 4

const wordPattern = /[^\s*/,;:#_|()<>+"=\\]+/gu

/** Splits a text at blanks and at the separators that banks use. */
function splitText(text: string): Word[] {
  const words: Word[] = []
  for (const { 0: raw, index } of text.matchAll(wordPattern)) {
    const before = raw.length - raw.replace(/^[.'’\-–&]+/u, '').length
    const word = raw.slice(before).replace(/[.'’\-–&]+$/u, '')
    if (word === '') continue
    const at = index + before
    words.push({ text: word, folded: foldWord(word), at, end: at + word.length })
  }
  return words
}

/**
 * Returns the words of a bank's text that name the merchant: without kinds of payment, processors,
 * dates, card numbers, references, legal forms and places. `common` are words after the names of
 * several merchants of the account, so they are taken as places. If no word remains, returns all
 * words that are no numbers.
 */
export function findMerchant(text: string, common: ReadonlySet<string> = new Set()): Word[] {
  const words = splitText(text)
  const from = findStart(text, words)
  const found: Word[] = []
  for (const word of words.slice(from)) {
    const { folded } = word
    const after = found.at(-1)
    if (!after) {
      if (!isNumber(words, word)) found.push(word)
      continue
    }
    if (isNumber(words, word) || endWords.has(folded) || isLegalForm(word)) break
    if (isPlace(words, word) || common.has(folded) || /店$/u.test(word.text)) break
    if (isDetail(found, word)) break
    if (isOtherSite(found, word) || isLabel(text, word)) break
    if (branchWords.has(folded) && isNumber(words, nextOf(words, word))) break
    if (isGap(text.slice(after.end, word.at))) break
    found.push(word)
    if (found.length === wordsMax) break
  }
  while (found.length > 1 && isTrailing(words, found.at(-1))) found.pop()
  return found
}

/** Returns whether a word is only a detail of the name before it, unless that name is generic. */
function isDetail(found: readonly Word[], { folded }: Word): boolean {
  const [first] = found
  if (found.length === 1 && first && genericWords.has(first.folded)) return false
  return detailWords.has(folded) || (kindWords.has(folded) && folded.length >= kindMin)
}

function isLegalForm({ folded }: Word): boolean {
  return legalForms.has(folded) || legalForms.has(folded.split('-').slice(1).at(-1) ?? '')
}

/** Returns whether a domain repeats the name or has a subdomain, so that it is no name itself. */
function isOtherSite(found: readonly Word[], { text }: Word): boolean {
  const site = text.match(/^(.+?)(?:\.(?:co|com))?\.\p{L}{2,3}$/iu)?.[1]
  if (site === undefined) return false
  return site.includes('.') || found.some(({ folded }) => folded === foldWord(site))
}

/** Returns the index of the first word after kinds of payment and processors. */
function findStart(text: string, words: readonly Word[]): number {
  const labelled = words.findIndex((word) => labels.has(word.folded) && isLabel(text, word))
  const bought = words.findIndex(
    ({ folded }, at) => folded === 'bei' && words[at - 1]?.folded === 'einkauf',
  )
  let at = Math.max(labelled, bought) + 1
  const isLast = () => !words.slice(at + 1).some((word) => isNamed(words, word))
  while (at < words.length) {
    const word = words[at]
    if (!word || isLast()) break
    const isDetail = endWords.has(word.folded) || [...word.folded].length === 1
    const isProcessor = processors.has(word.folded) && !isDomain(word)
    const isKind = isDetail || kindWords.has(word.folded) || isProcessor
    if (!isNumber(words, word) && !isKind) break
    at += 1
  }
  return at
}

const labels = new Set(
  ['naam', 'name', 'empfänger', 'auftraggeber', 'bénéficiaire', 'beneficiario', 'mottagare']
    .concat([
      'odbiorca',
      'payee',
      'merchant',
      'ordenante',
      'esercente',
      'lokalizacja',
      'adres',
      'bei',
    ])
    .map(foldWord),
)

function isLabel(text: string, { end }: Word): boolean {
  return /^\s?:/u.test(text.slice(end, end + 2))
}

/** Returns whether a word may be the first word of a merchant's name. */
function isNamed(words: readonly Word[], word: Word): boolean {
  const { folded } = word
  if (isNumber(words, word) || kindWords.has(folded) || endWords.has(folded)) return false
  return !legalForms.has(folded) && !places.has(folded) && folded.length > 1
}

function isDomain({ text }: Word): boolean {
  return text.includes('.')
}

/** Returns whether the text between words separates columns: at least two blanks, no `*` or `&`. */
function isGap(between: string): boolean {
  return /\s{2,}/u.test(between) && !/[*&]/u.test(between)
}

const months = new Set(
  `jan feb mar apr may jun jul aug sep oct nov dec mai okt dez fev avr juin juil aou ene abr ago dic
    gen mag giu lug set ott maj cze lip sie wrz paz lis gru`.split(/\s+/),
)

/** Returns whether a word is a number, date, mask, reference, or a month next to a number. */
function isNumber(words: readonly Word[], word: Word | undefined): boolean {
  if (!word) return false
  const { text, folded } = word
  const digits = text.match(/\d+/gu) ?? []
  if (digits.length === 0) {
    if (/^[x*•.]+$/iu.test(text)) return true
    if (!months.has(folded)) return false
    const at = words.indexOf(word)
    return [words[at - 1], words[at + 1]].some((one) => one && /^\d+$/u.test(one.text))
  }
  if (/^\d&\d$/u.test(text)) return false
  if (!/\p{L}/u.test(text)) return true
  const isInside = text.length >= 6 && /\p{L}\d\p{L}/u.test(text)
  if (digits.length === 1 && (digits[0] ?? '').length === 1) return isInside
  return !/^\p{L}{4,}\d\d$/u.test(text)
}

function nextOf(words: readonly Word[], word: Word): Word | undefined {
  return words[words.indexOf(word) + 1]
}

const connecting = new Set(['and', 'et', 'und', 'de', 'di', 'the', 'of', 'la', 'w', 'bei', 'sagt'])

/** Returns whether a word is a place. A country code counts only at the end of the name. */
function isPlace(words: readonly Word[], word: Word): boolean {
  const parts = word.folded.split('-')
  if (!parts.every((part) => places.has(part))) return false
  const next = nextOf(words, word)
  return word.folded.length > 2 || !next || isNumber(words, next) || endWords.has(next.folded)
}

/** Returns whether to drop the last word of a name: one letter, a state's code or a small word. */
function isTrailing(words: readonly Word[], word: Word | undefined): boolean {
  if (!word) return false
  const { text, folded } = word
  // A letter before a number, which is that of a branch, belongs to the name.
  if (/^[a-z]$/u.test(folded) && isNumber(words, nextOf(words, word))) return false
  if (/^[a-z]$/u.test(folded) || connecting.has(folded) || branchWords.has(folded)) return true
  return text.length === 2 && states.has(folded)
}

const states = new Set(
  `al ak az ar ca co ct fl ga hi id il in ia ks ky la ma md me mi mn mo ms mt nc nd ne nh nj nm nv
    ny oh ok or pa ri sc sd tn tx ut va vt wa wi wv wy`.split(/\s+/),
)
