/** Languages of month names. Without Croatian: its `listopad` is October, in Polish November. */
const locales = (
  'en-US en-GB de-DE de-AT fr-FR es-ES pt-BR it-IT nl-NL af-ZA pl-PL cs-CZ ' +
  'sk-SK hu-HU ro-RO bg-BG sl-SI sr-RS sv-SE nb-NO da-DK fi-FI is-IS ru-RU ' +
  'uk-UA el-GR tr-TR et-EE lv-LV lt-LT id-ID ms-MY ca-ES'
).split(' ')

let known: ReadonlyMap<string, number> | null = null

/** Returns the month (1 to 12) of a full or short name in one of `locales`, else undefined. */
export function monthOf(name: string): number | undefined {
  known ??= collectNames()
  return known.get(folded(name))
}

function collectNames(): Map<string, number> {
  const names = new Map([['mrz', 3]])
  for (const locale of locales) {
    for (const month of ['short', 'long'] as const) {
      // Next to a day, many languages inflect the name of a month, so both forms are collected.
      for (const day of [undefined, 'numeric'] as const) {
        const format = new Intl.DateTimeFormat(locale, { month, day, timeZone: 'UTC' })
        for (let index = 0; index < 12; index += 1) {
          const parts = format.formatToParts(Date.UTC(2026, index, 15))
          const name = parts.find(({ type }) => type === 'month')?.value ?? ''
          if (/\p{L}/u.test(name)) names.set(folded(name), index + 1)
        }
      }
    }
  }
  return names
}

/** Returns a name in lower case without accents and points. */
function folded(name: string): string {
  return name
    .normalize('NFD')
    .replace(/[\p{M}.]/gu, '')
    .toLowerCase()
}
