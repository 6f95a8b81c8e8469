import { SettingsError } from '@coffer/kit/service/config'

/** @throws {SettingsError} when two settings name one port */
export function requireDistinct(ports: Record<string, number>): void {
  const all = Object.entries(ports)
  for (const [index, [setting, port]] of all.entries()) {
    const other = all.slice(0, index).find(([, taken]) => taken === port)
    if (other) throw new SettingsError(`${setting}: ${port} is ${other[0]} already`)
  }
}
