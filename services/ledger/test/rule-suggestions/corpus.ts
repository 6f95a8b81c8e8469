import { readFile } from 'node:fs/promises'
import { foldText } from '@coffer/kit/values/fold'

/** A made-up text of a bank, with the name and the envelope that a person would give. */
export interface Sample {
  country: string
  text: string
  name: string
  category: string
}

/** Returns the samples of a file of `bank-texts/`. */
export async function readSamples(file: string): Promise<Sample[]> {
  const content = await readFile(new URL(`bank-texts/${file}.tsv`, import.meta.url), 'utf8')
  return content
    .trim()
    .split('\n')
    .map((line) => {
      const [country = '', text = '', name = '', category = ''] = line.split('\t')
      return { country, text, name, category }
    })
}

/**
 * Returns a text of a payment on the day: the placeholders become dates, and letters and digits
 * that follow from the text and the day.
 */
export function payment({ text }: Sample, date: string): string {
  const [year = '', month = '', day = ''] = date.split('-')
  let seed = [...`${text}${date}`].reduce((sum, char) => (sum * 31 + char.charCodeAt(0)) % 9973, 7)
  const draw = (signs: string) => {
    seed = (seed * 7919 + 104_729) % 1_000_003
    return signs.charAt(seed % signs.length)
  }
  const dates: Record<string, string> = {
    dm: `${day}.${month}`,
    md: `${month}/${day}`,
    dmy: `${day}.${month}.${year}`,
    dmy2: `${day}/${month}/${year.slice(2)}`,
    dmy6: `${day}${month}${year.slice(2)}`,
    yymmdd: `${year.slice(2)}${month}${day}`,
    iso: date,
    hm: `1${draw('0123456789')}:${draw('012345')}${draw('0123456789')}`,
    hms: `1${draw('0123456789')}:21:${draw('012345')}${draw('0123456789')}`,
    mon: `${month}/${year}`,
  }
  return text.replace(/\{([a-z]+)(\d*)\}/g, (_, kind: string, length: string) => {
    const stated = dates[`${kind}${length}`]
    if (stated !== undefined) return stated
    const signs = kind === 'n' ? '0123456789' : '0123456789ABCDEFGHJKLMNPQRSTUVWXYZ'
    return Array.from({ length: Number(length) }, () => draw(signs)).join('')
  })
}

/** Folds a name for comparison: case, accents, punctuation, and an e in place of an umlaut. */
export function plainName(name: string | null | undefined): string {
  const plain = foldText(name ?? '').replace(/[^\p{L}\p{N}]/gu, '')
  return plain.replace(/([aou])e/g, '$1')
}

/** The days of the payments of a sample: one a month. */
export const days = ['2026-01-14', '2026-02-13', '2026-03-16', '2026-04-15']
