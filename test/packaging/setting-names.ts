import { allSettings } from '@coffer/cli/settings/environment'

const known = new Set(allSettings.flatMap((group) => Object.values(group).map(({ env }) => env)))

/**
 * Returns the names in a text that look like settings (`COFFER_…`) and are none. Names with a
 * placeholder, such as `COFFER_%s_URL`, are those of settings of single services.
 */
export function unknownSettings(text: string): string[] {
  const names = text.match(/\bCOFFER_[A-Z0-9_%s]*[A-Z0-9%s]/g) ?? []
  return [...new Set(names)].filter((name) => !known.has(name.replace('%s', 'LEDGER')))
}
