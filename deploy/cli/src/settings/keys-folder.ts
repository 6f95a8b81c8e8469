import { requireKeyPair } from '@coffer/host/rpc/signing-key'
import { keyFileNames, requireWritable } from '@coffer/host/secrets/key-file'
import type { keySettings } from '@coffer/host/secrets/key-settings'
import { hasLocalKey } from '@coffer/host/secrets/local-keys'
import { SettingsError, type ValuesOf } from '@coffer/kit/service/config'
import { collectFaults } from './environment.ts'
import { calls } from './service-names.ts'

type KeeperSettings = Pick<ValuesOf<typeof keySettings>, 'keyService'>

/**
 * Checks the keys folder of a process that hosts every service; creates no key. Throws
 * SettingsError naming each key that cannot be used, or the folder when it cannot be read or lacks
 * keys and cannot be written.
 */
export function requireKeysFolder(folder: string, { keyService }: KeeperSettings): void {
  keyFileNames(folder)
  let isWhole = true
  const checks = [
    ...Object.keys(calls).map((name) => () => requireKeyPair(folder, name)),
    () => keyService !== 'local' || hasLocalKey(folder),
  ]
  const faults = checks.flatMap((check) =>
    collectFaults(() => {
      isWhole = check() && isWhole
    }),
  )
  if (faults.length > 0) throw new SettingsError(faults.join('\n'))
  if (!isWhole) requireWritable(folder)
}
