/** Locales in which a currency is written with a symbol of letters. */
const locales = (
  'en-US en-GB en-CA en-AU en-NZ en-IN en-ZA de-DE de-CH fr-FR es-ES es-MX ' +
  'pt-BR pt-PT it-IT nl-NL pl-PL cs-CZ sk-SK hu-HU ro-RO bg-BG hr-HR sr-RS ' +
  'sv-SE nb-NO da-DK fi-FI is-IS ru-RU uk-UA el-GR tr-TR ar-JO he-IL th-TH ' +
  'vi-VN id-ID ms-MY ja-JP zh-CN ko-KR es-PE es-CO'
).split(' ')

/** Symbols that banks write and CLDR lacks. */
const written: Readonly<Record<string, readonly string[]>> = {
  CHF: ['FR.', 'SFR.'],
  CNY: ['RMB', '元'],
  INR: ['RS.', 'RS'],
  JOD: ['د.ا.'],
  JPY: ['円'],
  RUB: ['РУБ.', 'РУБ', 'RUR'],
}

const known = new Map<string, readonly string[]>()

/**
 * Returns the letters that stand for a currency beside an amount (`R$`, `kr`, `zł`, the ISO code),
 * in upper case, longest first. Symbols such as `€` are not among them.
 */
export function symbolsOf(currency: string): readonly string[] {
  const found = known.get(currency)
  if (found !== undefined) return found
  const symbols = locales.flatMap((locale) =>
    (['symbol', 'narrowSymbol'] as const).flatMap((currencyDisplay) => {
      const format = new Intl.NumberFormat(locale, { style: 'currency', currency, currencyDisplay })
      return format
        .formatToParts(0)
        .filter(({ type }) => type === 'currency')
        .map(({ value }) => value.toUpperCase().replace(/\p{Cf}/gu, ''))
    }),
  )
  const all = [currency, ...symbols, ...(written[currency] ?? [])].filter((one) =>
    /\p{L}/u.test(one),
  )
  const sorted = [...new Set(all)].toSorted((one, other) => other.length - one.length)
  known.set(currency, sorted)
  return sorted
}
