import { foldWord, siteNames, smallWords, spelledOut } from './bank-words.ts'

/** Formats words of a bank's text as a readable name; may be ''. */
export function nameOf(words: readonly { text: string }[]): string {
  const spelled = words.map(({ text }) => spell(text)).filter((word) => word !== '')
  return spelled
    .map((word, at) => (at > 0 && smallWords.has(foldWord(word)) ? word.toLowerCase() : word))
    .join(' ')
}

function spell(text: string): string {
  const plain = text.normalize('NFKC')
  const site = plain.replace(/^www\./iu, '')
  if (siteNames.has(foldWord(site))) return capitalise(site.toLowerCase())
  const name = site.replace(/(?<=..)(?:\.(?:co|com))?\.[a-z]{2,4}$/iu, '')
  const known = spelledOut[foldWord(name)]
  if (known !== undefined) return known
  const isShouted = name === name.toUpperCase()
  if (!isShouted) return name === name.toLowerCase() ? capitalise(name) : name
  if (!/[AEIOUYÄÖÜÅÉÈÓĄĘ]/u.test(name) || acronyms.has(name)) return name
  return name
    .toLowerCase()
    .split(/(?<=[-&]|^[dlo]['’])/u)
    .map(capitalise)
    .join('')
}

/** Names that stay in capital letters, although they have vowels. */
const acronyms = new Set(
  'IKEA ICA EDF AOK TUI OBI ARAL OMV ENI PKO PZU IBM BBVA ING UPS USPS AXA AWS'.split(' '),
)

function capitalise(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1)
}
