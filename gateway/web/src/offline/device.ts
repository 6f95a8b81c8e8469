import { basePath } from '../base-path.ts'
import { currentPreferences, setPreferences } from '../preferences/preferences.ts'
import { eraseLastSeen, hasCaches } from './erasure.ts'
import { ownScript } from './own-script.ts'

/** Begin of the names of the service worker's caches (build/service-worker.ts). */
const files = `coffer-app ${basePath} `

/** Chooses whether this device keeps what was seen last, and installs or removes the worker. */
export async function chooseDevice(isOwnDevice: boolean): Promise<void> {
  setPreferences({ isOwnDevice })
  await applyDevice()
}

/** Installs the worker that opens the app without a network, or removes all that it has. */
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
