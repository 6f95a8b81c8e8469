import { currencies } from '@coffer/kit/values/currency'

/** Locales whose currency symbols are recognized. */
const locales = (
  'en-US en-GB en-CA en-AU en-NZ en-IN en-ZA de-DE de-CH fr-FR es-ES es-MX ' +
  'pt-BR pt-PT it-IT nl-NL pl-PL cs-CZ sk-SK hu-HU ro-RO bg-BG hr-HR sr-RS ' +
  'sv-SE nb-NO da-DK fi-FI is-IS ru-RU uk-UA el-GR tr-TR ar-JO he-IL th-TH ' +
  'vi-VN id-ID ms-MY ja-JP zh-CN ko-KR es-PE es-CO'
).split(' ')

/** Symbols that banks write and CLDR lacks. */
const written: Readonly<Record<string, readonly string[]>> = {
  AED: ['DH', 'DHS', 'د.إ', 'د.إ.'],
  CHF: ['FR.', 'SFR.'],
  CNY: ['RMB', '元'],
  EGP: ['LE', 'L.E.', 'ج.م', 'ج.م.'],
  ILS: ['NIS', 'ש"ח', 'ש״ח', 'שח'],
  INR: ['RS.', 'RS', '₨'],
  JOD: ['د.ا.'],
  JPY: ['円'],
  KWD: ['KD', 'د.ك', 'د.ك.'],
  LKR: ['₨'],
  MAD: ['DH', 'DHS', 'د.م.'],
  MUR: ['₨'],
  NPR: ['₨'],
  PKR: ['₨'],
  RUB: ['РУБ.', 'РУБ', 'RUR'],
  SAR: ['SR', 'ر.س', 'ر.س.'],
  SCR: ['₨'],
  TND: ['DT', 'د.ت', 'د.ت.'],
  TRY: ['TL'],
}

/** Letters (`R$`, `kr`, the ISO code) and signs (`€`) of a currency. */
type Symbols = { letters: readonly string[]; signs: ReadonlySet<string> }

const known = new Map<string, Symbols>()
const codes = new Set(currencies())

/**
 * Returns the currency's symbols that contain letters (`R$`, `kr`, `zł`, the ISO code), in upper
 * case, longest first: without symbols such as `€`.
 */
export function symbolsOf(currency: string): readonly string[] {
  return symbols(currency).letters
}

/** Returns whether a symbol such as `€` may denote a currency; `¤` denotes any. */
export function isSignOf(currency: string, sign: string): boolean {
  const { signs } = symbols(currency)
  // NFKC converts fullwidth symbols (U+FFE5) to the usual ones.
  return sign === '¤' || signs.has(sign) || signs.has(sign.normalize('NFKC'))
}

/** Returns whether an amount has the symbol or the ISO code of another currency. */
export function statesOther(text: string, currency: string): boolean {
  const upper = text.toUpperCase()
  const [sign] = /\p{Sc}/u.exec(upper) ?? []
  if (sign !== undefined && !isSignOf(currency, sign)) return true
  const [code] = /(?<!\p{L})[A-Z]{3}(?!\p{L})/u.exec(upper) ?? []
  return code !== undefined && codes.has(code) && !symbolsOf(currency).includes(code)
}

/** Returns whether a text is the ISO code of a currency, or `RUR`, the former code of roubles. */
export function isCode(text: string): boolean {
  return codes.has(text) || text === 'RUR'
}

function symbols(currency: string): Symbols {
  const found = known.get(currency)
  if (found !== undefined) return found
  const localized = locales.flatMap((locale) =>
    (['symbol', 'narrowSymbol'] as const).flatMap((currencyDisplay) => {
      const format = new Intl.NumberFormat(locale, { style: 'currency', currency, currencyDisplay })
      return format
        .formatToParts(0)
        .filter(({ type }) => type === 'currency')
        .map(({ value }) => value.toUpperCase().replace(/\p{Cf}/gu, ''))
    }),
  )
  const all = [...new Set([currency, ...localized, ...(written[currency] ?? [])])]
  const made = {
    letters: all
      .filter((one) => /\p{L}/u.test(one))
      .toSorted((one, other) => other.length - one.length),
    signs: new Set(all.flatMap((one) => one.match(/\p{Sc}/gu) ?? [])),
  }
  known.set(currency, made)
  return made
}
