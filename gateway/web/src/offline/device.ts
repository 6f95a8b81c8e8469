import { basePath, ownName } from '../base-path.ts'
import { currentPreferences, setPreferences } from '../preferences/preferences.ts'
import { eraseLastSeen, hasCaches } from './erasure.ts'
import { ownScript } from './own-script.ts'

/** Prefix of the names of the service worker's caches (build/service-worker.ts). */
const files = `${ownName('coffer-app')} `

/**
 * Sets whether this device stores answers for offline use; installs or removes the service worker.
 */
export async function chooseDevice(isOwnDevice: boolean): Promise<void> {
  setPreferences({ isOwnDevice })
  await applyDevice()
}

/** Installs the service worker, which opens the app offline, or removes it with all its caches. */
export async function applyDevice(): Promise<void> {
  if (!hasCaches() || !import.meta.env.PROD) return
  const workers = navigator.serviceWorker
  if (currentPreferences().isOwnDevice === true) {
    await workers.register(ownScript(`${basePath}worker.js`), { scope: basePath })
    return
  }
  await eraseLastSeen()
  await (await workers.getRegistration(basePath))?.unregister()
  for (const name of await caches.keys()) if (name.startsWith(files)) await caches.delete(name)
}
